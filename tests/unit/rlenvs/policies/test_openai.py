"""The endpoint policy against a real HTTP server on the loopback interface, well and badly behaved."""

import asyncio
import json
import random
import threading
import time
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from rlenvs.policies import openai as openai_policy
from rlenvs.policies.base import Reply, ReplyRequest, Sampling
from rlenvs.policies.openai import Endpoint, EndpointError, OpenAIPolicy
from rlenvs.records import Message, user


class Server:
    """Answers every request by the next of `script`: (status, body or text, seconds to wait); then by echo."""

    def __init__(self) -> None:
        self.script: list[tuple[int, Any, float]] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.headers: dict[str, str] = {}
        self.slow, self.gate = "", threading.Event()  # the message that is answered once the gate is open
        self.meeting: threading.Barrier | None = None  # where requests wait for each other before they are answered
        self.in_flight = self.most_in_flight = 0
        self.lock = threading.Lock()
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, daemon=True, kwargs={"poll_interval": 0.01}).start()

    def _handler(server) -> type[BaseHTTPRequestHandler]:  # noqa: N805 - `self` is the handler below
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with server.lock:
                    server.requests.append(request)
                    server.keys.append(self.headers["authorization"])
                    server.in_flight += 1
                    server.most_in_flight = max(server.most_in_flight, server.in_flight)
                    status, body, wait_s = server.script.pop(0) if server.script else (200, echo(request), 0.0)
                if server.meeting:
                    server.meeting.wait(30)
                if request["messages"][-1]["content"] == server.slow:
                    server.gate.wait(10)
                time.sleep(wait_s)
                with server.lock:
                    server.in_flight -= 1
                self.answer(status, body if isinstance(body, str) else json.dumps(body))

            def answer(self, status: int, body: str) -> None:
                try:
                    self.send_response(status)
                    self.send_header("content-type", "application/json")
                    self.send_header("content-length", str(len(body.encode())))
                    for name, value in server.headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(body.encode())
                except BrokenPipeError:  # the client gave up, as some of these tests mean it to
                    pass

            def log_message(self, *args: Any) -> None:
                pass

        return Handler


def completion(content: Any, *, tokens: Any = 3, finish: str = "stop") -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion", "choices": [choice], "usage": {"completion_tokens": tokens}}


def echo(request: dict[str, Any]) -> dict[str, Any]:
    return completion("echo " + request["messages"][-1]["content"])


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.http.shutdown()
    server.http.server_close()


def policy(server: Server, sampling: Sampling | None = None, **options: Any) -> OpenAIPolicy:
    endpoint = Endpoint(**{"model": "m", "base_url": server.url, "backoff_s": 0.01, "retries": 2, **options})
    return OpenAIPolicy(endpoint=endpoint, sampling=sampling or Sampling())


def replies_to(policy: OpenAIPolicy, requests: Sequence[ReplyRequest]) -> list[Reply]:
    """In the order of the requests."""

    async def asked() -> dict[int, Reply]:
        return {place: reply async for place, reply in policy.replies(requests)}

    replies = asyncio.run(asked())
    return [replies[place] for place in range(len(requests))]


def ask(policy: OpenAIPolicy, *texts: str) -> list[Reply]:
    return replies_to(policy, [ReplyRequest(key=text, messages=(user(text),), seed=7 + 2**40) for text in texts])


def test_a_reply_is_there_when_it_is_served_and_knows_its_request(server: Server) -> None:
    server.slow = "a"
    requests = [ReplyRequest(key=text, messages=(user(text),), seed=7) for text in ("a", "b", "c")]
    came = list[tuple[int, Reply]]()

    async def as_they_come() -> None:
        async for each in policy(server).replies(requests):
            came.append(each)
            if len(came) == 2:
                server.gate.set()

    asyncio.run(as_they_come())
    assert came[-1][0] == 0, "the slow one holds up no other"
    assert {place: reply.text for place, reply in came} == {0: "echo a", 1: "echo b", 2: "echo c"}
    assert [came[-1][1].num_tokens, came[-1][1].finish, came[-1][1].error] == [3, "stop", ""]


