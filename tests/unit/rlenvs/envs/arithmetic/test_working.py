"""What is written on the way to an answer: true lines, and the typical mistake."""

import re
from fractions import Fraction

import pytest
import sympy

from rlenvs.envs.arithmetic.answers import is_equal

from .problems import LEVELS, drawn
from .solvers import SOLVERS, in_x, stated, value


def holds(line: str) -> bool | None:
    """Whether an equation is true; None where the line is none."""
    if found := re.fullmatch(r"([-+*/^(). 0-9]+)=([-0-9./]+)", line):
        return value(found[1]) == value(found[2])
    if found := re.fullmatch(r"(\d+)/(\d+)=(\d+) r (\d+)", line):
        return divmod(int(found[1]), int(found[2])) == (int(found[3]), int(found[4]))
    if found := re.fullmatch(r"(\d+) mod (\d+)=(\d+)", line):
        return int(found[1]) % int(found[2]) == int(found[3])
    if found := re.fullmatch(r"([-*()x^0-9]+\*[-*()x^0-9]+)=([-x^0-9]+)", line):
        return bool(sympy.expand(in_x(found[1]) - in_x(found[2])) == 0)
    return None


WITHOUT_EQUATIONS = {
    *("sort", "count", "reverse", "largest", "smallest", "compare", "linear_equation", "linear_system", "derivative"),
}


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_every_equation_of_the_working_holds(name: str, level: int) -> None:
    checked = [(holds(line), line) for problem in drawn(name, level) for line in problem.working]
    assert [line for held, line in checked if held is False] == []
    assert any(held for held, _ in checked) or name in WITHOUT_EQUATIONS


@pytest.mark.parametrize(("name", "level"), [pair for pair in LEVELS if pair[0] == "linear_system"])
def test_every_line_of_an_elimination_holds_for_the_solution(name: str, level: int) -> None:
    for problem in drawn(name, level):
        solution = stated(problem)
        assert isinstance(solution, dict)
        for line in problem.working:
            left, right = re.split(r"\s*=\s*", line)
            assert in_x(left).subs(solution) == in_x(right), (line, problem)


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_the_typical_mistake_ends_in_a_wrong_answer(name: str, level: int) -> None:
    for problem in drawn(name, level):
        truth, answer = SOLVERS[name](problem.question), problem.wrong.answer
        assert not is_equal(answer, problem.answer, problem.form)
        if problem.form.kind in ("integer", "number"):
            assert Fraction(answer) != truth, problem


def test_forgotten_or_invented_carries_are_the_mistake_in_adding() -> None:
    for problem in drawn("add", 1):
        a, b = map(int, re.findall(r"\d+", problem.question))
        ones, tens = a % 10 + b % 10, a // 10 + b // 10
        expected = tens * 10 + ones % 10 if ones > 9 else (tens + 1) * 10 + ones
        assert problem.wrong.answer == str(expected)
