"""How numbers and polynomials are written in questions and answers. Coefficients begin with the highest power."""

from collections.abc import Sequence
from fractions import Fraction

from rlenvs.envs.arithmetic.problem import Form


def decimal_text(value: Fraction) -> str:
    """A terminating decimal, without needless zeros.

    Raises:
        ValueError: the decimals never end.
    """
    places = next((n for n in range(20) if (value * 10**n).denominator == 1), None)
    if places is None:
        raise ValueError(f"{value} has no end of decimals: write it as a fraction")
    digits = str(abs(int(value * 10**places))).rjust(places + 1, "0")
    point = len(digits) - places
    text = f"{digits[:point]}.{digits[point:]}" if places else digits
    return f"-{text}" if value < 0 else text


def number_form(answer: str, *, unit: str = "", unknown: str = "") -> Form:
    """An integer has to be given as one (84/4 is no answer to what 84/4 is); another number in any form."""
    is_integer = answer.removeprefix("-").isdigit()
    return Form(kind="integer" if is_integer else "number", unit=unit, unknown=unknown)


def polynomial_text(coefficients: Sequence[int], unknown: str = "x") -> str:
    """A polynomial as people write it: 2x^2 - x + 3."""
    degree = len(coefficients) - 1
    powers = (_power_text(unknown, degree - i) for i in range(degree + 1))
    return linear_text([(c, power) for c, power in zip(coefficients, powers, strict=True)])


def linear_text(terms: Sequence[tuple[int, str]]) -> str:
    """A sum of coefficients times names ("" for the constant), terms of 0 left out: 2x - y + 3."""
    text = ""
    for coefficient, name in terms:
        if coefficient == 0:
            continue
        size = "" if abs(coefficient) == 1 and name else str(abs(coefficient))
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} {size}{name}" if text else f"{'-' if coefficient < 0 else ''}{size}{name}"
    return text or "0"


def _power_text(unknown: str, exponent: int) -> str:
    return "" if exponent == 0 else unknown if exponent == 1 else f"{unknown}^{exponent}"
