"""Every family and level against solvers of their own: answers, questions, sizes."""

import re
from statistics import mean

import pytest
import sympy

from rlenvs.envs.arithmetic.answers import is_equal
from rlenvs.envs.arithmetic.source import FAMILIES, Place, problem_at

from .problems import LEVELS, drawn
from .solvers import SOLVERS, numbers, stated


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_the_answer_is_what_an_independent_solver_finds_in_the_question(name: str, level: int) -> None:
    for problem in drawn(name, level):
        truth, answer = SOLVERS[name](problem.question), stated(problem)
        if isinstance(truth, sympy.Expr):
            assert sympy.simplify(truth - answer) == 0, problem
        else:
            assert answer == truth, problem


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_an_answer_equals_itself_and_no_other_answer_of_the_level(name: str, level: int) -> None:
    problems = drawn(name, level, 20)
    for problem in problems:
        assert is_equal(problem.answer, problem.answer, problem.form)
        if problem.form.kind not in ("factored", "expression", "polynomial"):
            equal = [other.answer for other in problems if is_equal(other.answer, problem.answer, problem.form)]
            truths = [SOLVERS[name](other.question) for other in problems if other.answer in equal]
            assert all(truth == SOLVERS[name](problem.question) for truth in truths)


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_the_question_itself_is_no_answer(name: str, level: int) -> None:
    for problem in drawn(name, level):
        inner = re.sub(r"^(What is|Expand|Factor|Write|Convert) |[.?]$", "", problem.question)
        assert not is_equal(problem.question, problem.answer, problem.form)
        assert not is_equal(inner, problem.answer, problem.form)


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_a_level_has_room_for_questions_that_differ(name: str, level: int) -> None:
    questions = {problem_at(Place(name, level, index), "test").question for index in range(60)}
    assert len(questions) >= 36
    assert all(question.isascii() and "\n" not in question for question in questions)


def size(name: str, level: int) -> float:
    """Characters of question, working and answer, on average."""
    problems = [problem_at(Place(name, level, index), "train") for index in range(100)]
    return mean(len(p.question) + len("".join(p.working)) + len(p.answer) for p in problems)


GRADED = (
    *("add", "subtract", "multiply", "running_sum", "sort", "count", "reverse", "largest", "smallest", "simplify"),
    *("gcd", "lcm", "evaluate", "expand", "linear_equation", "linear_system", "word_problem"),
)


@pytest.mark.parametrize("name", GRADED)
def test_each_level_takes_longer_to_work_out_than_the_one_before(name: str) -> None:
    sizes = [size(name, level) for level in range(1, len(FAMILIES[name].levels) + 1)]
    assert sizes == sorted(sizes)
    assert len(set(sizes)) == len(sizes)


@pytest.mark.parametrize("name", sorted(set(FAMILIES) - set(GRADED)))
def test_the_last_level_takes_longer_to_work_out_than_the_first(name: str) -> None:
    assert size(name, len(FAMILIES[name].levels)) > 1.05 * size(name, 1)


def test_number_of_digits_is_what_the_level_says() -> None:
    for level in range(1, 5):
        for problem in drawn("add", level, 20):
            assert [len(str(n)) for n in numbers(problem.question)] == [level + 1, level + 1]
        for problem in drawn("reverse", level, 20):
            assert len(numbers(problem.question)) == level + 2


def test_families_have_names_of_their_own_and_four_levels() -> None:
    assert len(FAMILIES) >= 10
    assert set(SOLVERS) == set(FAMILIES)
    assert all(len(family.levels) == 4 and family.draw.__doc__ for family in FAMILIES.values())
