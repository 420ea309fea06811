"""What becomes of replies where the endpoint is busy, broken, slow or away, or refuses."""

import random
import socket
import time
from typing import Any

import numpy as np
import pytest

from rlenvs.policies.openai import EndpointError

from .serving import Server, ask, completion, policy


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


def test_a_server_that_drops_the_first_request_is_an_error_of_that_reply_alone(server: Server) -> None:
    server.dropped = "a"
    dropped, fine = ask(policy(server, concurrency=1), "a", "b")
    assert dropped.error.startswith(f"{server.url} cannot be reached: ")
    assert fine.text == "echo b"
    assert [request["messages"][-1]["content"] for request in server.requests] == ["a", "a", "a", "b"]


def test_a_server_that_drops_a_request_and_goes_away_was_there(server: Server) -> None:
    server.dropped = "a"
    asked = policy(server, retries=0)
    ask(asked, "a")
    server.http.shutdown()
    server.http.server_close()
    [reply] = ask(asked, "b")
    assert reply.error.startswith(f"{server.url} cannot be reached: ")


def test_an_address_whose_name_is_nobodys_stops_at_once_with_a_sentence(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    monkeypatch.setenv("NO_PROXY", "*")
    with pytest.raises(EndpointError, match=r"nowhere\.invalid/v1 cannot be reached: .*nobody has ever accepted"):
        ask(policy(server, base_url="http://nowhere.invalid/v1", retries=0), "a")


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


def test_a_withheld_reply_is_an_error(server: Server) -> None:
    server.script = [(200, completion("", finish="content_filter"), 0)]
    [reply] = ask(policy(server), "a")
    assert "filter" in reply.error


def test_retries_leave_the_global_random_state_alone(server: Server) -> None:
    server.script = [(500, "", 0)] * 2
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    ask(policy(server), "a")
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002
