"""Finding the final answer in a whole reply: what is outside thinking, the last box, the last statement.

Every function is linear in the reply's length and reads text only. Whether an answer is right belongs to `verify`.
"""

import re

from rlenvs.verifiers.replies.asides import without_asides
from rlenvs.verifiers.replies.behind_box import with_unit
from rlenvs.verifiers.replies.boxes import BOX, Box, boxes, joined, last_box, placed_boxes
from rlenvs.verifiers.replies.conclusions import conclusion
from rlenvs.verifiers.replies.denials import TURNS
from rlenvs.verifiers.replies.plain_values import are_different
from rlenvs.verifiers.replies.second_thoughts import after_all
from rlenvs.verifiers.replies.statements import last_statement
from rlenvs.verifiers.replies.turns import before_end_tokens
from rlenvs.verifiers.replies.wrappings import unwrapped

__all__ = ["after_marker", "boxed_answer", "boxes", "extract", "last_box", "outside_thinking"]

_THINK_TAG = re.compile(r"<(/?)think(?:ing)?>")
_MARKER = re.compile(r"####(.*)")


def outside_thinking(reply: str) -> str:
    """The reply without its `<think>…</think>` blocks.

    Blocks nest. An unclosed block reaches to the end. A closing tag without an opening one ends a block that began
    before the reply (chat templates may open it in the prompt), so all text before it is thinking.
    """
    kept: list[str] = []
    depth = start = 0
    for tag in _THINK_TAG.finditer(reply):
        if tag[1]:
            kept = kept if depth else []
            depth = max(0, depth - 1)
        else:
            kept += [] if depth else [reply[start : tag.start()]]
            depth += 1
        start = tag.end()
    return "".join(kept) if depth else "".join([*kept, reply[start:]])


def after_marker(text: str) -> str | None:
    """What follows the last `####` on its line: GSM8K's mark of the final answer."""
    marks = list(_MARKER.finditer(text))
    return agreed(text, marks)


def agreed(text: str, statements: list[re.Match[str]]) -> str | None:
    """What the last of some statements says, in their first group; None where the one before says another number.

    Unless a correction leads from the one to the other.
    """
    said = [found[1].strip(" \t\r*") for found in statements[-2:]]
    if not said or not said[-1]:
        return None
    if len(said) > 1 and are_different(*said):
        between = text[statements[-2].end() : statements[-1].start()]
        return said[-1] if _TURNS.search(between) else None
    return said[-1]


_TURNS = re.compile(TURNS, re.IGNORECASE)


_BLANKS = re.compile(r"[^\S\n]{2,}")
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]?\n){2,}")


def _without_runs(text: str) -> str:
    """The text with one blank for many, and one empty line: what follows tries few places where a run could end."""
    return _BLANK_LINES.sub("\n\n", _BLANKS.sub(" ", text))


def extract(reply: str) -> str | None:
    """The final answer of a reply in any of the usual forms; None where it states none.

    Outside thinking, in the last `<answer>` if there is one: the last box; else what the last statement says ("the
    answer is", "answer:", `####`); else the last formula of the last line, what its last sentence concludes, or a reply
    that is one short line. What is denied, asked, supposed or quoted is no statement. A correction that follows counts;
    two different answers without one are none.
    """
    text = unwrapped(outside_thinking(before_end_tokens(_without_runs(reply))))
    if "ox" in text and re.search(BOX, text):
        return boxed_answer(text)
    statement = last_statement(text)
    if statement is None:
        return conclusion(text)
    return None if statement.value is None else after_all(statement.value, text, statement.end)


def boxed_answer(text: str) -> str | None:
    """What the boxes of a text say the answer is; None where they say nothing, or several things.

    The last box that is not merely mentioned, with the ones that belong to it, the sign before it and the unit behind.
    """
    found = without_asides(text, placed_boxes(text) or [])
    if not found or _is_hedged(text, found):
        return None
    last = joined(text, found)
    last = with_unit(last, text) if last == found[-1] else last
    before = _BEFORE_BOX.search(text, max(0, last.start - _LONGEST_BEFORE), last.start)
    if before and not before["sign"]:  # a part of a larger expression
        return None
    return after_all(f"-{last.content}" if before else last.content, text, last.end)


_LONGEST_BEFORE = 20
_BEFORE_BOX = re.compile(
    r"(?:(?:^|[=:$(\[]|\\[(\[]|\b(?:is|equals|be))\s*(?P<sign>[-−])|[\d}a-zA-Z)]\s*(?:\\cdot|\\times|[*/^+])\s*"
    r"|\\[dt]?frac\s*\{[^{}]*\}\s*\{\s*|\\[dt]?frac\s*\{\s*|\\sqrt\s*\{\s*)$"
)


def _is_hedged(text: str, found: list[Box]) -> bool:
    """Whether the last box is only what the answer might be, or one of several cases."""
    clauses = [_SENTENCE_END.split(text[max(0, box.start - _WINDOW) : box.start])[-1] for box in found[-2:]]
    is_one_case = len(clauses) > 1 and all(map(_CASE.match, clauses)) and found[-1].content != found[-2].content
    return is_one_case or _HEDGE.search(clauses[-1]) is not None


_SENTENCE_END = re.compile(r"(?<=[.!?。])\s+|\n")
_WINDOW = 500  # characters of a sentence that are looked at before a box
_CASE = re.compile(r"\W*(?:if|when|for)\b", re.IGNORECASE)
_HEDGE = re.compile(
    r"(?:\b(?:could|might|may)(?:\s+(?:also|well|even))*\s+be|\b(?:maybe|perhaps|possibly)|\bor\s+(?:else|maybe))"
    r"[\s:$*_(]*$|\beither\b[^.]*\bor\b",
    re.IGNORECASE,
)
