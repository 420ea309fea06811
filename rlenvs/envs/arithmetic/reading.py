"""Reading expressions in x that a policy wrote, as they are written. What they are equal to is `algebra`'s.

The grammar is small on purpose (numbers, x, + - * / ^, brackets, sin, cos, exp): nothing is evaluated, and length and
nesting are bounded, so that no reply can run code or take long. What does not fit is None.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

MAX_CHARACTERS = 200
MAX_EXPONENT = 12
MAX_DEPTH = 20  # of brackets in brackets

FUNCTIONS = ("sin", "cos", "exp")
_TOKEN = re.compile(r"\s*(?:([0-9]{1,12}(?:\.[0-9]{1,12})?)|(sin|cos|exp|x|e)|([-+*/^()]))", re.ASCII)
_SPELLINGS = (
    (r"\left", ""), (r"\right", ""), (r"\cdot", "*"), (r"\times", "*"), (r"\sin", "sin"), (r"\cos", "cos"),
    (r"\exp", "exp"), ("**", "^"), ("·", "*"), ("×", "*"), ("−", "-"), ("{", "("), ("}", ")"), ("$", ""),
)  # fmt: skip
_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


@dataclass(frozen=True, slots=True)
class Node:
    """A piece of an expression as it was written.

    `kind` is number, x, sum, product, quotient, power, minus or a function's name; `value` is the number, or the
    exponent of a power.
    """

    kind: str
    parts: tuple["Node", ...] = ()
    value: Fraction = Fraction(0)


class UnreadableError(ValueError):
    """Not of the grammar, or too large."""


def parse(text: str) -> Node | None:
    """The expression as written, or None where it cannot be read."""
    if len(text) > MAX_CHARACTERS:
        return None
    try:
        return _Reader(text).whole()
    except UnreadableError:
        return None


class _Reader:
    """Recursive descent over the tokens."""

    def __init__(self, text: str) -> None:
        text = _RAISED.sub(lambda digits: f"^{digits[0].translate(_LOWERED)}", text)
        for written, meant in _SPELLINGS:
            text = text.replace(written, meant)
        self.tokens: list[str] = []
        self.place = self.depth = 0
        position, text = 0, text.strip()
        while position < len(text):
            token = _TOKEN.match(text, position)
            if token is None:
                raise UnreadableError(text[position:])
            self.tokens.append(token[0].strip())
            position = token.end()

    def whole(self) -> Node:
        node = self.sum()
        if self.next:
            raise UnreadableError(self.next)
        return node

    @property
    def next(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        """The next token if it is one of these; else ""."""
        token = self.next if self.next in wanted else ""
        self.place += bool(token)
        return token

    def sum(self) -> Node:
        terms = [self.signed()]
        while sign := self.take("+", "-"):
            term = self.signed()
            terms.append(Node("minus", (term,)) if sign == "-" else term)
        return terms[0] if len(terms) == 1 else Node("sum", tuple(terms))

    def signed(self) -> Node:
        sign = self.take("-", "+")
        node = self.product()
        return Node("minus", (node,)) if sign == "-" else node

    def product(self) -> Node:
        node = self.power()
        while True:
            if self.take("/"):
                node = Node("quotient", (node, self.power()))
            elif self.take("*") or self.next == "(" or self.next[:1].isalpha():
                factor = self.signed_power()
                node = Node("product", (*node.parts, factor) if node.kind == "product" else (node, factor))
            else:
                return node

    def signed_power(self) -> Node:
        return Node("minus", (self.power(),)) if self.take("-") else self.power()

    def power(self) -> Node:
        is_exponential = self.next == "e"
        base = Node("e") if self.take("e") else self.atom()
        if not self.take("^"):
            if is_exponential:
                raise UnreadableError("e without an exponent")
            return base
        exponent = self.exponent()
        if is_exponential:
            return Node("exp", (exponent,))
        if exponent.kind != "number" or exponent.value.denominator > 1 or exponent.value > MAX_EXPONENT:
            raise UnreadableError("an exponent is a small integer")
        return Node("power", (base,), exponent.value)

    def exponent(self) -> Node:
        return Node("minus", (self.atom(),)) if self.take("-") else self.atom()

    def atom(self) -> Node:
        token = self.next
        self.place += 1
        if token[:1].isdigit():
            return Node("number", value=Fraction(token))
        if token == "x":
            return Node("x")
        if token in FUNCTIONS and self.next == "(":
            return Node(token, (self.atom(),))
        if token == "(":
            return self.bracket()
        raise UnreadableError(token)

    def bracket(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise UnreadableError("too many brackets in brackets")
        inner = self.sum()
        self.depth -= 1
        if not self.take(")"):
            raise UnreadableError("an open bracket")
        return inner
