"""What an endpoint's chat completion says: a message of the policy, one that was cut off, or no message at all.

A wrong answer is what the policy wrote. Where the server failed, refused to say all of it, or read it as something
else (a tool call, reasoning), there is no answer to be judged, and that is an error.
"""

import json
from collections.abc import Mapping
from typing import Any

from rlenvs.policies.base import Reply

ENDED = frozenset({"stop", "eos", "eos_token", "end_turn", "stop_sequence", "stop_token"})  # as servers call it
CUT_OFF = frozenset({"length", "max_tokens", "model_length"})
TOOL_CALL = "the endpoint read the reply as a call of a tool, and none was offered: serve without a tool parser"
WITHHELD = {
    "content_filter": "the endpoint's content filter withheld the reply",
    "tool_calls": TOOL_CALL,
    "function_call": TOOL_CALL,
}  # asked again, it would be the same
REASONING = ("reasoning_content", "reasoning")


class NoCompletionError(Exception):
    """A success status without a message: the body is malformed, or the server gave up. Asking again may help."""


def read_completion(body: str) -> Reply:
    """The reply in the body of a successful response.

    Raises:
        NoCompletionError: there is none.
    """
    try:
        completion = json.loads(body)
        choice = completion["choices"][0]
        message, reason = choice["message"], choice.get("finish_reason")
        num_tokens = (completion.get("usage") or {}).get("completion_tokens")
        text = message.get("content")
        text = message.get("refusal") if text is None else text  # the model's own words, under another name
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise NoCompletionError(f"the body is not a chat completion: {body[:200]!r}") from error
    if not isinstance(text, str | None) or not isinstance(num_tokens, int | None) or not isinstance(reason, str | None):
        raise NoCompletionError(f"the body is not a chat completion: {body[:200]!r}")
    return _reply(message, reason, text, num_tokens)


def _reply(message: Mapping[str, Any], reason: str | None, text: str | None, num_tokens: int | None) -> Reply:
    if reason in WITHHELD:
        return Reply(error=WITHHELD[reason], num_tokens=num_tokens)
    if reason in CUT_OFF:  # perhaps while it was reasoning, before the message began
        return Reply(text=text or "", num_tokens=num_tokens, finish="length")
    if reason not in ENDED and not (reason is None and text):  # some servers give no reason for a whole message
        raise NoCompletionError(f"the endpoint broke the reply off: finish_reason {reason!r}")
    if text is None and message.get("tool_calls"):
        return Reply(error=TOOL_CALL, num_tokens=num_tokens)
    if not text and any(message.get(name) for name in REASONING):
        why = "the endpoint gave reasoning and no message: serve without a reasoning parser"
        return Reply(error=why, num_tokens=num_tokens)
    return Reply(text=text or "", num_tokens=num_tokens)  # no text at all: how SGLang gives an empty message
