"""Levels: what a sandbox has to hold, and the refusal of one that does not hold it here."""

from collections.abc import Sequence

from rlenvs_sandbox.errors import SandboxError, unknown
from rlenvs_sandbox.runner import Runner
from rlenvs_sandbox.trials import LEVELS, TRIALS, Finding, Level, tried

__all__ = ["LEVELS", "Level", "level_of", "require"]


def require(name: str, level: Level, runner: Runner) -> None:
    """Try what a level demands.

    Args:
        name: the sandbox's, for people.

    Raises:
        SandboxError: something of it is not held on this machine; the message says what, and what to do.
        ValueError: there is no such level.
    """
    if level not in LEVELS:
        raise ValueError(unknown("level", level, LEVELS))
    if level != "limits" and not getattr(runner, "is_boundary", True):
        raise SandboxError(
            f"the sandbox {name!r} is no boundary: whatever it enforces here, its level is 'limits'. Ask for that "
            "level by name if you trust the programs, or take another sandbox"
        )
    demanded = LEVELS[: LEVELS.index(level) + 1]
    findings = [tried(name, runner, trial) for trial in TRIALS if trial.level in demanded]
    missing = [_said(each) for each in findings if not each.is_held]
    if missing:
        raise SandboxError(
            f"the sandbox {name!r} does not hold what level {level!r} demands on this machine: {'; '.join(missing)}. "
            "`rlenvs sandbox doctor` shows what each sandbox holds here"
        )


def level_of(findings: Sequence[Finding], *, is_boundary: bool) -> Level | None:
    """The highest level whose demands, and those of the levels below it, all were held; None: not even the lowest."""
    held = {each.what: each.is_held for each in findings}
    reached: Level | None = None
    for level in LEVELS if is_boundary else LEVELS[:1]:
        if not all(held.get(trial.what, False) for trial in TRIALS if trial.level == level):
            break
        reached = level
    return reached


def _said(finding: Finding) -> str:
    return f"{finding.what} ({finding.detail})" if finding.detail else finding.what
