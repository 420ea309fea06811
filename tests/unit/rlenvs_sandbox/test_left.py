"""Workers that are gone, and what their owners have left: neither is taken for one that is there."""

import os
import signal
import socket
import tempfile
import time
from pathlib import Path

import pytest

from rlenvs_sandbox import Assertions, Limits, Outcome, Program, WarmRunner
from rlenvs_sandbox.bubblewrap import Bubblewrap
from rlenvs_sandbox.launching import LaunchedProcess
from rlenvs_sandbox.owners import is_left, new_folder, owner, sweep_folders
from rlenvs_sandbox.worker import LostError


class Recorded:
    """A launcher that knows whom it has started."""

    def __init__(self) -> None:
        self.launched: list[LaunchedProcess] = []

    def launch(self, limits: Limits) -> LaunchedProcess:
        self.launched.append(Bubblewrap().launch(limits))
        return self.launched[-1]


def test_workers_that_were_killed_while_they_were_idle_cost_a_program_nothing() -> None:
    launcher = Recorded()
    with WarmRunner(launcher, num_workers=3) as runner:
        tests = Assertions(text="assert f(1) == 1")
        assert runner.judge(Program(text="def f(x): return x"), tests).is_pass
        for each in launcher.launched:
            os.killpg(each._process.pid, signal.SIGKILL)
            while not each.is_over():
                time.sleep(0.01)
        assert runner.judge(Program(text="def f(x): return x"), tests).is_pass
        assert len(launcher.launched) == 4


def test_a_program_that_cannot_start_beside_its_tests_leaves_no_descriptors() -> None:
    before = os.listdir("/proc/self/fd")
    tests = Assertions(text="assert f(1) == 1")
    with WarmRunner(Bubblewrap(), num_workers=1) as runner:
        for _ in range(3):
            assert runner.judge(Program(text="def f(x): return x"), tests).is_pass
            with runner._programs.worker(Limits()) as worker:
                worker.launched.control.shutdown(socket.SHUT_RDWR)
                worker.suits = lambda _: True  # type: ignore[method-assign]  # it looks as if it were there
            with pytest.raises(LostError):
                runner._judged(Program(text=""), tests, Limits())
    assert os.listdir("/proc/self/fd") == before


def attempts(runner: WarmRunner, *found: "Outcome | LostError") -> tuple[Outcome, int]:
    """What comes of these attempts, and how many there were."""
    left = list(found)

    def attempt() -> Outcome:
        one = left.pop(0)
        if isinstance(one, LostError):
            raise one
        return one

    return runner._tried(attempt), len(found) - len(left)


def test_only_workers_that_were_lost_with_a_program_in_them_are_counted_against_it(sandbox: WarmRunner) -> None:
    during, before = LostError("lost", has_run=True), LostError("gone", has_run=False)
    passed = Outcome(status="pass")
    assert attempts(sandbox, passed) == (passed, 1)
    assert attempts(sandbox, during, during, passed) == (passed, 3)
    assert attempts(sandbox, before, before, before, before, during, passed) == (passed, 6)
    found, count = attempts(sandbox, during, before, during, during, passed)
    assert (found.status, count) == ("runtime_error", 4)


def test_sandboxes_that_are_lost_before_anything_runs_in_them_are_no_verdict(sandbox: WarmRunner) -> None:
    found, count = attempts(sandbox, *[LostError("gone", has_run=False)] * 20)
    assert (found.status, count) == ("sandbox_error", 10)
    assert found.detail == "sandboxes are lost before anything runs in them: gone"


def test_a_folder_is_swept_when_its_owner_is_gone_and_not_before(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    mine = Path(new_folder("rlenvs-run"))
    namespace, process, start = owner().split("-")
    left = tmp_path / f"rlenvs-run-{namespace}-{process}-{int(start) - 1}-abc"
    elsewhere = tmp_path / f"rlenvs-door-{int(namespace) + 1}-{process}-{int(start) - 1}-abc"
    for each in (left, elsewhere, tmp_path / "rlenvs-run-of-somebody"):
        each.mkdir()
    assert sweep_folders() == 1
    assert not left.exists()
    assert mine.exists()
    assert elsewhere.exists()
    assert [is_left(name) for name in (owner(), f"{owner()}-3", "rlenvs", "", f"{namespace}-{process}-x")] == [
        False
    ] * 5
    assert is_left(f"{namespace}-{process}-1-7")
