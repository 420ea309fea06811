"""Near misses, and the tests that tell them from the right program."""

import pytest

from rlenvs.code.records import FunctionTests
from rlenvs.envs.codegen.choosing import MAX_SAME, problem_of
from rlenvs.envs.codegen.problem import Draft, function, literal
from rlenvs.envs.codegen.syntax.comprehensions import each
from rlenvs.envs.codegen.syntax.expressions import Name, call, lifted
from rlenvs.envs.codegen.syntax.logic import Choice
from rlenvs.envs.codegen.syntax.mutants import near_misses, result_of
from rlenvs.envs.codegen.syntax.statements import Assign, Function, If, Return

from .problems import LEVELS, chosen

A, X, XS = Name("a"), Name("x"), Name("xs")


def test_near_misses_are_the_ways_in_which_people_get_a_program_wrong() -> None:
    right = function("solve", "xs", Assign(XS, XS[1:]), Return(call("sum", each(X - 2, "x", XS, X.is_(">", 3)))))
    texts = {miss.text.partition("\n")[2].strip().replace("\n    ", "; ") for miss in near_misses(right)}
    assert texts == {
        "return sum(x - 2 for x in xs if x > 3)",  # a step is left out
        "xs = xs[:]; return sum(x - 2 for x in xs if x > 3)",
        "xs = xs[2:]; return sum(x - 2 for x in xs if x > 3)",
        "xs = xs[0:]; return sum(x - 2 for x in xs if x > 3)",
        "xs = xs[1:]; return len([x - 2 for x in xs if x > 3])",
        "xs = xs[1:]; return sum(x + 2 for x in xs if x > 3)",
        "xs = xs[1:]; return sum(2 - x for x in xs if x > 3)",
        "xs = xs[1:]; return sum(x for x in xs if x > 3)",
        "xs = xs[1:]; return sum(x - 3 for x in xs if x > 3)",
        "xs = xs[1:]; return sum(x - 1 for x in xs if x > 3)",
        "xs = xs[1:]; return sum(x - 2 for x in xs if x >= 3)",
        "xs = xs[1:]; return sum(x - 2 for x in xs if x < 3)",
        "xs = xs[1:]; return sum(x - 2 for x in xs if x > 4)",
        "xs = xs[1:]; return sum(x - 2 for x in xs if x > 2)",
        "xs = xs[1:]; return sum(x - 2 for x in xs)",
    }


def test_leaving_out_the_condition_of_an_early_end_is_a_near_miss() -> None:
    right = function("solve", "a", If(A.is_("<", 0), (Return(lifted(0)),)), Return(A))
    texts = [miss.text for miss in near_misses(right)]
    assert {"def solve(a):\n    return a\n", "def solve(a):\n    return 0\n"} <= set(texts)


def draft_of(right: Function, *wrong: Function, inputs: list[int]) -> Draft:
    return Draft(words="?", right=right, mistakes=wrong, inputs=tuple((value,) for value in inputs))


AT_LEAST = function("solve", "a", Return(Choice(A + 1, A.is_(">=", 50), A * 2)))
ABOVE = function("solve", "a", Return(Choice(A + 1, A.is_(">", 50), A * 2)))


def test_an_input_that_alone_tells_a_near_miss_becomes_a_test_wherever_it_stands() -> None:
    inputs = [*range(0, 40, 4), *range(60, 90, 2), 50, 49]
    problem = problem_of(draft_of(AT_LEAST, ABOVE, inputs=inputs), 2)
    assert problem is not None
    tested = {trial.arguments[0]: trial.result for trial in problem.trials}
    assert (tested[50], tested[49]) == (51, 98)
    assert len(tested) == len(problem.trials) < len(inputs)
    assert problem.wrong == ABOVE.text
    assert isinstance(problem.tests, FunctionTests)
    assert "assert solve(50) == 51\n" in problem.tests.text


