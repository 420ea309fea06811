"""Fractions and percentages."""

import math
from fractions import Fraction

import numpy as np

from rlenvs.envs.arithmetic.problem import Family, Form, Problem, Worked, between, pick
from rlenvs.envs.arithmetic.text import decimal_text, number_form


def fraction(rng: np.random.Generator, level: int) -> Problem:
    """Two or three fractions. Mistake: denominators are added like numerators, or a divisor is not inverted."""
    if level == 3:
        return _product(rng)
    count = 3 if level == 4 else 2
    denominators = [between(rng, 2, 20)] * count if level == 1 else [between(rng, 2, 12) for _ in range(count)]
    numerators = [between(rng, 1, denominator - 1) if denominator > 2 else 1 for denominator in denominators]
    signs = [1, *(pick(rng, (1, -1)) for _ in range(count - 1))]
    terms = [f"{a}/{b}" for a, b in zip(numerators, denominators, strict=True)]
    question = terms[0] + "".join(f" {'+' if s > 0 else '-'} {t}" for s, t in zip(signs[1:], terms[1:], strict=True))
    right, wrong = _sum(numerators, denominators, signs), _sum_of_both(numerators, denominators, signs)
    return Problem(question=f"What is {question}?", right=right, wrong=wrong, form=number_form(right.answer))


