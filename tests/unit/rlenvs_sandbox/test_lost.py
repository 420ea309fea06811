"""Sandboxes that are lost: what a program did not do is not held against it."""

import pytest

from rlenvs_sandbox import Assertions, Outcome, Program, WarmRunner
from rlenvs_sandbox.worker import LostError

PROGRAM = Program(text="def f(x): return x\nprint(1)")


@pytest.fixture
def losing(sandbox: WarmRunner, monkeypatch: pytest.MonkeyPatch):
    """`losing(texts, times)`: the first so many runs of programs with one of these texts lose their sandbox."""

    def armed(texts: tuple[str, ...], times: int) -> WarmRunner:
        lost = []
        ran, judged = WarmRunner._ran, WarmRunner._judged

        def fail(program: Program) -> None:
            if program.text in texts and len(lost) < times:
                lost.append(program.text)
                raise LostError("killed")

        def _ran(self: WarmRunner, program: Program, limits: object) -> Outcome:
            fail(program)
            return ran(self, program, limits)  # type: ignore[arg-type]

        def _judged(self: WarmRunner, program: Program, tests: object, limits: object) -> Outcome:
            fail(program)
            return judged(self, program, tests, limits)  # type: ignore[arg-type]

        monkeypatch.setattr(WarmRunner, "_ran", _ran)
        monkeypatch.setattr(WarmRunner, "_judged", _judged)
        return sandbox

    return armed


@pytest.mark.parametrize("times", [1, 2])
def test_a_program_whose_sandbox_is_lost_is_run_again(losing, times: int) -> None:
    runner = losing((PROGRAM.text,), times)
    assert runner.run(PROGRAM).status == "pass"


@pytest.mark.parametrize("times", [1, 2])
def test_a_program_is_judged_again_too(losing, times: int) -> None:
    runner = losing((PROGRAM.text,), times)
    assert runner.judge(PROGRAM, Assertions(text="assert f(1) == 1")).status == "pass"


def test_a_program_that_loses_every_sandbox_where_others_lose_none_is_to_blame(losing) -> None:
    outcome = losing((PROGRAM.text,), 3).run(PROGRAM)
    assert (outcome.status, outcome.detail) == ("runtime_error", "3 sandboxes were lost while it ran: killed")


def test_where_harmless_programs_lose_theirs_too_nobody_is_to_blame(losing) -> None:
    outcome = losing((PROGRAM.text, "pass"), 6).run(PROGRAM)
    assert outcome.status == "sandbox_error"
    assert "one after the other" in outcome.detail
