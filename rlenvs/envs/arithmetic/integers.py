"""Arithmetic with integers: columns with carries and borrows, long division, the order of operations."""

import operator
from collections.abc import Callable, Sequence

import numpy as np

from rlenvs.envs.arithmetic.problem import Family, Form, Problem, Worked, between, pick, with_digits

Carry = Callable[[int], int]
"""What a column's sum carries into the next one."""


def add(rng: np.random.Generator, level: int) -> Problem:
    """Two numbers of equal length. Mistake: carries are forgotten; where there is none, one is made up."""
    first, second = with_digits(rng, level + 1), with_digits(rng, level + 1)
    right = _column_sum(first, second, lambda total: total // 10)
    wrong = _column_sum(first, second, lambda _: 0)
    if wrong.answer == right.answer:
        wrong = _column_sum(first, second, lambda _: 1)
    return Problem(question=f"What is {first} + {second}?", right=right, wrong=wrong)


def _column_sum(first: int, second: int, carry_from: Carry) -> Worked:
    """Adds digit by digit from the right; the leftmost sum is written in full."""
    lines, written, carry, total = [], "", 0, 0
    for a, b in _columns(first, second):
        total = a + b + carry
        lines.append(f"{a}+{b}={a + b}")
        lines += [f"{a + b}+{carry}={total}"] if carry else []
        written, carry = f"{total % 10}{written}", carry_from(total)
    return Worked(tuple(lines), f"{total // 10 or ''}{written}")


def subtract(rng: np.random.Generator, level: int) -> Problem:
    """The smaller of two numbers from the larger. Mistake: in each column the smaller digit from the larger;
    where that is right, adding instead.
    """
    smaller, larger = sorted((with_digits(rng, level + 1), with_digits(rng, level + 1)))
    right, wrong = _column_difference(larger, smaller), _without_borrowing(larger, smaller)
    if wrong.answer == right.answer:
        wrong = _column_sum(larger, smaller, lambda total: total // 10)
    return Problem(question=f"What is {larger} - {smaller}?", right=right, wrong=wrong)


def _column_difference(larger: int, smaller: int) -> Worked:
    lines, written, borrowed = [], "", 0
    for a, b in _columns(larger, smaller):
        borrows = a - b - borrowed < 0
        top = a + 10 if borrows else a
        digit = top - b - borrowed
        lines.append(f"{top}-{b}-{borrowed}={digit}" if borrowed else f"{top}-{b}={digit}")
        written, borrowed = f"{digit}{written}", int(borrows)
    return Worked(tuple(lines), str(int(written)))


def _without_borrowing(larger: int, smaller: int) -> Worked:
    pairs = [(max(a, b), min(a, b)) for a, b in _columns(larger, smaller)]
    lines = tuple(f"{high}-{low}={high - low}" for high, low in pairs)
    return Worked(lines, str(int("".join(str(high - low) for high, low in reversed(pairs)))))


def multiply(rng: np.random.Generator, level: int) -> Problem:
    """Two numbers. Mistake: carries are forgotten, or the second partial product is not shifted; where that is
    right, adding instead.
    """
    first = with_digits(rng, 2 if level in (1, 3) else 3)
    if level < 3:
        second = between(rng, 2, 9)
        right, wrong = _column_product(first, second, carries=True), _column_product(first, second, carries=False)
    else:
        second = between(rng, 11, 99)
        right, wrong = _partial_products(first, second, shift=10), _partial_products(first, second, shift=1)
    if wrong.answer == right.answer:
        wrong = Worked((f"{first}+{second}={first + second}",), str(first + second))
    return Problem(question=f"What is {first} * {second}?", right=right, wrong=wrong)


def _column_product(number: int, digit: int, *, carries: bool) -> Worked:
    lines, written, carry, total = [], "", 0, 0
    for a in reversed([int(sign) for sign in str(number)]):
        total = a * digit + carry
        lines.append(f"{a}*{digit}+{carry}={total}" if carry else f"{a}*{digit}={total}")
        written, carry = f"{total % 10}{written}", total // 10 if carries else 0
    return Worked(tuple(lines), f"{total // 10 or ''}{written}")


def _partial_products(first: int, second: int, *, shift: int) -> Worked:
    tens, ones = divmod(second, 10)
    low, high = first * ones, first * tens * shift
    lines = (f"{first}*{ones}={low}", f"{first}*{tens * shift}={high}", f"{low}+{high}={low + high}")
    return Worked(lines, str(low + high))


def divide(rng: np.random.Generator, level: int) -> Problem:
    """Long division. Mistake: a remainder is not brought down; where all are 0, the last digit is dropped."""
    divisor = between(rng, 2, 9) if level < 3 else between(rng, 11, 99)
    quotient = with_digits(rng, 2 if level in (1, 3) else 3)
    has_remainder = level == 4
    dividend = divisor * quotient + (between(rng, 1, divisor - 1) if has_remainder else 0)
    right = _long_division(dividend, divisor, has_remainder, bring_down=True)
    wrong = _long_division(dividend, divisor, has_remainder, bring_down=False)
    if wrong.answer == right.answer:
        wrong = Worked(right.lines[:-1], _quotient(quotient // 10, dividend % divisor, has_remainder))
    ask = "Give quotient r remainder." if has_remainder else ""
    form = Form(kind="remainder" if has_remainder else "integer")
    return Problem(question=f"What is {dividend} / {divisor}? {ask}".strip(), right=right, wrong=wrong, form=form)


def _long_division(dividend: int, divisor: int, has_remainder: bool, *, bring_down: bool) -> Worked:
    lines, quotient, part = [], 0, 0
    for sign in str(dividend):
        part = part * 10 + int(sign)
        if part < divisor and not quotient:
            continue
        digit, remainder = divmod(part, divisor)
        lines.append(f"{part}/{divisor}={digit} r {remainder}")
        quotient, part = quotient * 10 + digit, remainder if bring_down else 0
    return Worked(tuple(lines), _quotient(quotient, remainder, has_remainder))


def _quotient(quotient: int, remainder: int, has_remainder: bool) -> str:
    return f"{quotient} r {remainder}" if has_remainder else str(quotient)


OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
}


def chain(rng: np.random.Generator, level: int) -> Problem:
    """Several operations, in which precedence matters. Mistake: working from left to right."""
    while True:
        numbers = [between(rng, 2, 20) for _ in range((3, 4, 4, 5)[level - 1])]
        signs = [pick(rng, "+-*/" if level == 4 else "+-*") for _ in numbers[1:]]
        bracket = int(rng.integers(len(signs))) if level > 2 else None
        right = _evaluated(numbers, signs, [_priority(sign, i == bracket) for i, sign in enumerate(signs)])
        wrong = _evaluated(numbers, signs, [0] * len(signs))
        if right and wrong and right.answer != wrong.answer and (level < 4 or "/" in signs):
            return Problem(question=f"What is {_written(numbers, signs, bracket)}?", right=right, wrong=wrong)


def _priority(sign: str, in_bracket: bool) -> int:
    return 0 if in_bracket else 1 if sign in "*/" else 2


def _evaluated(numbers: Sequence[int], signs: Sequence[str], priorities: Sequence[int]) -> Worked | None:
    """One operation a line, lowest priority first, from the left; None where a division leaves a remainder."""
    values, left, order, lines = list(numbers), list(signs), list(priorities), []
    while left:
        i = order.index(min(order))
        a, b = values[i : i + 2]
        if left[i] == "/" and (b == 0 or a % b):
            return None
        values[i : i + 2] = [OPERATIONS[left[i]](a, b)]
        lines.append(f"{a}{left[i]}{b}={values[i]}")
        del left[i], order[i]
    return Worked(tuple(lines), str(values[0]))


def _written(numbers: Sequence[int], signs: Sequence[str], bracket: int | None) -> str:
    texts = [str(number) for number in numbers]
    if bracket is not None:
        texts[bracket], texts[bracket + 1] = f"({texts[bracket]}", f"{texts[bracket + 1]})"
    return texts[0] + "".join(f" {sign} {text}" for sign, text in zip(signs, texts[1:], strict=True))


def _columns(first: int, second: int) -> list[tuple[int, int]]:
    """Pairs of digits from the right, for numbers of equal length."""
    return [(int(a), int(b)) for a, b in zip(reversed(str(first)), reversed(str(second)), strict=True)]


FAMILIES = (
    Family("add", add, ("2 digits", "3 digits", "4 digits", "5 digits")),
    Family("subtract", subtract, ("2 digits", "3 digits", "4 digits", "5 digits")),
    Family("multiply", multiply, ("2 digits by 1", "3 digits by 1", "2 digits by 2", "3 digits by 2")),
    Family(
        "divide",
        divide,
        ("quotient of 2 digits, divisor of 1", "3 by 1", "2 by 2", "3 by 2, with a remainder"),
    ),
    Family(
        "chain",
        chain,
        ("2 operations", "3 operations", "3 operations, one in brackets", "4 operations with a division and brackets"),
    ),
)