def _sum(numerators: list[int], denominators: list[int], signs: list[int]) -> Worked:
    common = math.lcm(*denominators)
    scaled = [a * common // b for a, b in zip(numerators, denominators, strict=True)]
    pairs = zip(numerators, denominators, scaled, strict=True)
    lines = [f"{a}/{b}={top}/{common}" for a, b, top in pairs if b != common]
    total = sum(sign * top for sign, top in zip(signs, scaled, strict=True))
    lines.append(f"{_signed_sum(scaled, signs)}={total}")
    return _reduced(lines, total, common)


def _sum_of_both(numerators: list[int], denominators: list[int], signs: list[int]) -> Worked:
    top = sum(sign * a for sign, a in zip(signs, numerators, strict=True))
    lines = [f"{_signed_sum(numerators, signs)}={top}", f"{'+'.join(map(str, denominators))}={sum(denominators)}"]
    return _reduced(lines, top, sum(denominators))


def _signed_sum(numbers: list[int], signs: list[int]) -> str:
    later = (f"{'+' if sign > 0 else '-'}{number}" for number, sign in zip(numbers[1:], signs[1:], strict=True))
    return str(numbers[0]) + "".join(later)


def _product(rng: np.random.Generator) -> Problem:
    (a, b), (c, d) = ((between(rng, 1, 12), between(rng, 2, 12)) for _ in range(2))
    if rng.integers(2):
        question, top, bottom, wrong_bottom = f"What is {a}/{b} * {c}/{d}?", (a, c), (b, d), b + d
        wrong = _reduced([f"{a}*{c}={a * c}", f"{b}+{d}={b + d}"], a * c, wrong_bottom)
    else:
        question, top, bottom = f"What is ({a}/{b}) / ({c}/{d})?", (a, d), (b, c)
        wrong = _reduced([f"{a}*{c}={a * c}", f"{b}*{d}={b * d}"], a * c, b * d)
    lines = [f"{x}*{y}={x * y}" for x, y in (top, bottom)]
    right = _reduced(lines, math.prod(top), math.prod(bottom))
    return Problem(question=question, right=right, wrong=wrong, form=number_form(right.answer))


def _reduced(lines: list[str], top: int, bottom: int) -> Worked:
    value = Fraction(top, bottom)
    return Worked((*lines, f"{top}/{bottom}={value}"), str(value))


def simplify(rng: np.random.Generator, level: int) -> Problem:
    """A fraction in lowest terms. Mistake: only a part of the common factor is taken out."""
    top, bottom = _coprime(rng, 20 if level < 3 else 60)
    factor = between(rng, *((2, 9), (10, 30), (12, 60), (60, 200))[level - 1])
    right = Worked(_taken_out(top, bottom, factor), f"{top}/{bottom}")
    part = next(prime for prime in range(2, factor + 1) if factor % prime == 0)
    left = factor // part
    wrong = Worked(_taken_out(top * left, bottom * left, part), f"{top * left}/{bottom * left}")
    if left == 1:  # a prime factor: taken out above only
        wrong = Worked(right.lines[:1], f"{top}/{bottom * factor}")
    question = f"Write {top * factor}/{bottom * factor} in lowest terms."
    return Problem(question=question, right=right, wrong=wrong, form=Form(kind="lowest"))


def _coprime(rng: np.random.Generator, largest: int) -> tuple[int, int]:
    while True:
        top, bottom = between(rng, 1, largest), between(rng, 2, largest)
        if math.gcd(top, bottom) == 1:
            return top, bottom


def _taken_out(top: int, bottom: int, factor: int) -> tuple[str, ...]:
    return f"{top * factor}/{factor}={top}", f"{bottom * factor}/{factor}={bottom}"


def percent(rng: np.random.Generator, level: int) -> Problem:
    """Percentages of numbers, changes by them, and the number before a change.

    Mistake: one place too few is moved, the change is given for the new price, or the change is undone by a
    percentage of the new price.
    """
    return (_whole_percentage, _any_percentage, _changed, _undone)[level - 1](rng)


def _whole_percentage(rng: np.random.Generator) -> Problem:
    return _percentage(5 * between(rng, 1, 19), 20 * between(rng, 1, 99))


def _any_percentage(rng: np.random.Generator) -> Problem:
    return _percentage(between(rng, 1, 99), between(rng, 1, 999))


def _percentage(rate: int, number: int) -> Problem:
    product = number * rate
    right, wrong = (
        Worked((f"{number}*{rate}={product}", f"{product}/{by}={_text(product, by)}"), _text(product, by))
        for by in (100, 10)
    )
    form = number_form(right.answer)
    return Problem(question=f"What is {rate}% of {number}?", right=right, wrong=wrong, form=form)


def _changed(rng: np.random.Generator) -> Problem:
    price, rate, sign = 20 * between(rng, 1, 99), 5 * between(rng, 1, 19), pick(rng, "+-")
    change = price * rate // 100
    after = price + change if sign == "+" else price - change
    lines = (f"{price}*{rate}/100={change}", f"{price}{sign}{change}={after}")
    verb = "rises" if sign == "+" else "falls"
    question = f"A price of {price} {verb} by {rate}%. What is it now?"
    return Problem(question=question, right=Worked(lines, str(after)), wrong=Worked(lines[:1], str(change)))


def _undone(rng: np.random.Generator) -> Problem:
    before, rate, sign = 20 * between(rng, 1, 99), 5 * between(rng, 1, 19), pick(rng, "+-")
    factor = 100 + rate if sign == "+" else 100 - rate
    after = before * factor // 100
    right = Worked((f"100{sign}{rate}={factor}", f"{after}*100/{factor}={before}"), str(before))
    change, back = _text(after * rate, 100), "-" if sign == "+" else "+"
    answer = _text(after * (100 - rate if sign == "+" else 100 + rate), 100)
    wrong = Worked((f"{after}*{rate}/100={change}", f"{after}{back}{change}={answer}"), answer)
    question = f"After a {'rise' if sign == '+' else 'fall'} of {rate}% a price is {after}. What was it before?"
    return Problem(question=question, right=right, wrong=wrong)


def _text(top: int, bottom: int) -> str:
    return decimal_text(Fraction(top, bottom))


FAMILIES = (
    Family(
        "fraction",
        fraction,
        ("two of one denominator", "two of different denominators", "a product or a quotient", "three, added"),
    ),
    Family(
        "simplify",
        simplify,
        ("common factor to 9", "to 30", "to 60, terms to 3600", "to 200, terms to 12000"),
    ),
    Family(
        "percent",
        percent,
        ("a share that is whole", "a share with decimals", "a rise or a fall", "the number before a rise or a fall"),
    ),
)
