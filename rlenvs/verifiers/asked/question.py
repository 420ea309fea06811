"""What a problem says about its answer: where the answer alone cannot decide, the question does."""

import re
from functools import cached_property

from rlenvs.verifiers import counted, units
from rlenvs.verifiers.asked.asking import RUN, set_formulas
from rlenvs.verifiers.asked.names import WORDS, Names

_PERCENT = re.compile(
    r"\b(?:what|which|how many|as an?|in|the|by what|find the) "
    r"(?:(?!(?:[a-z]*ty|[a-z]*teen|ten|five|hundred|half) )[a-z]+ ){0,2}percent",
    re.IGNORECASE,
)

_OPTION = re.compile(r"(?:(?<=\s)|^|(?<=\$))(?:\\(?:text|textbf|mathrm)\s*\{\s*)?\(?(?P<letter>[A-J])[).:]\s*\}?\s*~?")

_MATRICES = re.compile(r"\b(?:matri(?:x|ces)|operators?|linear maps?|group|cross product)\b", re.IGNORECASE)

_POINT = re.compile(
    r"\b(?:points?|coordinates|vertex|ordered pairs?|midpoint|cent(?:er|re)|vectors?)\b|\([a-z],\s*[a-z]\)",
    re.IGNORECASE,
)

_TUPLE = re.compile(r"\bordered (?:pair|triple|triplet|quadruple|tuple)\b", re.IGNORECASE)

_SIZE = re.compile(
    r"\b(?:find|what is|compute|determine|calculate) the (?:total |surface )*(area|volume)\b", re.IGNORECASE
)
_POWERS_OF_LENGTH = {"area": 2, "volume": 3}

_FUNCTION = re.compile(r"\b(?:inverse|function)\b", re.IGNORECASE)

_STRING = re.compile(r"\b(?:strings?|code|password|codeword|passcode|binary word)\b", re.IGNORECASE)
_RATIO = re.compile(r"\bratios?\b", re.IGNORECASE)

_ANGLE = re.compile(r"\b(?:in|to|into|how many|of) (degree|radian)s?\b", re.IGNORECASE)

_HOW_MANY = re.compile(
    r"\bhow many (?:more |fewer )?"
    r"((?:(?!(?:are|do|does|did|can|will|would|is|was|were|in|of|than|could|have|has)\b)[a-z-]+ ?)+)",
    re.IGNORECASE,
)


_GENERAL = frozenset(counted.stem(noun) for noun in ("units", "people", "ways", "times", "points", "things", "items"))

_MICRO = re.compile(r"\\mu\s*|[µμ]")
_NOTATION = re.compile(r"\$|\\(?:text|mathrm|rm|mbox)\s*(?=\{)|(?<=\{)\s+|[{}]")  # `$\text{cm}^2$` is cm^2

_MEASURED = (
    "length|distance|area|volume|height|width|time|speed|weight|mass|perimeter|radius|diameter|circumference|temperature"
    "|energy|wavelength|velocity|cost|price"
)

_UNIT_NAME = (
    r"(degrees? (?:celsius|fahrenheit|[CF]\b)|(?:square |cubic )?[a-z]{2,}(?:(?: per |/)(?:square |cubic )?[a-z]+)?"
    r"(?:\^\{?[23]\}?|[²³])?|[a-z]{1,3}/[a-z]{1,3}(?:\^\{?[23]\}?|[²³])?|[mgsLJN](?![a-zA-Z0-9]))"
)

_IN_UNIT = re.compile(
    r"\b(?:how many|convert\w*\b[^.?!]{1,60}? (?:to|into|in)"
    rf"|(?:answer|expressed?|measured|number|{_MEASURED})s?\b[^.?!]{{0,60}}?\b(?:in|of)|in) {_UNIT_NAME}",
    re.IGNORECASE,
)

_BASE = re.compile(
    r"\bbase[\s-]*(?:\$)?(?P<base>\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|sixteen)", re.IGNORECASE
)

_SYSTEM = re.compile(r"(?<=to |in |as )(?:an? )?(?P<base>binary|octal|hexadecimal)\b", re.IGNORECASE)

