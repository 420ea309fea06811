"""Conversion of units."""

from fractions import Fraction

import numpy as np

from rlenvs.envs.arithmetic.problem import Family, Problem, Worked, between, pick
from rlenvs.envs.arithmetic.text import decimal_text, number_form

# (larger unit, smaller unit, how many of the smaller make one of the larger)
METRIC = (
    ("km", "m", 1000),
    ("m", "cm", 100),
    ("m", "mm", 1000),
    ("cm", "mm", 10),
    ("t", "kg", 1000),
    ("kg", "g", 1000),
    ("g", "mg", 1000),
    ("l", "ml", 1000),
)
TIMES = (("h", "min", 60), ("min", "s", 60))
POWERS = (
    ("m^2", "cm^2", 100, 2),
    ("cm^2", "mm^2", 10, 2),
    ("km^2", "m^2", 1000, 2),
    ("m^3", "cm^3", 100, 3),
    ("cm^3", "mm^3", 10, 3),
)


def units(rng: np.random.Generator, level: int) -> Problem:
    """A quantity in another unit.

    Mistake: one place too few is moved, multiplied where it should be divided, an hour of 100 minutes, or the factor
    of the length for an area.
    """
    return (_to_smaller, _to_larger, _time, pick(rng, (_speed, _area_or_volume)))[level - 1](rng)


def _to_smaller(rng: np.random.Generator) -> Problem:
    (large, small, factor), number = pick(rng, METRIC), between(rng, 2, 999)
    right, wrong = (
        Worked((f"1 {large}={by} {small}", f"{number}*{by}={number * by}"), str(number * by))
        for by in (factor, factor // 10)
    )
    return _conversion(f"{number} {large}", small, right, wrong)


def _to_larger(rng: np.random.Generator) -> Problem:
    (large, small, factor), number = pick(rng, METRIC), between(rng, 2, 9999)
    quotient = decimal_text(Fraction(number, factor))
    rule = f"1 {large}={factor} {small}"
    right = Worked((rule, f"{number}/{factor}={quotient}"), quotient)
    wrong = Worked((rule, f"{number}*{factor}={number * factor}"), str(number * factor))
    return _conversion(f"{number} {small}", large, right, wrong)


def _time(rng: np.random.Generator) -> Problem:
    (large, small, factor), whole, rest = pick(rng, TIMES), between(rng, 2, 99), between(rng, 1, 59)
    right, wrong = (
        Worked((f"{whole}*{by}={whole * by}", f"{whole * by}+{rest}={whole * by + rest}"), str(whole * by + rest))
        for by in (factor, 100)
    )
    return _conversion(f"{whole} {large} {rest} {small}", small, right, wrong)


def _speed(rng: np.random.Generator) -> Problem:
    if rng.integers(2):
        number = between(rng, 1, 999)
        product = decimal_text(Fraction(number * 36, 10))
        right = Worked(("1 m/s=3.6 km/h", f"{number}*3.6={product}"), product)
        wrong = Worked(("1 m/s=0.06 km/h", f"{number}*0.06={_hundredths(6 * number)}"), _hundredths(6 * number))
        return _conversion(f"{number} m/s", "km/h", right, wrong)
    quotient = between(rng, 1, 999)
    speed = decimal_text(Fraction(quotient * 36, 10))
    product = decimal_text(Fraction(quotient * 36 * 36, 100))
    right = Worked(("1 m/s=3.6 km/h", f"{speed}/3.6={quotient}"), str(quotient))
    wrong = Worked(("1 m/s=3.6 km/h", f"{speed}*3.6={product}"), product)
    return _conversion(f"{speed} km/h", "m/s", right, wrong)


def _hundredths(number: int) -> str:
    return decimal_text(Fraction(number, 100))


def _area_or_volume(rng: np.random.Generator) -> Problem:
    (large, small, length, exponent), number = pick(rng, POWERS), between(rng, 2, 999)
    right, wrong = (
        Worked((f"{length}^{power}={length**power}", f"{number}*{length**power}={value}"), str(value))
        for power in (exponent, 1)
        for value in (number * length**power,)
    )
    return _conversion(f"{number} {large}", small, right, wrong)


def _conversion(quantity: str, unit: str, right: Worked, wrong: Worked) -> Problem:
    form = number_form(right.answer, unit=unit)
    return Problem(question=f"Convert {quantity} to {unit}.", right=right, wrong=wrong, form=form)


FAMILIES = (
    Family(
        "units",
        units,
        ("metric, to a smaller unit", "metric, to a larger unit", "mixed times", "speeds, areas and volumes"),
    ),
)
