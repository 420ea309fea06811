"""Exact normal forms of expressions in x, and what form an expression is written in. Sizes are bounded."""

from fractions import Fraction
from math import gcd

from rlenvs.envs.arithmetic.reading import FUNCTIONS, Node, UnreadableError

MAX_TERMS = 60
MAX_BITS = 2048  # of a coefficient

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
    except UnreadableError:
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
        raise UnreadableError("too large")
    return product


def _joined(first: Monomial, second: Monomial) -> Monomial:
    exponents = dict(first)
    for generator, exponent in second:
        exponents[generator] = exponents.get(generator, 0) + exponent
    return tuple(sorted(exponents.items()))


def _inverse(divisor: Normal) -> Normal:
    if set(divisor) != {()}:
        raise UnreadableError("only a number other than 0 divides")
    return {(): 1 / divisor[()]}


def is_expanded(node: Node) -> bool:
    """Whether it is written as a sum of terms a x^n with different n."""
    terms = node.parts if node.kind == "sum" else (node,)
    degrees = [_degree_of_term(term) for term in terms]
    return None not in degrees and len(set(degrees)) == len(degrees)


def _degree_of_term(node: Node) -> int | None:
    """The degree of a product of x's, powers of x and at most one number; None of anything else."""
    if node.kind == "minus":
        return _degree_of_term(node.parts[0])
    factors = node.parts if node.kind == "product" else (node,)
    degrees = [_degree_of_factor(factor) for factor in factors if not _is_plain_number(factor)]
    known = [degree for degree in degrees if degree is not None]
    is_term = len(known) == len(degrees) >= len(factors) - 1
    return sum(known) if is_term else None


def _degree_of_factor(node: Node) -> int | None:
    """The degree of x, or of a power of it."""
    if node.kind == "power" and node.parts[0].kind == "x":
        return int(node.value)
    return 1 if node.kind == "x" else None


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