_TARGET = re.compile(r"\b(?:to|in|into|as an?|as)\s*(?:\$)?$", re.IGNORECASE)

_SPELLED = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
    "sixteen": 16, "binary": 2, "octal": 8, "hexadecimal": 16, "decimal": 10,
}  # fmt: skip

_LIST = re.compile(
    r"separated by (?:a )?commas?|comma[- ]separated|separate .{0,40}commas|list all"
    r"|\b(?:both|two|three|four|all|the) (?:\w+ ){0,2}(?:solutions|roots|values|integers|numbers|zeros)\b",
    re.IGNORECASE,
)

_NO_LIST = re.compile(r"\b(?:sum|product|number|average|mean|difference|total) of\b|\bhow many\b", re.IGNORECASE)

_TIME = re.compile(
    r"\b(?:what|which) time\b|\bwhen (?:does|do|did|will|should|is|was)\b|o'clock|\bclock\b", re.IGNORECASE
)

_AFTERNOON = re.compile(r"\bafternoon\b|\bevening\b|\bp\.?m\b", re.IGNORECASE)

_NEAREST = re.compile(r"\bto the nearest[- ]+(?:whole )?([a-z]+(?:-[a-z]+)?)( of a percent)?", re.IGNORECASE)

_PLACES = {
    "tenth": 1, "hundredth": 2, "thousandth": 3, "ten-thousandth": 4, "hundred-thousandth": 5, "millionth": 6,
    "cent": 2, "penny": 2,
}  # fmt: skip

_DECIMALS = re.compile(
    r"\b(\d|one|two|three|four|five|six) (?:decimal (?:place|digit)|decimals\b|d\.?p\.?(?![a-z]))", re.IGNORECASE
)

_COUNTED = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}

_APPROXIMATE = re.compile(r"\bapproximat|\bround(?:ed|ing)? (?:off|to|your|the)\b|\babout how\b", re.IGNORECASE)

_EXACT = re.compile(
    r"exact|simplest|simplif|fraction|lowest terms|reduced (?:form|fraction)|mixed number|in terms of"
    r"|\\frac\{m\}|m\s*/\s*n|form \$",
    re.IGNORECASE,
)

_TEXT = re.compile(r"\\(?:text|mathrm|operatorname)\s*\{[^{}]*\}")

_EVERYDAY_WORDS = 12


