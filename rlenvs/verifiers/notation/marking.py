"""Marking what stands behind a number and is no mathematics: units, counted nouns, `percent`, `million`."""

import re

from rlenvs.verifiers import units
from rlenvs.verifiers.notation import lexer

_UNIT_NAME = r"(?!(?:and|or)\b)[a-zA-Z]++(?:\s*\^\s*\{?[1-4]\}?)?"
_PHRASE = re.compile(
    rf"(?<=[\d}})!])(?P<blank>\s*+)(?P<unit>{_UNIT_NAME}(?:(?:\s++|\s*+[/.]\s*+){_UNIT_NAME})*+)"
    r"(?=\s*+\.?\s*+(?:$|[,;=)\]\d]|(?:\\text\s*\{\s*)?(?:and|or)\b))"
)
_NUMBER_WORDS = {
    "dozen": "12",
    "hundred": "100",
    "thousand": "1000",
    "million": "10^6",
    "billion": "10^9",
    "trillion": "10^{12}",
}
_SCALED = re.compile(rf"(?<=\d)\s*(?:\\text\s*\{{\s*)?({'|'.join(_NUMBER_WORDS)})(?![a-zA-Z])(?P<rest>[^{{}}]*\}})?")
_PERCENT = re.compile(r"(?<=[\d}])\s*(?:\\text\s*\{\s*)?(?:percent(?:age)?|pct)(?![a-zA-Z])(?:\s*\})?")


def with_units(text: str) -> str:
    r"""The text with units and counted nouns behind numbers in `\text{…}`, and `5 million` as a product."""
    text = _SCALED.sub(_as_factor, text)
    return _PHRASE.sub(_as_unit, _PERCENT.sub("%", text))


def _as_factor(word: re.Match[str]) -> str:
    rest = (word["rest"] or "").removesuffix("}").strip()
    unit = rf"\text{{{rest}}}" if rest and "text" in word[0] else rest
    return rf" \cdot {_NUMBER_WORDS[word[1]]} {unit}"


_GLUED = frozenset(
    [
        "cm",
        "in",
        "ft",
        "yd",
        "km",
        "mm",
        "kg",
        "mph",
        "lb",
        "lbs",
        "oz",
        "mi",
        "min",
        "sec",
        "meters",
        "dollars",
        "cents",
        "hours",
        "days",
        "minutes",
        "feet",
        "inches",
        "degrees",
    ]
)


def _as_unit(found: re.Match[str]) -> str:
    names = re.findall("[a-zA-Z]+", found["unit"])
    first = names[0]
    if first in ("and", "or", "mod") or (len(first) > 2 and lexer.is_name(first) and not units.is_known(first)):
        return found[0]
    if len(first) == 1 and not found.string[found.start() - 1 : found.start()].isdigit():  # \sqrt{2} s: a name, no unit
        return found[0]
    is_noun = len(first) > 2 and not lexer.is_letters(first) and bool(found["blank"])
    is_glued = "^" in found["unit"]
    if is_noun or all(units.is_known(name) and (found["blank"] or is_glued or name in _GLUED) for name in names):
        return rf"{found['blank']}\text{{{found['unit'].replace('{', '').replace('}', '')}}}"
    return found[0]
