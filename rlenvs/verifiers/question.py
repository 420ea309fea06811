"""What a problem says about its answer: where the answer alone cannot decide, the question does."""

import re
from functools import cached_property

from rlenvs.verifiers import units

_PERCENT = re.compile(
    r"\b(?:what|which|how many|as an?|in|the|by what|find the) (?:[a-z]+ ){0,2}percent", re.IGNORECASE
)
_RATIO = re.compile(r"\bratios?\b", re.IGNORECASE)
_PER = frozenset(("per", "square", "cubic"))
_IN_UNIT = re.compile(
    r"\b(?:how many|(?:answer|expressed?|measured|number|length|distance|area|volume|height|width|time|speed|weight"
    r"|mass|perimeter|radius|diameter|circumference)s?\b[^.?!]{0,60}?\b(?:in|of)|in) "
    r"((?:square |cubic )?[a-z]{2,}(?: per (?:square |cubic )?[a-z]+)?)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.?!](?=\s|$)")
_BASE = re.compile(r"\bbase[\s-]*(?:\$)?(\d+|two|three|four|five|six|seven|eight|nine)", re.IGNORECASE)
_SPELLED = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9}
_LIST = re.compile(r"separated by commas|comma[- ]separated|separate .{0,40}commas|list all", re.IGNORECASE)
_NEAREST = re.compile(r"\bto the nearest[- ]+(?:whole )?([a-z]+)", re.IGNORECASE)
_PLACES = {"tenth": 1, "hundredth": 2, "thousandth": 3, "cent": 2, "penny": 2}
_DECIMALS = re.compile(r"\b(\d|one|two|three|four|five|six) decimal (?:place|digit)", re.IGNORECASE)
_COUNTED = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_APPROXIMATE = re.compile(r"\bapproximat|\bround(?:ed|ing)? (?:off|to|your|the)\b|\babout how\b", re.IGNORECASE)
_TUPLE = re.compile(r"\(([a-zA-Z](?:\s*,\s*[a-zA-Z])+)\)")
_EXACT = re.compile(
    r"exact|simplest|simplif|fraction|lowest terms|reduced|mixed number|in terms of|\\frac\{m\}|m\s*/\s*n|form \$",
    re.IGNORECASE,
)
_FORMULA = re.compile(r"\$([^$]*)\$|\\\(([^$]*?)\\\)")
_TERM = r"(?:(?<![a-zA-Z])[a-zA-Z](?![a-zA-Z])|[\d.]+[a-zA-Z]{0,2}(?![a-zA-Z])|[-+*/^()_{}|]|\\[a-z]+|[ ])"
_PLAIN_EQUATION = re.compile(rf"{_TERM}{{1,80}}=(?:{_TERM}|=){{1,80}}")
_SOUGHT = re.compile(
    r"\bsolv\w+\b[^.?!]{0,80}?\bfor\s+\$?([a-zA-Z])\$?(?![a-zA-Z])|\bexpress\s+\$?([a-zA-Z])\$? (?:in terms|as)\b",
    re.IGNORECASE,
)
_RUN = re.compile(r"(?<![a-zA-Z\\])[a-zA-Z]{1,4}(?![a-zA-Z])")
_BESIDE_SIGNS = re.compile(
    r"(?<![a-zA-Z\\])[a-zA-Z]{1,3}(?=\s*[=+*/^_<>(])|(?<=[=+*/^_<>)\d])\s*[a-zA-Z]{1,3}(?![a-zA-Z])"
)
_TEXT = re.compile(r"\\(?:text|mathrm|operatorname)\s*\{[^{}]*\}")
_EVERYDAY_WORDS = 12
_LETTER = re.compile(r"(?<![a-zA-Z\\])[a-zA-Z](?![a-zA-Z])")


class Question:
    """The text of a problem, empty where it is not known."""

    def __init__(self, text: str = "") -> None:
        self.text = text

    @cached_property
    def asks_percent(self) -> bool:
        """Whether the answer is a percentage, with or without its sign."""
        asking = [sentence for sentence in _SENTENCE.split(self.text) if sentence.strip()]
        return bool(asking) and bool(_PERCENT.search(asking[-1])) and "%" not in asking[-1]

    @cached_property
    def asks_ratio(self) -> bool:
        """Whether it is about a ratio."""
        return bool(_RATIO.search(self.text))

    @cached_property
    def unit(self) -> str:
        """The unit that it asks the answer in, `How many meters`, `in square feet`; empty where it names none."""
        asking = [sentence for sentence in _SENTENCE.split(self.text) if sentence.strip()]
        found = _IN_UNIT.search(asking[-1]) if asking else None
        name = found[1].lower() if found else ""
        return name if name and all(units.is_known(word) for word in name.split() if word not in _PER) else ""

    @cached_property
    def bases(self) -> frozenset[int]:
        """The bases of number systems that it names."""
        return frozenset(_SPELLED.get(found.lower(), 0) or int(found) for found in _BASE.findall(self.text))

    @cached_property
    def asks_list(self) -> bool:
        """Whether several answers are to be separated by commas."""
        return bool(_LIST.search(self.text))

    @cached_property
    def places(self) -> int | None:
        """How many decimals a rounded answer is to have; None where it does not ask to round."""
        if found := _NEAREST.search(self.text):
            return _PLACES.get(found[1].lower(), 0)
        if found := _DECIMALS.search(self.text):
            return int(_COUNTED.get(found[1].lower(), 0) or found[1])
        return 0 if _APPROXIMATE.search(self.text) else None

    @cached_property
    def equations(self) -> tuple[str, ...]:
        """The equations in it, in formulas or between words, twenty at most."""
        formulas = [found[1] or found[2] or "" for found in _FORMULA.finditer(self.text)]
        plain = [found[0].strip(" .,") for found in _PLAIN_EQUATION.finditer(_FORMULA.sub(" ", self.text))]
        return tuple(formula for formula in [*formulas, *plain] if "=" in formula)[:20]

    @cached_property
    def sought(self) -> frozenset[str]:
        """The letters that are to be solved for."""
        return frozenset(found[1] or found[2] for found in _SOUGHT.finditer(self.text))

    def tuple_of(self, names: list[str]) -> list[str] | None:
        """The order in which a tuple in it, `(m, b)`, has these names."""
        for found in _TUPLE.finditer(self.text):
            parts = [part.strip() for part in found[1].split(",")]
            if sorted(parts) == sorted(names):
                return parts
        return None

    @cached_property
    def is_everyday(self) -> bool:
        """Whether it is about people and things: words without variables, and no exact form is asked for.

        There a rounded number is as good as the fraction; in mathematics proper it is no answer.
        """
        formulas = "".join(found[1] or found[2] or "" for found in _FORMULA.finditer(self.text))
        has_variables = bool(_RUN.search(_TEXT.sub("", formulas)))
        return len(self.text.split()) >= _EVERYDAY_WORDS and not has_variables and not _EXACT.search(self.text)

    @cached_property
    def letters(self) -> frozenset[str]:
        """The letters that are names in it: single ones, and all in its formulas."""
        formulas = "".join(found[1] or found[2] or "" for found in _FORMULA.finditer(self.text))
        inside = {letter for run in _RUN.findall(formulas) for letter in run}
        beside = {letter for run in _BESIDE_SIGNS.findall(self.text) for letter in run.strip()}
        return frozenset(_LETTER.findall(self.text)) | inside | beside
