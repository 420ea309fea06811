"""A completion is a message of the policy, a message cut off, or none: that is an error and never a wrong answer."""

import json
from typing import Any

import pytest

from rlenvs.policies.base import Reply
from rlenvs.policies.completions import NoCompletionError, read_completion


def read(finish: Any = "stop", **message: Any) -> Reply:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return read_completion(json.dumps({"choices": [choice], "usage": {"completion_tokens": 3}}))


@pytest.mark.parametrize("finish", ["stop", "eos_token", "end_turn", None])
def test_a_message_that_the_policy_ended_is_its_answer(finish: str | None) -> None:
    assert read(finish, content="18") == Reply(text="18", num_tokens=3)


@pytest.mark.parametrize("content", ["", None])
def test_a_policy_that_ends_at_once_has_said_nothing(content: str | None) -> None:
    assert read("stop", content=content) == Reply(text="", num_tokens=3)


def test_a_refusal_is_what_the_policy_says() -> None:
    assert read("stop", content=None, refusal="I will not.") == Reply(text="I will not.", num_tokens=3)


@pytest.mark.parametrize("finish", ["length", "max_tokens", "model_length"])
def test_a_message_at_its_limit_is_cut_off_also_before_it_began(finish: str) -> None:
    assert read(finish, content="half") == Reply(text="half", num_tokens=3, finish="length")
    assert read(finish, content=None, reasoning_content="so") == Reply(num_tokens=3, finish="length")


@pytest.mark.parametrize(
    ("finish", "message", "why"),
    [
        ("tool_calls", {"content": None, "tool_calls": [{"id": "1"}]}, "a call of a tool"),
        ("function_call", {"content": None}, "a call of a tool"),
        ("stop", {"content": None, "tool_calls": [{"id": "1"}]}, "a call of a tool"),
        ("stop", {"content": None, "reasoning_content": "so 18"}, "reasoning and no message"),
        ("stop", {"content": "", "reasoning": "so 18"}, "reasoning and no message"),
        ("content_filter", {"content": "1"}, "content filter"),
    ],
)
def test_what_the_server_made_of_the_reply_is_no_answer(finish: str, message: dict[str, Any], why: str) -> None:
    reply = read(finish, **message)
    assert why in reply.error
    assert (reply.text, reply.num_tokens) == ("", 3)


@pytest.mark.parametrize("finish", ["error", "abort", "insufficient_system_resource", "something_new", "", 7])
def test_a_server_that_gives_up_has_given_no_answer(finish: Any) -> None:
    with pytest.raises(NoCompletionError):
        read(finish, content="half an ans")


def test_a_reply_without_text_and_without_a_reason_is_none() -> None:
    with pytest.raises(NoCompletionError, match="finish_reason None"):
        read(None, content=None)
