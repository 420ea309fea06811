"""The endpoint policy: what it asks, how much at a time, and what it makes of an answer."""

import asyncio
import threading
from typing import Any

import pytest

from rlenvs.policies import openai as openai_policy
from rlenvs.policies.base import Reply, ReplyRequest, Sampling
from rlenvs.policies.openai import Endpoint
from rlenvs.records import Message, user

from .serving import Server, ask, completion, policy, replies_to


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


def test_a_conversation_that_does_not_fit_is_an_overflow(server: Server) -> None:
    said = "This model's maximum context length is 100 tokens"
    server.script = [(400, {"error": {"message": said, "code": "context_length_exceeded"}}, 0)]
    [reply] = ask(policy(server), "a")
    assert (reply.finish, reply.error) == ("overflow", "")


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
