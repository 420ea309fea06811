"""Every published solution passes its tests, and a nearly right program fails them."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import pytest

from rlenvs.code.data import load_code_problems
from rlenvs.code.judging import judged
from rlenvs.code.records import CodeProblem
from rlenvs_sandbox import Outcome, Runner

from .mutants import mutants

SETS = [
    ("humaneval", "test", 164),
    ("humaneval_plus", "test", 164),
    ("mbpp", "test", 500),
    ("mbpp", "train", 374),
    ("mbpp", "validation", 90),
    ("mbpp", "prompt", 10),
    ("mbpp_sanitized", "test", 257),
    ("mbpp_plus", "test", 378),
    ("apps", "sample", 5),
]
AT_A_TIME = 2
pytestmark = pytest.mark.filterwarnings("ignore:invalid escape sequence:DeprecationWarning")  # of the solutions


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("name", "split", "count"), SETS)
def test_every_solution_passes(sandbox: Runner, data_folder: str, name: str, split: str, count: int) -> None:
    problems = load_code_problems(name, split, data=data_folder)
    assert len(problems) == count
    with ThreadPoolExecutor(AT_A_TIME) as threads:
        outcomes = list(threads.map(partial(of_solution, sandbox), problems))
    found = {each.id: outcome for each, outcome in zip(problems, outcomes, strict=True)}
    assert {id: outcome for id, outcome in found.items() if not outcome.is_pass} == {}
    assert all(0 < outcome.total == outcome.passed for outcome in found.values())


def of_solution(sandbox: Runner, problem: CodeProblem) -> Outcome:
    return judged(problem.whole(problem.solution), problem.tests, sandbox, problem.limits)


@pytest.mark.parametrize("name", ["humaneval", "mbpp_plus"])
def test_every_solution_is_right_for_the_examples_that_a_policy_may_see(
    sandbox: Runner, data_folder: str, name: str
) -> None:
    for problem in load_code_problems(name, data=data_folder):
        if problem.examples is not None:
            assert judged(problem.solution, problem.examples, sandbox, problem.limits).is_pass, problem.id


MUTATED = [(name, split) for name, split, _ in SETS if name != "mbpp_sanitized"]  # whose problems are MBPP's, too


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("name", "split"), MUTATED)
def test_of_every_solution_a_mutant_fails(sandbox: Runner, data_folder: str, name: str, split: str) -> None:
    problems = load_code_problems(name, split, data=data_folder)
    with ThreadPoolExecutor(AT_A_TIME) as threads:
        found = list(threads.map(partial(failing_mutant, sandbox), problems))
    assert found.count("none") == 0, [each.id for each, what in zip(problems, found, strict=True) if what == "none"]
    assert found.count("result") <= MAX_BY_RESULT * len(problems)  # of solutions without operators and constants


MAX_BY_RESULT = 0.5
MUTANT_S = 2.0  # of processor time, for a mutant that never ends; what it got wrong before is kept


def failing_mutant(sandbox: Runner, problem: CodeProblem) -> str:
    """What the first mutant that is found to be wrong has changed; for none of them the sandbox or the tests break."""
    for mutant, is_by_result in mutants(problem.solution):
        limits = replace(problem.limits, cpu_s=MUTANT_S)
        outcome = judged(problem.whole(mutant), problem.tests, sandbox, limits)
        assert outcome.status != "sandbox_error", (problem.id, outcome)
        if outcome.status == "fail" or (outcome.status == "timeout" and outcome.failures):
            return "result" if is_by_result else "operator"
    return "none"
