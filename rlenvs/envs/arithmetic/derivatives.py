"""Derivatives with respect to x."""

import numpy as np

from rlenvs.envs.arithmetic.problem import Family, Form, Problem, Worked, between, nonzero, pick
from rlenvs.envs.arithmetic.text import polynomial_text

EXPRESSION = Form(kind="expression")


def derivative(rng: np.random.Generator, level: int) -> Problem:
    """The derivative of a function.

    Mistake: the exponent is not lowered, or the derivative of the inner function or of the second factor is forgotten.
    """
    if level < 3:
        return _of_polynomial([nonzero(rng, 9) for _ in range(3 if level == 1 else 5)])
    if level == 3:
        return _of_power(rng)
    return pick(rng, (_of_inner, _of_product))(rng)


def _of_polynomial(coefficients: list[int]) -> Problem:
    from sympy import Poly, Symbol  # half a second to import: only who draws a derivative pays it

    degree = len(coefficients) - 1
    answer = [int(c) for c in Poly(coefficients, Symbol("x")).diff().all_coeffs()]
    careless = [c * (degree - i) for i, c in enumerate(coefficients)]
    lines = tuple(f"{_term(coefficients[i], degree - i)}: {_term(c, degree - i - 1)}" for i, c in enumerate(answer))
    right, wrong = Worked(lines, polynomial_text(answer)), Worked((), polynomial_text(careless))
    return _asked(polynomial_text(coefficients), right, wrong)


def _term(coefficient: int, exponent: int) -> str:
    return polynomial_text([coefficient, *[0] * exponent])


def _of_power(rng: np.random.Generator) -> Problem:
    inner, exponent = [between(rng, 2, 9), nonzero(rng, 12)], between(rng, 3, 9)
    base = polynomial_text(inner)
    lines = (f"inner {base}, its derivative {inner[0]}", f"{exponent}*{inner[0]}={exponent * inner[0]}")
    right, wrong = (
        Worked(lines[:used], f"{factor}({base})^{exponent - 1}")
        for factor, used in ((exponent * inner[0], 2), (exponent, 0))
    )
    return _asked(f"({base})^{exponent}", right, wrong)


# An outer function and its derivative, of {u}: sign, then name.
OUTER = (("sin({u})", 1, "cos({u})"), ("cos({u})", -1, "sin({u})"), ("exp({u})", 1, "exp({u})"))


def _of_inner(rng: np.random.Generator) -> Problem:
    factor, inner = nonzero(rng, 9), [between(rng, 2, 9), between(rng, 0, 9)]
    outer, sign, derived = pick(rng, OUTER)
    u = polynomial_text(inner)
    name = derived.format(u=u)
    lines = (f"inner {u}, its derivative {inner[0]}", f"{outer.format(u='u')}: {_scaled(sign, derived.format(u='u'))}")
    right = Worked(lines, _scaled(sign * factor * inner[0], name))
    wrong = Worked(lines[1:], _scaled(sign * factor, name))
    return _asked(_scaled(factor, outer.format(u=u)), right, wrong)


def _of_product(rng: np.random.Generator) -> Problem:
    """A x^n f(bx) has the derivative a n x^(n-1) f(bx) + a b x^n f'(bx)."""
    a, n, b = between(rng, 1, 9), between(rng, 2, 6), between(rng, 1, 6)
    pattern, sign, derived_pattern = pick(rng, OUTER)
    outer, derived = pattern.format(u=_term(b, 1)), derived_pattern.format(u=_term(b, 1))
    first = f"{_term(a * n, n - 1)}*{outer}"
    second = f"{'+' if sign == 1 else '-'} {_term(a * b, n)}*{derived}"
    lines = (f"{_term(a, n)}: {_term(a * n, n - 1)}", f"{outer}: {_scaled(sign * b, derived)}")
    right, wrong = Worked(lines, f"{first} {second}"), Worked(lines[:1], first)
    return _asked(f"{_term(a, n)}*{outer}", right, wrong)


def _scaled(factor: int, name: str) -> str:
    return name if factor == 1 else f"-{name}" if factor == -1 else f"{factor}*{name}"


def _asked(function: str, right: Worked, wrong: Worked) -> Problem:
    question = f"What is the derivative of {function} with respect to x?"
    return Problem(question=question, right=right, wrong=wrong, form=EXPRESSION)


FAMILIES = (
    Family(
        "derivative",
        derivative,
        ("quadratics", "polynomials of degree 4", "(ax + b)^n", "sin, cos and exp: of ax + b, or times a power"),
    ),
)
