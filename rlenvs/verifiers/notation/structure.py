"""Taking a text apart without reading it: items of a list, brackets, the letter of a choice."""

import re

from rlenvs.verifiers.notation.exact import number
from rlenvs.verifiers.notation.text import without_text_commands

_OPENING, _CLOSING = "([{", ")]}"
_SEPARATOR = re.compile(r"(?:\\text\s*\{\s*|\b)(?:and|or)(?:\s*\}|\b)")
_PLUS_MINUS = re.compile(r"\\pm(?![a-zA-Z])")
_MAX_ITEMS = 50


def items(text: str) -> list[str]:
    r"""The items of a list that no bracket encloses; a text that is one item gives itself.

    Commas, semicolons, "and" and "or" separate. A number with thousands separators is one item; a set in braces gives
    its members; an item with one \pm gives two.
    """
    if number(text) is not None:
        return [text]
    inside = _members(text)
    if inside is not None and inside[0] == r"\{":
        return [part for item in inside[1] for part in _both_signs(item)]
    return [part for item in _split(_SEPARATOR.sub(",", text)) for part in _both_signs(item)]


def _members(text: str) -> tuple[str, list[str]] | None:
    r"""(kind of brackets, items) of a text in one pair of brackets: `(a, b]` as ("(]", ["a", "b"]), a set as r"\{"."""
    if text.startswith(r"\{") and text.endswith(r"\}") and _is_one_pair(text[1:-2] + "}"):
        return r"\{", _split(text[2:-2])
    if text[:1] in ("(", "[") and text[-1:] in (")", "]") and _is_one_pair(text):
        return text[0] + text[-1], _split(text[1:-1])
    return None


def _is_one_pair(text: str) -> bool:
    """Whether the bracket that opens the text is closed by its last character and not before."""
    depth = 0
    for position, sign in enumerate(text):
        depth += (sign in _OPENING) - (sign in _CLOSING)
        if depth == 0:
            return position == len(text) - 1
    return False


def _split(text: str) -> list[str]:
    parts, start, depth = [], 0, 0
    for position, sign in enumerate(text):
        depth += (sign in _OPENING) - (sign in _CLOSING)
        if sign in ",;" and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    parts = [part.strip() for part in [*parts, text[start:]]]
    return [part for part in parts if part][: _MAX_ITEMS + 1]


def _both_signs(item: str) -> list[str]:
    if len(_PLUS_MINUS.findall(item)) != 1:
        return [item]
    return [_PLUS_MINUS.sub(sign, item).strip() for sign in ("+", "-")]


_OPTION = re.compile(r"(?:(?i:option|choice|answer)\s+)?\(?([A-Ja-j])\)?(?:(?<!\()\s*[:.)]((?:\s).*)?)?", re.DOTALL)
_ANOTHER_OPTION = re.compile(
    r"(?:\b(?:or|and|maybe|possibly|actually|perhaps)\b|,|/|;)\s*\(?[A-J]\)?(?![a-zA-Z])|\b[A-J](?=[.):;]|$)"
    r"|\b(?:not|wrong|incorrect|maybe|possibly|perhaps|above)\b"
)


def option(text: str) -> str | None:
    """The letter of a choice, `(B)`, `b` or `B: because …`; None if the text is no choice."""
    found = _OPTION.fullmatch(without_text_commands(text))
    if found is None or text in ("e", "i") or _ANOTHER_OPTION.search(found[2] or ""):
        return None
    return found[1].upper()
