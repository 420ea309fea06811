"""What does not fit into a message between tests and a program: whose fault it is."""

import pytest

from rlenvs_sandbox import Assertions, Limits, Program, WarmRunner
from rlenvs_sandbox.inside.frames import MAX_FRAME

LONG = f"'x' * {MAX_FRAME}"


@pytest.mark.parametrize(
    ("text", "tests"),
    [
        (f"def f(): return {LONG}", "assert len(f())"),
        (f"def f(): return 'x' * {MAX_FRAME - 1000}", "assert f() + f()\nassert f(f() + f())"),
        ("def f(g): return g('x')", f"assert f(lambda x: x * {MAX_FRAME})"),
        (f"x = {LONG}\ndef f(a): return a", "assert f(x)"),
        (f"x = 'x' * {MAX_FRAME - 20}\ndef f(a): return a", "assert f(x)"),
        (f"def f(a): a.append({LONG}); return 1", "assert f([]) == 1"),
    ],
    ids=["result", "of results", "callback", "global", "just", "changed"],
)
def test_values_of_a_program_that_are_too_long_are_too_much_output(sandbox: WarmRunner, text: str, tests: str) -> None:
    outcome = sandbox.judge(Program(text=text), Assertions(text=tests), Limits(mem_mb=1024))
    assert outcome.status == "output_limit", outcome
    assert f"{MAX_FRAME} at most" in outcome.detail


def test_arguments_of_the_tests_that_are_too_long_are_the_tests_fault(sandbox: WarmRunner) -> None:
    outcome = sandbox.judge(Program(text="def f(x): return 1"), Assertions(text=f"assert f({LONG}) == 1"))
    assert outcome.status == "sandbox_error"
    assert f"{MAX_FRAME} at most" in outcome.detail


def test_a_value_that_just_fits_is_a_value(sandbox: WarmRunner) -> None:
    text, tests = f"def f(n): return 'x' * ({MAX_FRAME} - n)", "assert len(f(100)) > 2 ** 23"
    assert sandbox.judge(Program(text=text), Assertions(text=tests), Limits(mem_mb=1024)).is_pass
