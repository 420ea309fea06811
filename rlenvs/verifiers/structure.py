"""Taking an answer apart: items of a list, brackets, a number and its unit, words."""

import re

from rlenvs.verifiers.exact import number
from rlenvs.verifiers.text import without_text_commands

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
    inside = members(text)
    if inside is not None and inside[0] == r"\{":
        return [part for item in inside[1] for part in _both_signs(item)]
    return [part for item in _split(_SEPARATOR.sub(",", text)) for part in _both_signs(item)]


def members(text: str) -> tuple[str, list[str]] | None:
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


_UNIT = r"\\\$|\^\\circ|\\text\s*\{[^{}]*\}(?:\s*\^\s*\{?[23]\}?)?|[a-zA-Z][a-zA-Z /.^0-9]*"
_QUANTITY = re.compile(rf"(?P<value>(?:\\\$)?\s*[-+]?.*?\S)\s*(?P<unit>{_UNIT})")
_BARE_UNITS = frozenset(re.split(" ", "cm mm km kg mg lb lbs oz ft in yd mi mph hr hrs min sec ms cents m^2 cm^2"))
_NO_UNITS = frozenset(
    re.split(
        " ",
        "hundred thousand million billion trillion dozen half third quarter percent pct squared cubed factorial times"
        " over plus minus mod base not less more than pi sin cos tan log ln exp sqrt infinity inf and or to theta"
        " alpha beta gamma delta lambda",
    )
)
_UNIT_NAMES = {
    "meter": "m", "metre": "m", "centimeter": "cm", "millimeter": "mm", "kilometer": "km", "gram": "g",
    "kilogram": "kg", "second": "s", "sec": "s", "minute": "min", "hour": "h", "hr": "h", "degree": "^\\circ",
    "feet": "ft", "foot": "ft", "inche": "in", "inch": "in", "mile": "mi", "yard": "yd", "pound": "lb", "ounce": "oz",
    "dollar": "\\$", "cent": "cents", "liter": "l", "litre": "l",
}  # fmt: skip


def quantity(text: str) -> tuple[str, str] | None:
    r"""(number, unit) of a text that is a number followed by a unit or a counted noun.

    An expression that is no plain number has a unit only if `\text` marks it.
    """
    currency = re.fullmatch(r"\\\$\s*(\d.*)|(-)\s*\\\$\s*(\d.*)", text)
    if currency:
        value = currency[1] or f"-{currency[3]}"
        return (value, r"\$") if number(value) is not None else None
    found = _QUANTITY.fullmatch(text)
    if not found or (number(found["value"]) is None and not found["unit"].startswith(r"\text")):
        return None
    unit = without_text_commands(found["unit"]).strip(" .")
    if not _is_unit(unit, is_marked=found["unit"].startswith("\\") or found["unit"].startswith("^")):
        return None
    return found["value"], _unit_name(unit)


def _is_unit(unit: str, *, is_marked: bool) -> bool:
    words = re.findall(r"[a-zA-Z]+", unit)
    if any(word.lower() in _NO_UNITS for word in words) or len(words) > 4:
        return False
    return bool(unit) and (is_marked or unit in _BARE_UNITS or all(len(word) >= 3 for word in words))


def _unit_name(unit: str) -> str:
    name = unit.lower().removesuffix("s") if len(unit) > 2 else unit
    return _UNIT_NAMES.get(name, name)


_WORDS = re.compile(r"[a-zA-Z][a-zA-Z .'-]*")
_OPTION = re.compile(r"\(?([A-Za-z])\)?(?:\s*[:.)].*)?", re.DOTALL)


def words(text: str) -> str | None:
    """A text that is words only, in lower case; None for a single letter and for everything else."""
    plain = without_text_commands(text)
    is_words = _WORDS.fullmatch(plain) is not None and (text != plain or re.search("[a-zA-Z]{3}", plain))
    return plain.lower() if is_words and len(plain) > 1 else None


def option(text: str) -> str | None:
    """The letter of a choice, `(B)`, `b` or `B: because …`; None if the text is no choice."""
    found = _OPTION.fullmatch(without_text_commands(text))
    return found[1].upper() if found else None
