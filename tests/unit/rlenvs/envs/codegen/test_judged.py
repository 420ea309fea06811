"""Programs of every family and level, run in a real sandbox: what the small Python says of them is what Python does."""

from collections.abc import Iterator
from operator import eq

import pytest

from rlenvs.code.judging import judged
from rlenvs.envs.codegen.problem import LIMITS
from rlenvs.envs.codegen.syntax.mutants import RAISED, near_misses, result_of
from rlenvs_sandbox import Limits, WarmRunner, open_runner
from rlenvs_sandbox.outputs import same_output

from .problems import LEVELS, chosen


@pytest.fixture(scope="module")
def sandbox() -> Iterator[WarmRunner]:
    with open_runner("bubblewrap", num_workers=2) as runner:
        yield runner


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_right_programs_pass_and_typical_mistakes_fail(name: str, level: int, sandbox: WarmRunner) -> None:
    for _, problem in chosen(name, level, 4):
        code = problem.as_code_problem("?", {})
        right, wrong = (judged(text, code.tests, sandbox, LIMITS) for text in (problem.right, problem.wrong))
        assert (right.status, right.passed, right.total) == ("pass", len(problem.trials), len(problem.trials)), right
        assert wrong.status in ("fail", "runtime_error", "timeout"), (problem.wrong, wrong)
        assert code.examples is not None
        assert judged(code.solution, code.examples, sandbox, LIMITS).is_pass


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_near_misses_pass_as_many_tests_as_the_small_python_says(name: str, level: int, sandbox: WarmRunner) -> None:
    ((draft, problem),) = chosen(name, level, 1)
    num_compared = 0
    for miss in list(near_misses(draft.right))[::2]:
        results = [result_of(miss, trial.arguments) for trial in problem.trials]
        if RAISED in results:
            continue  # by how many tests an error costs, functions and scripts differ
        is_same = eq if problem.entry_point else lambda given, wanted: same_output(wanted, given.encode())
        num_same = sum(is_same(given, trial.result) for given, trial in zip(results, problem.trials, strict=True))
        outcome = judged(miss.text, problem.tests, sandbox, Limits(wall_s=5.0))
        assert (outcome.passed, outcome.total) == (num_same, len(results)), miss.text
        num_compared += 1
    assert num_compared >= 2
