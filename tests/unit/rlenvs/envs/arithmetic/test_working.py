"""What is written on the way to an answer: every line is true, and the typical mistake ends wrong."""

import re
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import pytest
import sympy

from rlenvs.envs.arithmetic.answers import is_equal
from rlenvs.envs.arithmetic.problem import Problem

from .problems import LEVELS, drawn
from .solvers import SOLVERS, TO_BASE, X, in_x, numbers, stated, value


def same(one: str, other: str) -> bool:
    return bool(sympy.expand(in_x(one) - in_x(other)) == 0)


def polynomial(problem: Problem) -> sympy.Poly:
    """The one that is to be factored, or whose roots are wanted."""
    return sympy.Poly(
        in_x(re.sub(r"^(Factor|Find all roots of) | (completely|into linear factors)|\.$", "", problem.question))
    )


def slope(text: str) -> sympy.Expr:
    """The derivative of an expression in x, or in u: what is inside of another."""
    return sympy.diff(in_x(text), sympy.Symbol("u") if "(u)" in text else X)


Check = Callable[..., bool]  # of the parts of a line, and of the problem it belongs to

READERS: dict[str, Check] = {
    r"([-+*/^(). 0-9]+)=([-0-9./]+)": lambda _, one, other: value(one) == value(other),
    r"(\d+)/(\d+)=(\d+) r (\d+)": lambda _, a, b, whole, rest: divmod(int(a), int(b)) == (int(whole), int(rest)),
    r"(\d+) mod (\d+)=(\d+)": lambda _, one, modulus, rest: int(one) % int(modulus) == int(rest),
    r"([-*()x^0-9]+\*[-*()x^0-9]+)=([-x^0-9]+)": lambda _, one, other: same(one, other),
    r"(\d+)<(\d+)": lambda _, one, other: int(one) < int(other),
    r"(\d+)>(\d+)": lambda _, one, other: int(one) > int(other),
    r"1 (\S+)=([\d.]+) (\S+)": lambda _, unit, number, other: TO_BASE[unit] == Fraction(number) * TO_BASE[other],
    r"steps (.*)": lambda problem, steps: numbers(steps) == [b - a for a, b in pairwise(numbers(problem.question))],
    r"D=(.*)=(\d+)": lambda problem, one, other: value(one) == int(other) == polynomial(problem).discriminant(),
    r"sqrt D=(\d+)": lambda problem, root: int(root) ** 2 == polynomial(problem).discriminant(),
    r"x=(-?\d+) gives 0": lambda problem, root: polynomial(problem).eval(int(root)) == 0,
    r"(\(.*\)\(.*\))": lambda problem, product: sympy.expand(in_x(product)) == polynomial(problem).as_expr(),
    r"inner (.*), its derivative (.*)": lambda _, inner, its: slope(inner) == in_x(its),
    r"(.*[xu].*): (.*)": lambda _, part, its: sympy.simplify(slope(part) - in_x(its)) == 0,
}


def holds(line: str, problem: Problem) -> bool | None:
    """Whether a line is true; None where it is none of these forms."""
    for pattern, check in READERS.items():
        if found := re.fullmatch(pattern, line):
            return check(problem, *found.groups())
    return None


LINEAR = ("linear_equation", "linear_system")
LISTS = {
    "sort": r"(\w+):(.+)",
    "count": r"(\w+)=\w\?[yn](\d+)",
    "largest": r"(\d+):(\d+)",
    "smallest": r"(\d+):(\d+)",
}  # by family, a line's item of the list, and the answer for the list so far


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_every_equation_of_the_working_holds(name: str, level: int) -> None:
    checked = [(holds(line, problem), line) for problem in drawn(name, level) for line in problem.working]
    assert checked
    assert [line for held, line in checked if held is False] == []
    unread = [line for held, line in checked if held is None]
    assert bool(unread) == (name in (*LINEAR, *LISTS, "reverse")), "these are read below"


@pytest.mark.parametrize(("name", "level"), [pair for pair in LEVELS if pair[0] in LINEAR])
def test_every_line_of_an_elimination_holds_for_the_solution(name: str, level: int) -> None:
    for problem in drawn(name, level):
        truth = stated(problem)
        solution = truth if isinstance(truth, dict) else {"x": truth}
        for line in problem.working:
            left, right = re.split(r"\s*=\s*", line)
            assert in_x(left).subs(solution) == in_x(right).subs(solution), (line, problem)


@pytest.mark.parametrize(("name", "level"), [pair for pair in LEVELS if pair[0] in LISTS])
def test_every_line_about_a_list_answers_for_the_list_so_far(name: str, level: int) -> None:
    for problem in drawn(name, level):
        (items,) = re.findall(r"(?:Sort|in|of) (\w+(?: \w+)+)(?: in|\?)", problem.question)
        so_far: list[str] = []
        for line in problem.working:
            found = re.fullmatch(LISTS[name], line)
            assert found, line
            so_far.append(found[1])
            answer = found[2]
            truth = SOLVERS[name](problem.question.replace(items, " ".join(so_far)))
            if name == "sort":
                assert [int(item) for item in (answer.split() if level == 4 else answer)] == truth, line
            else:
                assert Fraction(answer) == truth, line
            if name == "count":
                assert ("?y" in line) == (line[0] == line[2]), line
        assert " ".join(so_far) == items


@pytest.mark.parametrize("level", range(1, 5))
def test_digits_are_written_one_by_one_in_reverse(level: int) -> None:
    for problem in drawn("reverse", level):
        assert [int(line) for line in problem.working] == SOLVERS["reverse"](problem.question)


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
