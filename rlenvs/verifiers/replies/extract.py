"""Finding the final answer in a whole reply: what is outside thinking, the last box, the last statement.

Every function is linear in the reply's length and reads text only. Whether an answer is right belongs to `verify`.
"""

import re

from rlenvs.verifiers.replies.behind_box import with_unit
from rlenvs.verifiers.replies.boxes import BOX, Box, boxes, joined, last_box, placed_boxes
from rlenvs.verifiers.replies.conclusions import conclusion
from rlenvs.verifiers.replies.denials import is_asked, is_governed, is_rejected
from rlenvs.verifiers.replies.second_thoughts import after_all
from rlenvs.verifiers.replies.statements import last_statement
from rlenvs.verifiers.replies.wrappings import unwrapped

__all__ = ["after_marker", "boxes", "extract", "last_box", "outside_thinking"]

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
    marked = [found[1].strip() for found in _MARKER.finditer(text)]
    return marked[-1] or None if marked else None


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
    text = unwrapped(outside_thinking(_without_runs(reply)))
    if "ox" in text and re.search(BOX, text):
        return _boxed(text)
    statement = last_statement(text)
    if statement is None:
        return conclusion(text)
    return None if statement.value is None else after_all(statement.value, text, statement.end)


def _boxed(text: str) -> str | None:
    found = placed_boxes(text) or []
    while found and _is_no_statement(text, found[-1]):
        found.pop()
    if not found or _is_hedged(text, found):
        return None
    last = joined(text, found)
    last = with_unit(last, text) if last == found[-1] else last
    return after_all(last.content, text, last.end)


def _is_hedged(text: str, found: list[Box]) -> bool:
    """Whether the last box is only what the answer might be, or one of several cases."""
    clauses = [_SENTENCE_END.split(text[: box.start])[-1] for box in found[-2:]]
    is_one_case = len(clauses) > 1 and all(map(_CASE.match, clauses)) and found[-1].content != found[-2].content
    return is_one_case or _HEDGE.search(clauses[-1]) is not None


_SENTENCE_END = re.compile(r"(?<=[.!?。])\s+|\n")
_CASE = re.compile(r"\W*(?:if|when|for)\b", re.IGNORECASE)
_HEDGE = re.compile(
    r"(?:\b(?:could|might|may)(?:\s+(?:also|well|even))*\s+be|\b(?:maybe|perhaps|possibly)|\bor\s+(?:else|maybe))"
    r"[\s:$*_(]*$|\beither\b[^.]*\bor\b",
    re.IGNORECASE,
)


def _is_no_statement(text: str, box: Box) -> bool:
    return is_governed(text, box.start) or is_rejected(text, box.end) or is_asked(text, box.end)
