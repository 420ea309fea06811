"""Verdicts on whole programs, with real sandboxes: statuses, counts, and what is not run any more."""

from types import SimpleNamespace

import pytest

from rlenvs.code.judging import judged
from rlenvs.code.records import Case, FunctionTests, OutputTests
from rlenvs_sandbox import Comparison, Limits, Outcome

LIMITS = Limits(wall_s=2.0)
SQUARES = OutputTests(cases=tuple(Case(stdin=f"{n}\n", stdout=f"{n * n}\n") for n in range(1, 6)))


@pytest.mark.parametrize(
    ("program", "status", "passed"),
    [
        ("print(int(input()) ** 2)", "pass", 5),
        ("n = int(input())\nprint(n * n if n != 3 else 0)", "fail", 4),
        ("n = int(input())\nprint(n * n)\nif n == 2: raise ValueError('two')", "runtime_error", 4),
        ("n = int(input())\nwhile n == 2: pass\nprint(n * n)", "timeout", 1),
        ("print('0')", "fail", 0),
        ("", "fail", 0),
        ("print(", "runtime_error", 0),
    ],
)
def test_each_case_is_a_run_and_a_test(sandbox, program, status, passed):
    outcome = judged(program, SQUARES, sandbox, Limits(wall_s=1.0))
    assert (outcome.status, outcome.passed, outcome.total) == (status, passed, 5)


def test_after_a_program_has_overrun_its_limits_it_is_not_run_again():
    runs = []

    def run(program, limits):
        runs.append(program.stdin)
        return Outcome(status="timeout", detail="too late")

    outcome = judged("…", SQUARES, SimpleNamespace(run=run), LIMITS)
    assert runs == [b"1\n"]
    assert (outcome.status, outcome.passed, outcome.total) == ("timeout", 0, 5)
    assert outcome.failures == ("test 1: timeout: too late",)


def test_a_lost_sandbox_is_no_verdict_on_a_program_that_had_passed_some():
    outcomes = iter([Outcome(status="pass", stdout=b"1\n"), Outcome(status="sandbox_error", detail="gone")])
    outcome = judged("…", SQUARES, SimpleNamespace(run=lambda program, limits: next(outcomes)), LIMITS)
    assert (outcome.status, outcome.passed, outcome.detail) == ("sandbox_error", 0, "gone")


def test_a_case_is_compared_as_its_problem_says(sandbox):
    tests = OutputTests(cases=(Case(stdin="", stdout="0.5 YES"),), comparison=Comparison(by="tokens"))
    close = Comparison(by="tokens", ignores_case=True, absolute_tol=0.01)
    program = "print('0.501')\nprint('yes')"
    assert judged(program, tests, sandbox, LIMITS).status == "fail"
    assert judged(program, OutputTests(cases=tests.cases, comparison=close), sandbox, LIMITS).status == "pass"


CHECKER = """
import sys
n = int(open("input").read())
found = sorted(map(int, open("output").read().split()))
assert n != 13, "this checker cannot count to 13"
sys.exit(0 if len(found) == 2 and sum(found) == n else 43)
"""


@pytest.mark.parametrize(
    ("program", "numbers", "status"),
    [
        ("n = int(input())\nprint(n - 1, 1)", [5, 9], "pass"),
        ("n = int(input())\nprint(n, 1)", [5, 9], "fail"),
        ("print('garbage')", [5, 9], "fail"),
        ("raise SystemExit(3)", [5, 9], "runtime_error"),
        ("n = int(input())\nprint(n - 1, 1)", [5, 13], "sandbox_error"),
    ],
)
def test_a_checker_judges_in_place_of_a_comparison(sandbox, program, numbers, status):
    tests = OutputTests(cases=tuple(Case(stdin=f"{n}\n", stdout=f"{n} 0") for n in numbers), checker=CHECKER)
    assert judged(program, tests, sandbox, LIMITS).status == status


def test_functions_are_tested_one_assertion_at_a_time(sandbox):
    tests = FunctionTests(text="assert double(2) == 4\nassert double(0) == 0\nassert double(-1) == -2")
    outcome = judged("def double(x):\n    return abs(2 * x)", tests, sandbox, LIMITS)
    assert (outcome.status, outcome.passed, outcome.total) == ("fail", 2, 3)
    assert outcome.failures[0].startswith("test 3: AssertionError")


def test_a_program_in_another_language_is_compiled_and_compared(sandbox):
    program = '#include <cstdio>\nint main() { long n; scanf("%ld", &n); printf("%ld\\n", n * n); }'
    outcome = judged(program, SQUARES, sandbox, LIMITS, language="cpp")
    assert (outcome.status, outcome.passed) == ("pass", 5)
