"""Which names a problem asks for, in which order, and what it says of its letters."""

import re
from functools import cached_property
from itertools import permutations

from rlenvs.verifiers.asked.asking import LETTER, Asking

_ALL_POSITIVE = re.compile(r"\b(?:all )?variables (?:are|represent|denote) (?:all )?positive", re.IGNORECASE)

_NAMES = r"((?:\$?(?<![a-zA-Z])[a-zA-Z](?![a-zA-Z])\$?(?:,? and |, )?)+)"

_POSITIVE = re.compile(
    rf"\bpositive (?:\w+ ){{0,2}}{_NAMES}(?![a-zA-Z])|{_NAMES} (?:(?:are|is|be) (?:all )?)?positive\b"
    r"|([a-zA-Z])\s*>\s*0",
    re.IGNORECASE,
)

WORDS = re.compile(r"[a-zA-Z]{2,}")

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

_STEM = 4  # letters of a word that tell which quantity it is
_QUANTITIES = frozenset(
    noun[:_STEM]
    for noun in (
        "area", "perimeter", "volume", "surface", "length", "width", "height", "radius", "diameter", "minimum",
        "maximum", "mean", "median", "mode", "sum", "product", "difference", "quotient", "remainder", "slope",
        "intercept", "numerator", "denominator", "amplitude", "period",
    )
)  # fmt: skip

_SOUGHT = re.compile(
    r"\bsolv\w+\b[^.?!]{0,80}?\bfor\s+\$?([a-zA-Z])\$?(?![a-zA-Z])"
    r"|\bexpress\s+\$?([a-zA-Z])\$? (?:in terms|as)\b",
    re.IGNORECASE,
)

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

_FIRST_FORMULA = re.compile(
    r"\s*(?:the (?:exact )?value of\s*)?(?:\$([^$]+)\$|([a-zA-Z\d](?:\s?[-+*/^]\s?[a-zA-Z\d])+)(?![a-zA-Z]))"
)


def _is_more_than(name: str, asked: str) -> bool:
    """Whether what is asked for first is a formula about a letter, and not the letter: `$x + y$`."""
    found = _FIRST_FORMULA.match(asked)
    formula = (found[1] or found[2]).strip() if found else name
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


class Names(Asking):
    """What a problem says about names."""

    @cached_property
    def sought(self) -> frozenset[str]:
        """The letters that are to be solved for."""
        return frozenset(found[1] or found[2] for found in _SOUGHT.finditer(self.text))

    @cached_property
    def positive(self) -> frozenset[str]:
        """The letters that it says are positive."""
        if _ALL_POSITIVE.search(self.text):
            return self.letters
        named = [found[1] or found[2] or found[3] for found in _POSITIVE.finditer(self.text)]
        return frozenset(letter for names in named for letter in LETTER.findall(names))

    def has_ratio(self, one: str, other: str) -> bool:
        """Whether it speaks of the ratio of two names in this order."""
        return bool(one and other) and any(f"{one}{sign}{other}" in self.compact for sign in (":", "/", "to", "and"))

    def seeks_another(self, name: str) -> bool:
        """Whether it asks for the value of another name of the same kind: for x and not y, for f(3) and not f(7)."""
        kind = _kind_of(name)
        if kind is None:
            return False
        function = re.match(r"([a-zA-Z])\(", name)
        if function and re.search(rf"{function[1]}(?:'|\^-1|\^prime)", re.sub(r"[\s${{}}\\]", "", self.asking)):
            return re.search(rf"{function[1]}\(", self.asking) is None  # it asks for f', or for the inverse
        found = [each for asking in _ASKING.finditer(self.text) for each in kind.findall(asking[1])]
        names = {re.sub(r"[\s${}\\]", "", each) for each in found}
        if len(name) == 1 and any(_is_more_than(name, asking[1]) for asking in _ASKING.finditer(self.text)):
            return True
        is_known = bool(kind.search(self.text)) and name in self.compact
        return bool(names) and name not in names and (is_known or len(name) > 1)

    def may_label(self, label: str) -> bool:
        """Whether these words may stand before an answer, `Minimum: 1`: they are its own, or say nothing against it."""
        noun, _, of = label.partition("of")
        if len(label) == 1 or (noun in _LABELS and len(of) == 1):
            return not self.seeks_another(of or label)
        if self._asks_other_quantity(noun) or self._asks_other_angle(label):
            return False
        words = _LABELS | {word.lower() for word in WORDS.findall(self.text)} if self.text else _LABELS
        spelled = "".join(WORDS.findall(self.text)).lower()
        return label in words or label.startswith(_EVENTS) or label in spelled or noun in _LABELS

    def _asks_other_quantity(self, noun: str) -> bool:
        """Whether it asks for the perimeter, and this is an area."""
        asked = {word.lower()[:_STEM] for word in WORDS.findall(self.asking)} & _QUANTITIES
        return noun[:_STEM] in _QUANTITIES and bool(asked) and noun[:_STEM] not in asked

    def _asks_other_angle(self, label: str) -> bool:
        """Whether it asks for angle ABC, and this is another one."""
        angle = label.removeprefix("angle")
        asked = re.findall(r"angle([A-Z]{1,3})(?![A-Z])", re.sub(r"[\s${}\\]|\\left|\\right", "", self.asking))
        return angle != label and bool(asked) and not {angle, angle[::-1]} & set(asked)

    def asks_order(self, num_items: int) -> bool:
        """Whether the order of answers says what they are: it asks for one, or for as many names in a row."""
        if _ORDER.search(self.asking):
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
        places = {name: self.compact.lower().find(name.lower()) for name in names}
        is_worded = all(len(name) > 1 for name in names) and -1 not in places.values()
        return sorted(names, key=lambda name: places[name]) if is_worded else names

    def tuple_of(self, names: list[str]) -> list[str] | None:
        """The order in which a tuple in it, `(m, b)`, has these names."""
        orders = permutations(names) if len(names) <= _LONGEST_TUPLE else ()
        return next((list(order) for order in orders if f"({','.join(order)})" in self.compact), None)
