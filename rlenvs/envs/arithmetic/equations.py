"""Linear equations in one unknown, and systems of them."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from rlenvs.envs.arithmetic.problem import Family, Form, Problem, Worked, between, distinct, nonzero
from rlenvs.envs.arithmetic.text import linear_text, number_form

UNKNOWNS = "xyz"


def linear_equation(rng: np.random.Generator, level: int) -> Problem:
    """One unknown. Mistake: a term changes sides without changing its sign."""
    if level == 4:
        return _with_brackets(rng)
    solution, b = nonzero(rng, 20 if level == 1 else 12), nonzero(rng, 50 if level == 1 else 20)
    a, c = 1 if level == 1 else between(rng, 2, 9), 0
    while level == 3 and c in (0, a):
        c = nonzero(rng, 9)
    left, right = (a, b), (c, (a - c) * solution + b)
    return _solved(f"{_side(*left)} = {_side(*right)}", left, right, [])


def _with_brackets(rng: np.random.Generator) -> Problem:
    a, c = distinct(rng, 2, 2, 9)
    b, d, e = nonzero(rng, 9), nonzero(rng, 9), nonzero(rng, 20)
    opened = f"{_side(a, a * b)} = {_side(c, c * d + e)}"
    question = f"{a}({_side(1, b)}) = {c}({_side(1, d)}) {'+' if e > 0 else '-'} {abs(e)}"
    return _solved(question, (a, a * b), (c, c * d + e), [opened])


def _solved(equation: str, left: tuple[int, int], right: tuple[int, int], lines: list[str]) -> Problem:
    """A x + b = c x + d with different a and c; the mistake takes d + b for d - b."""
    (a, b), (c, d) = left, right
    solved = Worked((*lines, *_isolated(a - c, d - b)), _quotient(d - b, a - c))
    wrong = Worked((*lines, *_isolated(a - c, d + b)), _quotient(d + b, a - c))
    question = f"Solve {equation} for x."
    return Problem(question=question, right=solved, wrong=wrong, form=number_form(solved.answer, unknown="x"))


def _isolated(factor: int, value: int) -> tuple[str, ...]:
    last = f"x={_quotient(value, factor)}"
    return (last,) if factor == 1 else (f"{_side(factor, 0)}={value}", last)


def _quotient(top: int, bottom: int) -> str:
    return str(Fraction(top, bottom))


def _side(factor: int, constant: int) -> str:
    return linear_text([(factor, "x"), (constant, "")])


Row = list[int]
"""Coefficients of the unknowns, then the constant on the right."""


def linear_system(rng: np.random.Generator, level: int) -> Problem:
    """Two or three unknowns, one solution, in integers. Mistake: putting a value back in, terms keep their sign."""
    size, largest = (2, 2, 2, 3)[level - 1], (1, 3, 9, 4)[level - 1]
    while True:
        solution = [nonzero(rng, 9 if level < 3 else 12) for _ in range(size)]
        matrix = [[nonzero(rng, largest) for _ in range(size)] for _ in range(size)]
        rows = [[*row, sum(a * x for a, x in zip(row, solution, strict=True))] for row in matrix]
        triangle, lines = _eliminated(rows)
        if all(triangle[i][i] for i in range(size)):
            break
    right, wrong = (_put_back(triangle, lines, sign) for sign in (-1, 1))
    names = " and ".join(UNKNOWNS[:size]) if size == 2 else "x, y and z"
    question = f"Solve for {names}: {', '.join(_equation(row) for row in rows)}."
    return Problem(question=question, right=right, wrong=wrong, form=Form(kind="assignment"))


def _eliminated(rows: Sequence[Row]) -> tuple[list[Row], list[str]]:
    """An upper triangle of the same solution, if no pivot is 0 (else a 0 is left on the diagonal)."""
    rows, lines = [list(row) for row in rows], []
    for i in range(len(rows)):
        for j in range(i + 1, len(rows)):
            a, b = rows[i][i], rows[j][i]
            if b:
                rows[j] = [a * q - b * p for p, q in zip(rows[i], rows[j], strict=True)]
                lines.append(_equation(rows[j]))
    return rows, lines


def _put_back(triangle: Sequence[Row], lines: Sequence[str], sign: int) -> Worked:
    """From the last unknown up: a x + known terms = constant."""
    written, values = list(lines), dict[int, Fraction]()
    for i in reversed(range(len(triangle))):
        row = triangle[i]
        known = sum((row[j] * values[j] for j in values), Fraction(0))
        values[i] = (row[-1] + sign * known) / row[i]
        written.append(f"{UNKNOWNS[i]}={values[i]}")
    return Worked(tuple(written), ", ".join(f"{UNKNOWNS[i]} = {values[i]}" for i in sorted(values)))


def _equation(row: Row) -> str:
    return f"{linear_text(list(zip(row[:-1], UNKNOWNS, strict=False)))} = {row[-1]}"


FAMILIES = (
    Family(
        "linear_equation",
        linear_equation,
        ("x + a = b", "ax + b = c", "ax + b = cx + d", "a(x + b) = c(x + d) + e, in fractions"),
    ),
    Family(
        "linear_system",
        linear_system,
        ("two unknowns, coefficients 1 and -1", "two, to 3", "two, to 9", "three, to 4"),
    ),
)