def test_the_endpoint_is_told_the_conversation_and_how_to_sample(server: Server, monkeypatch: Any) -> None:
    monkeypatch.setenv("MY_KEY", "sesame")
    sampling = Sampling(temperature=0.6, top_p=0.95, top_k=20, max_tokens=77)
    conversation = (Message(role="system", content="be brief"), user("hi"), Message(role="tool", content="found"))
    request = ReplyRequest(key="k", messages=conversation, seed=5 + 2**31)
    replies_to(policy(server, sampling, key_variable="MY_KEY"), [request])
    [sent] = server.requests
    assert sent == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": "hi"},
            {"role": "user", "content": "found"},
        ],
        "seed": 5,
        "temperature": 0.6,
        "top_p": 0.95,
        "top_k": 20,
        "max_tokens": 77,
    }
    assert server.keys == ["Bearer sesame"]


def test_at_most_the_stated_number_of_requests_is_in_flight(server: Server) -> None:
    server.script, server.meeting = [(200, completion("x"), 0.02)] * 9, threading.Barrier(3)
    ask(policy(server, concurrency=3), *"abcdefghi")
    assert server.most_in_flight == 3


def test_calls_at_the_same_time_share_one_connection_and_its_limit(server: Server, monkeypatch: Any) -> None:
    opened: list[Any] = []
    open_client = openai_policy._client
    monkeypatch.setattr(openai_policy, "_client", lambda endpoint: opened.append(open_client(endpoint)) or opened[-1])
    asked, requests = (
        policy(server, concurrency=3),
        [ReplyRequest(key=t, messages=(user(t),), seed=7) for t in "abcdefghi"],
    )
    server.script, server.meeting = [(200, completion("x"), 0.02)] * 9, threading.Barrier(3)

    async def one(request: ReplyRequest) -> Reply:
        [(_, reply)] = [each async for each in asked.replies([request])]
        return reply

    async def all_at_once() -> list[Reply]:
        return await asyncio.gather(*map(one, requests))

    assert [reply.text for reply in asyncio.run(all_at_once())] == ["x"] * 9
    assert (len(opened), server.most_in_flight) == (1, 3)
    server.meeting = None
    assert opened[0].is_closed(), "the last call closes what the first one opened"
    assert asyncio.run(one(requests[0])).text == "echo a", "and another loop opens it anew"
    assert len(opened) == 2


def test_a_busy_or_broken_server_is_asked_again(server: Server) -> None:
    server.script = [(429, {"error": {"message": "slow down"}}, 0), (500, "oops", 0)]
    [reply] = ask(policy(server), "a")
    assert (reply.text, reply.error) == ("echo a", "")
    assert len(server.requests) == 3


def test_a_server_that_stays_broken_is_an_error_and_not_an_empty_answer(server: Server) -> None:
    server.script = [(503, {"error": {"message": "no capacity"}}, 0)] * 3
    [reply] = ask(policy(server), "a")
    assert "HTTP 503" in reply.error
    assert "no capacity" in reply.error
    assert len(server.requests) == 3  # one attempt and two retries


def test_the_wait_that_the_server_asks_for_is_kept(server: Server) -> None:
    server.script, server.headers = [(429, {}, 0)], {"retry-after": "0.4"}
    start = time.monotonic()
    ask(policy(server), "a")
    assert time.monotonic() - start >= 0.4


def test_a_request_that_the_server_refuses_is_not_repeated(server: Server) -> None:
    server.script = [(400, {"error": {"message": "top_k is unknown"}}, 0)]
    refused, fine = ask(policy(server, concurrency=1), "a", "b")
    assert refused.error.startswith("HTTP 400")
    assert "top_k is unknown" in refused.error
    assert fine.text == "echo b"
    assert len(server.requests) == 2


def test_a_conversation_that_does_not_fit_is_an_overflow(server: Server) -> None:
    said = "This model's maximum context length is 100 tokens"
    server.script = [(400, {"error": {"message": said, "code": "context_length_exceeded"}}, 0)]
    [reply] = ask(policy(server), "a")
    assert (reply.finish, reply.error) == ("overflow", "")


@pytest.mark.parametrize(("status", "hint"), [(401, "OPENAI_API_KEY"), (403, "OPENAI_API_KEY"), (404, "served there")])
def test_what_no_request_can_survive_stops_at_once_with_a_sentence(server: Server, status: int, hint: str) -> None:
    server.script = [(status, {"error": {"message": "no"}}, 0)] * 20
    with pytest.raises(EndpointError, match=rf"answers {status} \(.*no.*\), and would to every request\. Is .*{hint}"):
        ask(policy(server, concurrency=2), *"abcdefghij")
    assert len(server.requests) <= 4


def test_a_slow_server_is_given_up_at_the_deadline(server: Server) -> None:
    server.script = [(200, completion("late"), 20.0)]
    start = time.monotonic()
    slow, quick = ask(policy(server, deadline_s=0.3), "a", "b")
    assert time.monotonic() - start < 10
    assert "0.3 s" in slow.error + quick.error
    assert sorted([slow.text, quick.text])[0] == ""


