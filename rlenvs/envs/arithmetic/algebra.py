"""Reading expressions in x that a policy wrote: a parser of our own, and exact normal forms to compare.

The grammar is small on purpose (numbers, x, + - * / ^, brackets, sin, cos, exp): nothing is evaluated, and sizes are
bounded, so that no reply can run code or take long. What does not fit is None.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

MAX_CHARACTERS = 200
MAX_EXPONENT = 12
MAX_TERMS = 60
MAX_BITS = 2048  # of a coefficient

FUNCTIONS = ("sin", "cos", "exp")
_TOKEN = re.compile(r"\s*(?:([0-9]{1,12}(?:\.[0-9]{1,12})?)|([a-z]+)|([-+*/^()]))", re.ASCII)
_SPELLINGS = (
    (r"\left", ""), (r"\right", ""), (r"\cdot", "*"), (r"\times", "*"), (r"\sin", "sin"), (r"\cos", "cos"),
    (r"\exp", "exp"), ("**", "^"), ("·", "*"), ("×", "*"), ("−", "-"), ("{", "("), ("}", ")"), ("$", ""),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Node:
    """A piece of an expression as it was written.

    `kind` is number, x, sum, product, quotient, power, minus or a function's name; `value` is the number, or the
    exponent of a power.
    """

    kind: str
    parts: tuple["Node", ...] = ()
    value: Fraction = Fraction(0)


class _UnreadableError(ValueError):
    """The text is not of the grammar, or too large."""


def parse(text: str) -> Node | None:
    """The expression as written, or None where it cannot be read."""
    if len(text) > MAX_CHARACTERS:
        return None
    try:
        return _Reader(text).whole()
    except _UnreadableError:
        return None


class _Reader:
    """Recursive descent over the tokens."""

    def __init__(self, text: str) -> None:
        for written, meant in _SPELLINGS:
            text = text.replace(written, meant)
        self.tokens, position, text = [], 0, text.strip()
        while position < len(text):
            token = _TOKEN.match(text, position)
            if token is None:
                raise _UnreadableError(text[position:])
            self.tokens.append(token[0].strip())
            position = token.end()
        self.place = 0

    def whole(self) -> Node:
        node = self.sum()
        if self.next:
            raise _UnreadableError(self.next)
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
            term = self.product()
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
                raise _UnreadableError("e without an exponent")
            return base
        exponent = self.signed_power_of_brackets()
        if is_exponential:
            return Node("exp", (exponent,))
        if exponent.kind != "number" or exponent.value.denominator > 1 or exponent.value > MAX_EXPONENT:
            raise _UnreadableError("an exponent is a small integer")
        return Node("power", (base,), exponent.value)

    def signed_power_of_brackets(self) -> Node:
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
            inner = self.sum()
            if self.take(")"):
                return inner
        raise _UnreadableError(token)


Generator = tuple[str, tuple[tuple["Monomial", Fraction], ...]]
"""x, or a function of a normal form."""

Monomial = tuple[tuple[Generator, int], ...]
Normal = dict[Monomial, Fraction]
"""Coefficients by monomial; no coefficient is 0."""

_X: Generator = ("x", ())


def normal(node: Node | None) -> Normal | None:
    """The expression multiplied out, so that equal polynomials have equal normal forms; None where it is too large.

    sin, cos and exp of equal arguments are equal unknowns: identities between them are not known.
    """
    try:
        return None if node is None else _normal(node)
    except _UnreadableError:
        return None


def _normal(node: Node) -> Normal:
    parts = [_normal(part) for part in node.parts]
    if node.kind == "number":
        return {(): node.value} if node.value else {}
    if node.kind == "x":
        return {((_X, 1),): Fraction(1)}
    if node.kind in FUNCTIONS:
        return {(((node.kind, tuple(sorted(parts[0].items()))), 1),): Fraction(1)}
    if node.kind == "sum":
        return _added(parts)
    if node.kind == "minus":
        return {monomial: -coefficient for monomial, coefficient in parts[0].items()}
    if node.kind == "quotient":
        return _multiplied(parts[0], _inverse(parts[1]))
    factors = parts * int(node.value) if node.kind == "power" else parts
    product: Normal = {(): Fraction(1)}
    for factor in factors:
        product = _multiplied(product, factor)
    return product


def _added(parts: list[Normal]) -> Normal:
    total: Normal = {}
    for part in parts:
        for monomial, coefficient in part.items():
            total[monomial] = total.get(monomial, Fraction(0)) + coefficient
    return {monomial: coefficient for monomial, coefficient in total.items() if coefficient}


def _multiplied(first: Normal, second: Normal) -> Normal:
    product = _added([{_joined(m, n): a * b} for m, a in first.items() for n, b in second.items()])
    sizes = (abs(c.numerator).bit_length() + c.denominator.bit_length() for c in product.values())
    if len(product) > MAX_TERMS or max(sizes, default=0) > MAX_BITS:
        raise _UnreadableError("too large")
    return product


def _joined(first: Monomial, second: Monomial) -> Monomial:
    exponents = dict(first)
    for generator, exponent in second:
        exponents[generator] = exponents.get(generator, 0) + exponent
    return tuple(sorted(exponents.items()))


def _inverse(divisor: Normal) -> Normal:
    if set(divisor) != {()}:
        raise _UnreadableError("only a number other than 0 divides")
    return {(): 1 / divisor[()]}


def is_expanded(node: Node) -> bool:
    """Whether it is written as a sum of terms a x^n with different n."""
    terms = node.parts if node.kind == "sum" else (node,)
    degrees = [_degree_of_term(term) for term in terms]
    return None not in degrees and len(set(degrees)) == len(degrees)


def _degree_of_term(node: Node) -> int | None:
    """The degree of a number, of x^n, or of a number times x^n; None of anything else."""
    if node.kind == "minus":
        return _degree_of_term(node.parts[0])
    if _is_plain_number(node):
        return 0
    if node.kind == "x":
        return 1
    if node.kind == "power":
        return int(node.value) if node.parts[0].kind == "x" else None
    if node.kind == "product" and len(node.parts) == 2 and _is_plain_number(node.parts[0]):
        return None if _is_plain_number(node.parts[1]) else _degree_of_term(node.parts[1])
    return None


def _is_plain_number(node: Node) -> bool:
    is_fraction = node.kind == "quotient" and all(part.kind == "number" for part in node.parts)
    return node.kind == "number" or is_fraction


def is_factored(node: Node) -> bool:
    """Whether it is written as an integer times linear factors whose coefficients have no common divisor."""
    while node.kind == "minus":
        node = node.parts[0]
    factors = node.parts if node.kind == "product" else (node,)
    numbers = [factor for factor in factors if factor.kind == "number"]
    return len(numbers) <= 1 and all(_is_primitive(factor) for factor in factors if factor.kind != "number")


def _is_primitive(factor: Node) -> bool:
    base = factor.parts[0] if factor.kind == "power" else factor
    form = normal(base)
    if base.kind not in ("x", "sum") or form is None or not is_expanded(base):
        return False
    is_linear = ((_X, 1),) in form and set(form) <= {(), ((_X, 1),)}
    return is_linear and all(c.denominator == 1 for c in form.values()) and gcd(*map(int, form.values())) == 1