class Question(Names):
    """The text of a problem, empty where it is not known."""

    @cached_property
    def asks_percent(self) -> bool:
        """Whether the answer is a percentage, with or without its sign."""
        return bool(_PERCENT.search(self.asking)) and "%" not in self.asking

    @cached_property
    def asks_amount(self) -> bool:
        """Whether it says what the answer is measured in: a unit, a percentage, or how many there are of something."""
        return bool(self.unit) or self.asks_percent or self.counts

    @cached_property
    def asks_tuple(self) -> bool:
        """Whether it asks for one tuple: then its coordinates may stand without brackets."""
        return bool(_TUPLE.search(self.asking))

    @cached_property
    def power(self) -> int | None:
        """To which power a length is what it asks for: 2 for an area, 3 for a volume; None where it does not say."""
        found = _SIZE.search(self.asking)
        return _POWERS_OF_LENGTH[found[1].lower()] if found else None

    @cached_property
    def options(self) -> dict[str, str]:
        """The texts of its choices by their letters; empty where it has none."""
        marks = list(_OPTION.finditer(self.text))
        found: dict[str, str] = {}
        for mark, after in zip(marks, [*marks[1:], None], strict=False):
            if mark["letter"] == chr(ord("A") + len(found)):
                found[mark["letter"]] = self.text[mark.end() : after.start() if after else None].strip(" \n,;$.")
        return found if len(found) > 1 else {}

    @cached_property
    def is_about_matrices(self) -> bool:
        """Whether its capital letters may be matrices or operators, whose products have an order."""
        return bool(_MATRICES.search(self.text))

    @cached_property
    def asks_point(self) -> bool:
        """Whether it asks for a point: then `(1, 2)` is no interval."""
        return bool(_POINT.search(self.asking))

    @cached_property
    def asks_function(self) -> bool:
        """Whether it asks for a function, which its equation solved for the argument is not."""
        return bool(_FUNCTION.search(self.asking))

    @cached_property
    def asks_string(self) -> bool:
        """Whether it asks for signs in a row, of which none may change its place."""
        return bool(_STRING.search(self.asking))

    @cached_property
    def asks_ratio(self) -> bool:
        """Whether it is about a ratio."""
        return bool(_RATIO.search(self.text))

    @cached_property
    def unit(self) -> str:
        """The unit that it asks the answer in, `How many meters`, `in square feet`; empty where it names none."""
        found = _IN_UNIT.search(_MICRO.sub("u", _NOTATION.sub("", self.asking)))
        for name in (found[1], found[1].lower()) if found else ():
            measured = units.unit(name)
            if measured is not None and units.is_measure(measured):
                return name
        return ""

    @cached_property
    def names_angles(self) -> str:
        """Which of degree and radian it asks for an angle in; empty where it does not say."""
        found = _ANGLE.search(self.text)
        return found[1].lower() if found else ""

    @cached_property
    def counts(self) -> bool:
        """Whether it asks how many there are of something that is no unit."""
        found = _HOW_MANY.search(self.asking)
        return found is not None and not any(map(units.is_known, found[1].split()))

    def is_about(self, nouns: str) -> bool:
        """Whether what is counted may be what it asks for: a noun of its own, or one that says nothing."""
        if not self.text:
            return True
        counting = _HOW_MANY.search(self.text)
        stems = {counted.stem(word) for word in WORDS.findall(counting[1] if counting else self.text)} | _GENERAL
        return any(counted.stem(noun) in stems for noun in WORDS.findall(nouns))

    @cached_property
    def bases(self) -> frozenset[int]:
        """The bases of number systems that it asks for; where it names several, those that follow `to` or `in`."""
        named = [*_BASE.finditer(self.text), *_SYSTEM.finditer(self.text)]
        bases = {found: _SPELLED.get(found["base"].lower(), 0) or int(found["base"]) for found in named}
        if len(set(bases.values())) > 1:
            bases = {found: base for found, base in bases.items() if _TARGET.search(self.text[: found.start()])}
        return frozenset(bases.values())

    @cached_property
    def asks_list(self) -> bool:
        """Whether it asks for several values: then commas separate them, and no thousands."""
        return bool(_LIST.search(self.text)) and not _NO_LIST.search(self.text)

    @cached_property
    def asks_time(self) -> bool:
        """Whether it asks for a time of day."""
        return bool(_TIME.search(self.text))

    @cached_property
    def is_in_afternoon(self) -> bool:
        """Whether a time that it asks for is past noon."""
        return bool(_AFTERNOON.search(self.text))

    @cached_property
    def places(self) -> int | None:
        """How many decimals a rounded answer is to have; None where it does not ask to round."""
        percent = 2 if self.asks_percent else 0  # a tenth of a percent is a thousandth
        if found := _NEAREST.search(self.text):
            name = found[1].lower()
            return _PLACES[name] + max(percent, 2 if found[2] else 0) if name in _PLACES else 0
        if found := _DECIMALS.search(self.text):
            return int(_COUNTED.get(found[1].lower(), 0) or found[1]) + percent
        return None

    @cached_property
    def asks_approximation(self) -> bool:
        """Whether it asks for a rounded number without saying how many digits, and for no exact form."""
        return bool(_APPROXIMATE.search(self.asking)) and not _EXACT.search(self.text)

    @cached_property
    def is_everyday(self) -> bool:
        """Whether it is about people and things: words without variables, and no exact form is asked for.

        There a rounded number is as good as the fraction; in mathematics proper it is no answer.
        """
        formulas = "".join(set_formulas(self.text))
        has_variables = bool(RUN.search(_TEXT.sub("", formulas)))
        return len(self.text.split()) >= _EVERYDAY_WORDS and not has_variables and not _EXACT.search(self.text)