def test_a_single_slow_attempt_is_followed_by_another(server: Server) -> None:
    server.script = [(200, completion("late"), 0.5)]
    [reply] = ask(policy(server, attempt_timeout_s=0.1), "a")
    assert reply.text == "echo a"


def test_a_server_that_was_never_there_stops_at_once_with_a_sentence(server: Server) -> None:
    gone = policy(server, base_url="http://127.0.0.1:9/v1", retries=1)
    with pytest.raises(EndpointError, match=r"^http://127\.0\.0\.1:9/v1 cannot be reached: .*asked 2 times.* running"):
        ask(gone, *"abcdefghij")


@pytest.mark.parametrize("status", [200, 400])
def test_a_server_that_answered_and_goes_away_is_an_error_of_each_reply(server: Server, status: int) -> None:
    server.script = [(status, completion("x"), 0)]
    asked = policy(server, retries=1)
    ask(asked, "a")
    server.http.shutdown()
    server.http.server_close()
    assert [reply.error.startswith(f"{server.url} cannot be reached: ") for reply in ask(asked, "b", "c")] == [True] * 2


def test_a_server_that_is_slow_from_the_first_is_an_error_of_each_reply(server: Server) -> None:
    server.script = [(200, completion("late"), 0.5)]
    [reply] = ask(policy(server, attempt_timeout_s=0.1, retries=0), "a")
    assert "cannot be reached: Request timed out" in reply.error


@pytest.mark.parametrize(
    "body",
    [
        "not json",
        "",
        "[]",
        "null",
        '"text"',
        "{}",
        {"choices": []},
        {"choices": None},
        {"choices": ["x"]},
        {"choices": [{"message": None}]},
        completion({"a": 1}),
        completion("x", tokens="many"),
    ],
)
def test_a_success_with_a_malformed_body_is_an_error(server: Server, body: Any) -> None:
    server.script = [(200, body, 0)] * 3
    [reply] = ask(policy(server), "a")
    assert reply.error.startswith("the body is not a chat completion: ")
    assert "indices must be" not in reply.error, "that is about our code, not about the endpoint"
    assert (reply.text, len(server.requests)) == ("", 3)


def test_a_reply_cut_by_its_limit_says_so(server: Server) -> None:
    server.script = [(200, completion("half a", finish="length"), 0)]
    [cut] = ask(policy(server), "a")
    assert (cut.text, cut.finish) == ("half a", "length")


@pytest.mark.parametrize("why", ["stop", "length"])
def test_a_message_ends_with_its_stop_text_whatever_ended_the_reply(server: Server, why: str) -> None:
    server.script = [
        (200, completion("<search>x</search> and so on</answer>", finish=why), 0),
        (200, completion("<search>x</search>", finish=why), 0),
        (200, completion("no end", finish=why), 0),
    ]
    cut, exact, whole = ask(policy(server, Sampling(stop=("</answer>", "</search>")), concurrency=1), "a", "b", "c")
    assert (cut.text, cut.finish) == (exact.text, exact.finish) == ("<search>x</search>", "stop")
    assert (whole.text, whole.finish) == ("no end", why)
    assert all("stop" not in request for request in server.requests), "the server would drop the text"


def test_a_withheld_reply_is_an_error(server: Server) -> None:
    server.script = [(200, completion("", finish="content_filter"), 0)]
    [reply] = ask(policy(server), "a")
    assert "filter" in reply.error


def test_retries_leave_the_global_random_state_alone(server: Server) -> None:
    server.script = [(500, "", 0)] * 2
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    ask(policy(server), "a")
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002


def test_its_name_and_settings_tell_results_of_different_sampling_apart(server: Server) -> None:
    warm, cold = policy(server), policy(server, Sampling(temperature=0.0))
    assert warm.name == f"openai:m@{server.url}"
    assert warm.settings != cold.settings


@pytest.mark.parametrize("bad", [{"model": ""}, {"concurrency": 0}, {"retries": -1}])
def test_an_endpoint_that_cannot_be_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        Endpoint(**{"model": "m", **bad})


@pytest.mark.parametrize(
    "address", ["localhost:8000", "ftp://h/v1", "http://", "http:///v1", "http://h:port/v1", "http://[::1/v1", ""]
)
def test_an_address_that_cannot_be_asked_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="an endpoint's address is like http://localhost:8000/v1"):
        Endpoint(model="m", base_url=address)
