"""Polynomials in x: their values, expanding, factoring, roots. sympy multiplies; coefficients begin with the highest
power.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from rlenvs.envs.arithmetic.problem import Family, Form, Problem, Worked, between, distinct, nonzero
from rlenvs.envs.arithmetic.text import polynomial_text

Coefficients = list[int]


def multiplied(factors: Sequence[Sequence[int]]) -> Coefficients:
    """The coefficients of a product."""
    from sympy import Poly, Symbol  # half a second to import: only who draws a polynomial pays it

    product = math.prod((Poly(list(factor), Symbol("x")) for factor in factors), start=Poly(1, Symbol("x")))
    return [int(coefficient) for coefficient in product.all_coeffs()]


def evaluate(rng: np.random.Generator, level: int) -> Problem:
    """The value of a polynomial at an integer. Mistake: the last term is forgotten."""
    coefficients = [nonzero(rng, 9) for _ in range(level + 1)]
    x = nonzero(rng, (9, 9, 5, 4)[level - 1])
    right, wrong = _evaluated(coefficients, x, level + 1), _evaluated(coefficients, x, level)
    return Problem(question=f"What is {polynomial_text(coefficients)} at x = {x}?", right=right, wrong=wrong)


def _evaluated(coefficients: Coefficients, x: int, num_terms: int) -> Worked:
    degree, total, lines = len(coefficients) - 1, 0, []
    for i, coefficient in enumerate(coefficients[:num_terms]):
        value = coefficient * x ** (degree - i)
        if i < degree:
            lines.append(f"{coefficient}*({x})^{degree - i}={value}")
        lines += [f"{total}{'+' if value > 0 else '-'}{abs(value)}={total + value}"] if i else []
        total += value
    return Worked(tuple(lines), str(total))


def expand(rng: np.random.Generator, level: int) -> Problem:
    """A product, multiplied out. Mistake: only the first terms and the last terms are multiplied."""
    first, second = _factors_to_expand(rng, level)
    lines = tuple(_multiplied_terms(a, b) for a in _terms(first) for b in _terms(second))
    right = Worked(lines, polynomial_text(multiplied([first, second])))
    wrong = Worked((lines[0], lines[-1]), polynomial_text(_ends_only(first, second)))
    outer = str(first[0]) if level == 1 else f"({polynomial_text(first)})"
    question = f"Expand {outer}({polynomial_text(second)})."
    return Problem(question=question, right=right, wrong=wrong, form=Form(kind="polynomial"))


def _factors_to_expand(rng: np.random.Generator, level: int) -> tuple[Coefficients, Coefficients]:
    if level == 1:
        return [between(rng, 2, 12)], [nonzero(rng, 9), nonzero(rng, 12)]
    if level == 2:
        return [1, nonzero(rng, 15)], [1, nonzero(rng, 15)]
    leading = [[between(rng, 2, 9), nonzero(rng, 9)], [between(rng, 2, 9), nonzero(rng, 9)]]
    return leading[0], leading[1] if level == 3 else [*leading[1], nonzero(rng, 9)]


Term = tuple[int, int]
"""Coefficient and exponent."""


def _terms(coefficients: Coefficients) -> list[Term]:
    return [(c, len(coefficients) - 1 - i) for i, c in enumerate(coefficients)]


def _multiplied_terms(first: Term, second: Term) -> str:
    product = first[0] * second[0], first[1] + second[1]
    return f"{_bracketed(first)}*{_bracketed(second)}={_term_text(product)}"


def _bracketed(term: Term) -> str:
    return f"({_term_text(term)})" if term[0] < 0 else _term_text(term)


def _term_text(term: Term) -> str:
    return polynomial_text([term[0], *[0] * term[1]])


def _ends_only(first: Coefficients, second: Coefficients) -> Coefficients:
    """First term times first term, last times last; where one factor is a number, it meets the first term only."""
    degree = len(first) + len(second) - 2
    constant = second[-1] if len(first) == 1 else first[-1] * second[-1]
    return [first[0] * second[0], *[0] * (degree - 1), constant]


def factor(rng: np.random.Generator, level: int) -> Problem:
    """A common factor, or a product of linear factors. Mistake: a term is left undivided, or a sign is flipped."""
    if level == 1:
        return _common_factor(rng)
    factors = _linear_factors(rng, level)
    right, wrong = (Worked(_checked(factors), _product_text(each)) for each in (factors, _one_flipped(factors)))
    question = f"Factor {polynomial_text(multiplied(factors))} into linear factors."
    return Problem(question=question, right=right, wrong=wrong, form=Form(kind="factored"))


def _checked(factors: Sequence[Coefficients]) -> tuple[str, ...]:
    """How the coefficients of a quadratic come about; of a cubic, after dividing by one factor."""
    if len(factors) == 3:
        root, rest = -factors[0][1], polynomial_text(multiplied(factors[1:]))
        return f"x={root} gives 0", f"({polynomial_text(factors[0])})({rest})", *_checked(factors[1:])
    (a, b), (c, d) = factors
    return f"{a}*{c}={a * c}", f"{b}*{d}={b * d}", f"{a}*{d}+{b}*{c}={a * d + b * c}"


def _one_flipped(factors: Sequence[Coefficients]) -> list[Coefficients]:
    (a, b), *rest = factors
    return [[a, -b], *rest]


def _common_factor(rng: np.random.Generator) -> Problem:
    common, inner = between(rng, 2, 12), [between(rng, 1, 9), nonzero(rng, 12)]
    while math.gcd(*inner) > 1:
        inner = [between(rng, 1, 9), nonzero(rng, 12)]
    product = [common * c for c in inner]
    lines = tuple(f"{c}/{common}={d}" for c, d in zip(product, inner, strict=True))
    right = Worked(lines, f"{common}({polynomial_text(inner)})")
    wrong = Worked(lines[:1], f"{common}({polynomial_text([inner[0], product[1]])})")
    question = f"Factor {polynomial_text(product)} completely."
    return Problem(question=question, right=right, wrong=wrong, form=Form(kind="factored"))


def _linear_factors(rng: np.random.Generator, level: int) -> list[Coefficients]:
    """Primitive factors; the first has a root that is not 0."""
    if level == 4:
        return sorted(([1, -root] for root in distinct(rng, 3, -12, 12)), key=lambda pair: pair[1] == 0)
    largest, shift = (1, 20) if level == 2 else (5, 9)
    while True:
        factors = [[between(rng, 1, largest), nonzero(rng, shift)] for _ in range(2)]
        if all(math.gcd(*pair) == 1 for pair in factors):
            return factors


def _product_text(factors: Sequence[Coefficients]) -> str:
    """In brackets, but for a plain x, which comes first."""
    texts = [polynomial_text(pair) for pair in factors]
    return "".join("x" if text == "x" else f"({text})" for text in sorted(texts, key=lambda text: text != "x"))


def roots(rng: np.random.Generator, level: int) -> Problem:
    """All roots of a polynomial whose roots are rational. Mistake: the sign of one is flipped."""
    factors = [[1, -root] for root in distinct(rng, 2, 1, 60)] if level == 1 else _linear_factors(rng, level)
    lines = _checked(factors) if level == 4 else _quadratic_formula(multiplied(factors))
    right, wrong = (Worked(lines, _root_text(each)) for each in (factors, _one_flipped(factors)))
    question = f"Find all roots of {polynomial_text(multiplied(factors))}."
    return Problem(question=question, right=right, wrong=wrong, form=Form(kind="set", unknown="x"))


def _root_text(factors: Sequence[Coefficients]) -> str:
    return ", ".join(map(str, sorted({Fraction(-b, a) for a, b in factors})))


def _quadratic_formula(coefficients: Coefficients) -> tuple[str, ...]:
    a, b, c = coefficients
    discriminant = b * b - 4 * a * c
    side = math.isqrt(discriminant)
    constant = f"{'-' if a * c > 0 else '+'}{abs(4 * a * c)}"
    lower, upper = Fraction(-b - side, 2 * a), Fraction(-b + side, 2 * a)
    formula = (f"({-b}-{side})/{2 * a}={lower}", f"({-b}+{side})/{2 * a}={upper}")
    return f"D={b * b}{constant}={discriminant}", f"sqrt D={side}", *formula


FAMILIES = (
    Family("evaluate", evaluate, ("degree 1", "degree 2", "degree 3", "degree 4")),
    Family("expand", expand, ("a(bx + c)", "(x + a)(x + b)", "(ax + b)(cx + d)", "(ax + b)(cx^2 + dx + e)")),
    Family(
        "factor",
        factor,
        ("a common factor", "monic quadratics", "quadratics with leading coefficient to 25", "monic cubics"),
    ),
    Family(
        "roots",
        roots,
        ("monic quadratics, positive roots", "monic quadratics", "quadratics with rational roots", "monic cubics"),
    ),
)
