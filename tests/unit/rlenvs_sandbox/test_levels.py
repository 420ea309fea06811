"""Levels: what was tried and held is given, and nothing less in its place."""

from dataclasses import replace

import pytest

from rlenvs_sandbox import Limits, Outcome, SandboxError, WarmRunner, open_runner
from rlenvs_sandbox.doctor import examine
from rlenvs_sandbox.levels import LEVELS, level_of, require
from rlenvs_sandbox.trials import TRIALS, Finding


class Weakened:
    """A sandbox in which one trial does not hold."""

    def __init__(self, runner: WarmRunner, what: str) -> None:
        self._runner = runner
        self._text = next(trial.text for trial in TRIALS if trial.what == what)

    def run(self, program: object, limits: Limits) -> Outcome:
        if getattr(program, "text", "") == self._text:
            return Outcome(status="pass", stdout=b"it got out\n")
        return self._runner.run(program, limits)


def test_bubblewrap_holds_what_isolated_demands(sandbox: WarmRunner) -> None:
    require("bubblewrap", "isolated", sandbox)


def test_a_sandbox_is_refused_for_each_thing_that_its_level_demands_and_for_no_other(sandbox: WarmRunner) -> None:
    for trial in TRIALS:
        weakened = Weakened(sandbox, trial.what)
        for level in ("limits", "isolated"):
            if LEVELS.index(trial.level) > LEVELS.index(level):
                require("weak", level, weakened)  # type: ignore[arg-type]
                continue
            with pytest.raises(SandboxError, match=rf"'weak' does not hold what level '{level}'.*{trial.what}"):
                require("weak", level, weakened)  # type: ignore[arg-type]


def test_process_is_no_boundary_whatever_it_enforces() -> None:
    with open_runner("process", num_workers=1) as runner:
        require("process", "limits", runner)
        for level in ("isolated", "strict"):
            with pytest.raises(SandboxError, match="is no boundary"):
                require("process", level, runner)  # type: ignore[arg-type]


def test_a_level_is_reached_where_all_below_it_are_held() -> None:
    held = [Finding(sandbox="x", what=trial.what, is_held=True) for trial in TRIALS]
    assert level_of(held, is_boundary=True) == "strict"
    assert level_of(held, is_boundary=False) == "limits"
    lowest = {"limits": None, "isolated": "limits", "strict": "isolated"}
    for place, trial in enumerate(TRIALS):
        lacking = [*held[:place], replace(held[place], is_held=False), *held[place + 1 :]]
        assert level_of(lacking, is_boundary=True) == lowest[trial.level]
    assert level_of([], is_boundary=True) is None


def test_the_doctor_says_what_bubblewrap_and_process_hold_and_why_docker_cannot_be_opened(monkeypatch) -> None:
    found = examine("bubblewrap")
    assert found.level in ("isolated", "strict")
    assert [each.what for each in found.findings] == [trial.what for trial in TRIALS]
    assert examine("process").level == "limits"
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    absent = examine("docker")
    assert absent.level is None
    assert [(each.what, each.is_held) for each in absent.findings] == [("it can be opened", False)]
    assert absent.findings[0].detail


def test_a_level_or_a_sandbox_that_does_not_exist_is_refused(sandbox: WarmRunner) -> None:
    with pytest.raises(
        ValueError, match=r"no level 'strickt'\. Did you mean 'strict'\? There are limits, isolated, strict"
    ):
        require("bubblewrap", "strickt", sandbox)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"no sandbox 'jail'\. There are bubblewrap, docker, process"):
        examine("jail")
