"""What a problem says about its answer: where the answer alone cannot decide, the question does."""

import re
from functools import cached_property
from itertools import permutations

from rlenvs.verifiers import counted, units

_PERCENT = re.compile(
    r"\b(?:what|which|how many|as an?|in|the|by what|find the) "
    r"(?:(?!(?:[a-z]*ty|[a-z]*teen|ten|five|hundred|half) )[a-z]+ ){0,2}percent",
    re.IGNORECASE,
)
_OPTION = re.compile(r"(?:(?<=\s)|^|(?<=\$))(?:\\(?:text|textbf|mathrm)\s*\{\s*)?\(?(?P<letter>[A-J])[).:]\s*\}?\s*~?")
_ALL_POSITIVE = re.compile(r"\b(?:all )?variables (?:are|represent|denote) (?:all )?positive", re.IGNORECASE)
_NAMES = r"((?:\$?[a-zA-Z]\$?(?:,? and |, )?)+)"
_POSITIVE = re.compile(
    rf"\bpositive (?:\w+ ){{0,2}}{_NAMES}(?![a-zA-Z])|{_NAMES} (?:(?:are|is|be) (?:all )?)?positive\b"
    r"|([a-zA-Z])\s*>\s*0",
    re.IGNORECASE,
)
_MATRICES = re.compile(r"\b(?:matri(?:x|ces)|operators?|linear maps?|group)\b", re.IGNORECASE)
_POINT = re.compile(r"\b(?:points?|coordinates|vertex|ordered pairs?|midpoint|cent(?:er|re)|vectors?)\b", re.IGNORECASE)
_FUNCTION = re.compile(r"\b(?:inverse|function)\b", re.IGNORECASE)
_RATIO = re.compile(r"\bratios?\b", re.IGNORECASE)
_ANGLE = re.compile(r"\b(?:in|to|into|how many|of) (degree|radian)s?\b", re.IGNORECASE)
_HOW_MANY = re.compile(
    r"\bhow many (?:more |fewer )?"
    r"((?:(?!(?:are|do|does|did|can|will|would|is|was|were|in|of|than|could|have|has)\b)[a-z-]+ ?)+)",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[a-zA-Z]{2,}")
_GENERAL = frozenset(counted.stem(noun) for noun in ("units", "people", "ways", "times", "points", "things", "items"))
_EVENTS = ("angle", "P(", "Pr(", "Prob(", "E(", "E[", "Var(", "Cov(")
_LABELS = frozenset((
    "answer", "finalanswer", "theanswer", "result", "solution", "solutions", "value", "total", "sum", "area",
    "perimeter", "volume", "surfacearea", "length", "width", "height", "radius", "diameter", "minimum",
    "maximum", "min", "max", "minimumvalue", "maximumvalue", "smallest", "largest", "mean", "median", "mode",
    "average", "range", "probability", "cost", "price", "totalcost", "distance", "time", "speed", "rate",
    "number", "count", "age", "slope", "remainder", "quotient", "product", "difference", "ratio", "profit",
    "weight", "mass", "angle", "degree", "order", "dimension", "rank", "determinant", "limit", "period",
    "amplitude", "frequency", "domain", "root", "roots", "zeros", "vertex", "center", "centre", "focus",
    "intercept",
))  # fmt: skip
_PER = frozenset(("per", "square", "cubic"))
_MEASURED = "length|distance|area|volume|height|width|time|speed|weight|mass|perimeter|radius|diameter|circumference"
_UNIT_NAME = r"((?:square |cubic )?[a-z]{2,}(?:(?: per |/)(?:square |cubic )?[a-z]+)?(?:\^\{?[23]\}?|[²³])?)"
_IN_UNIT = re.compile(
    r"\b(?:how many|convert\w*\b[^.?!]{1,60}? (?:to|into|in)"
    rf"|(?:answer|expressed?|measured|number|{_MEASURED})s?\b[^.?!]{{0,60}}?\b(?:in|of)|in) {_UNIT_NAME}",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.?!](?=\s|$)")
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
_FORMULA = re.compile(r"\$([^$]*)\$|\\\(([^$]*?)\\\)")
_PLAIN_NAME = r"(?:sqrt|sin|cos|tan|log|ln|gcd|lcm|max|min|exp|abs|floor|ceil|pi)(?![a-zA-Z])"
_PLAIN_SIGN = (
    rf"{_PLAIN_NAME}|(?<![a-zA-Z])[a-zA-Z](?![a-zA-Z])|[\d.]+[a-zA-Z]{{0,2}}(?![a-zA-Z])|\\[a-z]+"
    r"|[-+*/^(){}|=!,_<>]"
)
_PLAIN_FORMULA = re.compile(rf"(?:(?:{_PLAIN_SIGN})[ ]?){{2,80}}")
_SOUGHT = re.compile(
    r"\bsolv\w+\b[^.?!]{0,80}?\bfor\s+\$?([a-zA-Z])\$?(?![a-zA-Z])"
    r"|\bexpress\s+\$?([a-zA-Z])\$? (?:in terms|as)\b",
    re.IGNORECASE,
)
_REMARK = re.compile(r"\s*\([^()]*\)\s*$")
_ORDER = re.compile(
    r"\bin (?:\w+ ){0,2}(?:ascending|descending|increasing|decreasing|alphabetical|numerical|that|the given) order\b"
    r"|\brank\b|\brespectively\b|\b(?:list|give|write|what are|find) the first \w+ terms\b"
    r"|\bfrom (?:the )?(?:least|smallest|lowest|greatest|largest|highest) to\b",
    re.IGNORECASE,
)
_NAME_IN_ROW = re.compile(r"(?<![a-zA-Z\\])(?:\\[a-zA-Z]{2,7}|[a-zA-Z])(?:\(-?\w+\)|_\{?\w+\}?)?(?![a-zA-Z])")
_ROW = re.compile(
    r"\b(?:find|determine|compute|calculate|evaluate|what are|values? of)\s+(?:the values? of\s+)?"
    r"(?:(?:the |all |real |positive )*(?:constants|numbers|integers|coefficients|variables) )?"
    rf"(\$?{_NAME_IN_ROW.pattern}\$?(?:(?:,\s*(?:and\s+)?|\s+and\s+)\$?{_NAME_IN_ROW.pattern}\$?)+)(?![(^=])",
    re.IGNORECASE,
)
_LONGEST_TUPLE = 4
_ENDS = {"min", "max"}  # which their sizes tell apart
_VALUE = (
    "slope|intercept|[xy]-intercept|mean|median|mode|range|quotient|remainder|length|width|height|base|area|perimeter"
    "|volume|radius|diameter|minimum|maximum|cent(?:er|re)|domain|sum|product|difference|gcd|lcm|numerator|denominator"
    "|amplitude|period|real part|imaginary part|expectation|variance|standard deviation"
)
_PAIR = re.compile(
    rf"\b({_VALUE})\b(?: of [^.,?!]{{1,40}})? and (?:the |its |also the )*(?:\w+ )?({_VALUE})\b", re.IGNORECASE
)
_PARTS = re.compile(r"\(([a-d])\) (?:find|determine|compute|calculate|what|how)|\bhow many\b", re.IGNORECASE)
_ASKING = re.compile(
    r"\b(?:find|determine|compute|calculate|evaluate|solve for|what is|what are|values? of)\b"
    r"((?:[^.?!]|\.(?=\d)){0,60})",
    re.IGNORECASE,
)
_FIRST_FORMULA = re.compile(r"\s*(?:the (?:exact )?value of\s*)?\$([^$]+)\$")


def _is_more_than(name: str, asked: str) -> bool:
    """Whether what is asked for first is a formula about a letter, and not the letter: `$x + y$`."""
    found = _FIRST_FORMULA.match(asked)
    formula = found[1].strip() if found else name
    return (
        formula != name and re.search(rf"(?<![a-zA-Z\\]){name}(?![a-zA-Z])", formula) is not None and "=" not in formula
    )


_KINDS = [
    re.compile(r"(?<![a-zA-Z\\])[A-Z]{2}(?![a-zA-Z])"),
    re.compile(r"\\?angle ?[A-Z]{1,3}(?![a-zA-Z])"),
    re.compile(r"(?<![a-zA-Z\\])[a-zA-Z](?![a-zA-Z(_{'^])"),
    re.compile(r"(?<![a-zA-Z\\])[a-zA-Z]\(-?\w+\)"),
    re.compile(r"(?<![a-zA-Z\\])[a-zA-Z]_\{?\w+\}?"),
]


def _kind_of(name: str) -> re.Pattern[str] | None:
    """Which names are like this one: single letters, values of functions, letters with a subscript."""
    return next((kind for kind in _KINDS if kind.fullmatch(name)), None)


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
        return bool(_PERCENT.search(self._asking)) and "%" not in self._asking

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
    def positive(self) -> frozenset[str]:
        """The letters that it says are positive."""
        if _ALL_POSITIVE.search(self.text):
            return self.letters
        named = [found[1] or found[2] or found[3] for found in _POSITIVE.finditer(self.text)]
        return frozenset(letter for names in named for letter in _LETTER.findall(names))

    @cached_property
    def is_about_matrices(self) -> bool:
        """Whether its capital letters may be matrices or operators, whose products have an order."""
        return bool(_MATRICES.search(self.text))

    @cached_property
    def asks_point(self) -> bool:
        """Whether it asks for a point: then `(1, 2)` is no interval."""
        return bool(_POINT.search(self._asking))

    @cached_property
    def asks_function(self) -> bool:
        """Whether it asks for a function, which its equation solved for the argument is not."""
        return bool(_FUNCTION.search(self._asking))

    @cached_property
    def asks_ratio(self) -> bool:
        """Whether it is about a ratio."""
        return bool(_RATIO.search(self.text))

    @cached_property
    def unit(self) -> str:
        """The unit that it asks the answer in, `How many meters`, `in square feet`; empty where it names none."""
        found = _IN_UNIT.search(self._asking)
        name = found[1].lower() if found else ""
        return name if name and all(units.is_known(word) for word in name.split() if word not in _PER) else ""

    @cached_property
    def names_angles(self) -> str:
        """Which of degree and radian it asks for an angle in; empty where it does not say."""
        found = _ANGLE.search(self.text)
        return found[1].lower() if found else ""

    @cached_property
    def counts(self) -> bool:
        """Whether it asks how many there are of something that is no unit."""
        found = _HOW_MANY.search(self._asking)
        return found is not None and not any(map(units.is_known, found[1].split()))

    def is_about(self, nouns: str) -> bool:
        """Whether what is counted may be what it asks for: a noun of its own, or one that says nothing."""
        if not self.text:
            return True
        counting = _HOW_MANY.search(self.text)
        stems = {counted.stem(word) for word in _WORDS.findall(counting[1] if counting else self.text)} | _GENERAL
        return any(counted.stem(noun) in stems for noun in _WORDS.findall(nouns))

    def may_label(self, label: str) -> bool:
        """Whether these words may stand before an answer, `Minimum: 1`: they are its own, or say nothing against it."""
        noun, _, of = label.partition("of")
        if len(label) == 1 or (noun in _LABELS and len(of) == 1):
            return not self.seeks_another(of or label)
        words = _LABELS | {word.lower() for word in _WORDS.findall(self.text)} if self.text else _LABELS
        spelled = "".join(_WORDS.findall(self.text)).lower()
        return label in words or label.startswith(_EVENTS) or label in spelled or noun in _LABELS

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
        return bool(_APPROXIMATE.search(self._asking)) and not _EXACT.search(self.text)

    @cached_property
    def formulas(self) -> tuple[str, ...]:
        """The formulas in it, set as such or between words, twenty at most."""
        formulas = [found[1] or found[2] or "" for found in _FORMULA.finditer(self.text)]
        plain = [found[0].strip(" .,") for found in _PLAIN_FORMULA.finditer(_FORMULA.sub(" ", self.text))]
        return tuple(formula for formula in [*formulas, *plain] if formula.strip())[:20]

    @cached_property
    def equations(self) -> tuple[str, ...]:
        """The equations among its formulas."""
        return tuple(formula for formula in self.formulas if "=" in formula)

    @cached_property
    def sought(self) -> frozenset[str]:
        """The letters that are to be solved for."""
        return frozenset(found[1] or found[2] for found in _SOUGHT.finditer(self.text))

    @cached_property
    def _compact(self) -> str:
        """The text without blanks and what LaTeX adds to names."""
        return re.sub(r"[\s${}\\]|\\(?:text|mathrm|left|right|,)", "", self.text)

    def has_ratio(self, one: str, other: str) -> bool:
        """Whether it speaks of the ratio of two names in this order."""
        return bool(one and other) and any(f"{one}{sign}{other}" in self._compact for sign in (":", "/", "to", "and"))

    def seeks_another(self, name: str) -> bool:
        """Whether it asks for the value of another name of the same kind: for x and not y, for f(3) and not f(7)."""
        kind = _kind_of(name)
        if kind is None:
            return False
        found = [each for asking in _ASKING.finditer(self.text) for each in kind.findall(asking[1])]
        names = {re.sub(r"[\s${}\\]", "", each) for each in found}
        if len(name) == 1 and any(_is_more_than(name, asking[1]) for asking in _ASKING.finditer(self.text)):
            return True
        is_known = bool(kind.search(self.text)) and name in self._compact
        return bool(names) and name not in names and (is_known or len(name) > 1)

    @cached_property
    def _asking(self) -> str:
        """Its last sentence, what is in brackets behind it left out."""
        sentences = [each for each in _SENTENCE.split(_REMARK.sub("", self.text)) if each.strip()]
        return sentences[-1] if sentences else ""

    def asks_order(self, num_items: int) -> bool:
        """Whether the order of answers says what they are: it asks for one, or for as many names in a row."""
        if _ORDER.search(self._asking):
            return True
        if num_items == 2 and (pair := _PAIR.search(self.text)) and {pair[1][:3].lower(), pair[2][:3].lower()} != _ENDS:
            return True
        if num_items > 1 and len(_PARTS.findall(self.text)) == num_items:
            return True
        names = [_NAME_IN_ROW.findall(row[1]) for row in _ROW.finditer(self.text)]
        return num_items > 1 and any(len(row) == num_items for row in names)

    def order_of(self, names: list[str]) -> list[str]:
        """These names in the order in which it asks for them; as they are, where it does not."""
        rows = [_NAME_IN_ROW.findall(row[1]) for row in _ROW.finditer(self.text)]
        if (row := next((row for row in rows if set(names) <= set(row)), None)) is not None:
            return sorted(names, key=row.index)
        places = {name: self._compact.lower().find(name.lower()) for name in names}
        is_worded = all(len(name) > 1 for name in names) and -1 not in places.values()
        return sorted(names, key=lambda name: places[name]) if is_worded else names

    def tuple_of(self, names: list[str]) -> list[str] | None:
        """The order in which a tuple in it, `(m, b)`, has these names."""
        orders = permutations(names) if len(names) <= _LONGEST_TUPLE else ()
        return next((list(order) for order in orders if f"({','.join(order)})" in self._compact), None)

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