def test_an_example_shows_what_the_mistake_gets_wrong() -> None:
    problem = problem_of(draft_of(AT_LEAST, ABOVE, inputs=[*range(10), *range(60, 80), 50]), 2)
    assert problem is not None
    assert problem.examples[0].arguments == (50,)
    assert problem.question.startswith("?\nsolve(50) -> 51\nsolve(")


def test_a_draft_whose_mistake_is_no_mistake_or_whose_results_are_all_alike_is_refused() -> None:
    twice, added = function("solve", "a", Return(A * 2)), function("solve", "a", Return(A + A))
    assert problem_of(draft_of(twice, added, inputs=list(range(20))), 2) is None
    even = function("solve", "a", Return((A % 60).is_("==", 0)))
    assert problem_of(draft_of(even, twice, inputs=list(range(1, 60))), 2) is None
    kept = function("solve", "a", Return(Choice(A, A.is_(">", 0), A * 2)))
    assert (
        problem_of(draft_of(kept, twice, inputs=list(range(1, 60))), 2) is None
    )  # what is asked gives each input back
    assert problem_of(draft_of(twice, function("solve", "a", Return(A)), inputs=[1, 2, 3]), 2) is None


def test_a_mistake_that_is_right_at_times_is_preferred_to_one_that_never_is() -> None:
    never, at_times = function("solve", "a", Return(lifted("x"))), ABOVE
    problem = problem_of(draft_of(AT_LEAST, never, at_times, inputs=[*range(40, 60, 2), 50, *range(60)]), 2)
    assert problem is not None
    assert problem.wrong == at_times.text


def test_literals_are_python_with_double_quotes() -> None:
    assert literal({"a": ["b'c", None, True, -3]}) == '{"a": ["b\'c", None, True, -3]}'


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_near_misses_that_any_input_of_the_family_shows_fail_a_test(name: str, level: int) -> None:
    """Of the programs with one piece changed that differ somewhere on the inputs of ten other problems."""
    problems = chosen(name, level, 10)
    elsewhere = [arguments for draft, _ in problems for arguments in draft.inputs[:12]]
    survivors, num_wrong = [], 0
    for draft, problem in problems:
        known = [(arguments, result_of(draft.right, arguments)) for arguments in elsewhere]
        for miss in near_misses(draft.right):
            fails = any(result_of(miss, trial.arguments) != trial.result for trial in problem.trials)
            if fails or any(result_of(miss, arguments) != result for arguments, result in known):
                num_wrong += 1
                survivors += [] if fails else [miss.text]
    assert num_wrong > 20
    assert len(survivors) <= 0.03 * num_wrong, survivors


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_no_idle_program_passes(name: str, level: int) -> None:
    """Constants, the argument itself, and the examples learnt by heart with any result for the rest."""
    for draft, problem in chosen(name, level, 50):
        results = [literal(trial.result) for trial in problem.trials]
        assert max(map(results.count, results)) <= MAX_SAME * len(results)
        rest = [literal(trial.result) for trial in problem.trials if trial not in problem.examples]
        assert len(set(rest)) > 1
        if isinstance(draft.right, Function):
            assert any(trial.arguments[0] != trial.result for trial in problem.trials)


def test_examples_are_such_as_people_learn_from() -> None:
    inputs = [[], [0], [1, 1, 1], [3], [4, 9], [9, 4], [2, 7, 7], [5, 1], [8, 0, 2], [6, 5], [3, 9, 1]]
    right, wrong = (function("solve", "xs", Return(call("sorted", XS, reverse=turned))) for turned in (True, False))
    draft = Draft(words="?", right=right, mistakes=(wrong,), inputs=tuple((items,) for items in inputs))
    problem = problem_of(draft, 3)
    assert problem is not None
    # The shortest that the program changes, their results all different: neither [9, 4] nor what is empty or alike.
    assert [trial.arguments[0] for trial in problem.examples] == [[4, 9], [2, 7, 7], [8, 0, 2]]
