"""Every family and level: examples are true, mistakes are wrong, values are small JSON values, levels have room."""

import ast
import json
from statistics import mean

import pytest

from rlenvs.code.records import FunctionTests, OutputTests
from rlenvs.envs.codegen.source import FAMILIES, Place, problem_at, split_of
from rlenvs.envs.codegen.syntax.mutants import result_of
from rlenvs.envs.procedural import generator

from .problems import LEVELS, NUM, chosen


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_two_hundred_problems_have_small_tests_of_which_the_examples_are_some(name: str, level: int) -> None:
    for _, problem in chosen(name, level, NUM):
        assert 10 <= len(problem.trials) <= 20
        assert len(problem.examples) in (2, 2 if level == 1 else 3)
        assert all(trial in problem.trials for trial in problem.examples)
        values = [[list(trial.arguments), trial.result] for trial in problem.trials]
        assert json.loads(json.dumps(values)) == values
        assert len(json.dumps(values)) < 10_000
        assert problem.question.isascii()


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_programs_are_python_and_define_what_is_tested(name: str, level: int) -> None:
    for _, problem in chosen(name, level, NUM):
        for text in (problem.right, problem.wrong):
            tree = ast.parse(text)
            assert text.endswith("\n")
            assert max(map(len, text.splitlines())) <= 130
            if problem.entry_point:
                (defined,) = tree.body
                assert isinstance(defined, ast.FunctionDef)
                assert defined.name == problem.entry_point
                assert f"{problem.entry_point}({', '.join(arg.arg for arg in defined.args.args)})" in problem.words
        assert isinstance(problem.tests, FunctionTests if problem.entry_point else OutputTests)
        assert problem.right != problem.wrong


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_the_mistake_that_is_shown_is_wrong_on_some_tests_and_seldom_on_all(name: str, level: int) -> None:
    num_wholly = 0
    for draft, problem in chosen(name, level, NUM):
        mistake = next(routine for routine in draft.mistakes if routine.text == problem.wrong)
        fails = [result_of(mistake, trial.arguments) != trial.result for trial in problem.trials]
        assert [result_of(draft.right, trial.arguments) for trial in problem.trials] == [
            trial.result for trial in problem.trials
        ]
        assert any(fails)
        num_wholly += all(fails)
    assert num_wholly <= 0.5 * NUM


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_a_level_has_room_for_problems_that_differ(name: str, level: int) -> None:
    train = {problem_at(Place(name, level, index), "train").words for index in range(60)}
    test = {problem_at(Place(name, level, index), "test").words for index in range(30)}
    assert len(train) >= 50
    assert len(test) >= 20
    assert train.isdisjoint(test)
    assert {split_of(words) for words in test} == {"test"}


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_three_hundred_drafts_seldom_ask_the_same(name: str, level: int) -> None:
    """Of a thousand equally likely problems, 300 draws give 259 different ones; of 200, 156."""
    rng = generator(1, f"{name} {level}")
    words = {FAMILIES[name].draw(rng, level).words for _ in range(300)}
    held_out = sum(split_of(each) == "test" for each in words)
    assert len(words) - held_out >= 190
    assert held_out >= 12


def size(name: str, level: int) -> float:
    """Characters of the question and the right program, on average."""
    return mean(len(problem.question) + len(problem.right) for _, problem in chosen(name, level, NUM))


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_the_first_level_is_the_smallest(name: str) -> None:
    sizes = [size(name, level) for level in range(1, len(FAMILIES[name].levels) + 1)]
    assert sizes[0] == min(sizes)


def test_level_one_of_the_formulas_is_a_few_dozen_characters() -> None:
    assert max(len(problem.right) for _, problem in chosen("formula", 1, NUM)) <= 45
    assert mean(len(problem.question) for _, problem in chosen("formula", 1, NUM)) < 120


def test_the_same_place_gives_the_same_problem() -> None:
    for name, level in LEVELS:
        place = Place(name, level, 7)
        assert problem_at(place, "train") == problem_at(place, "train")
