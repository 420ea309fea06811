"""`check_data`: whether all tasks of an environment are fit to learn from and to measure with.

References are checked in `golds`, questions in `overlap`; `check_env` tries much more, on a few tasks.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from typing import Any, Protocol, runtime_checkable

from rlenvs import registration
from rlenvs.checks.findings import DataReport, Finding
from rlenvs.checks.golds import gold_findings
from rlenvs.checks.overlap import overlap_findings
from rlenvs.checks.subject import Subject
from rlenvs.env import TextEnv
from rlenvs.errors import CheckError, RlenvsError, described, foreign_code
from rlenvs.records import Task
from rlenvs.tasks import given_task

Progress = Callable[[str, int, int], None]
"""(what is done with tasks, how many are done, how many in all), at the beginning of each part and after every task."""


@runtime_checkable
class HasSplits(Protocol):
    """An environment whose data have other splits."""

    def other_splits(self) -> Sequence[Mapping[str, Any]]:
        """The options that make each of them, beside this environment's own."""


def check_data(
    env: TextEnv,
    against: Mapping[str, TextEnv] | None = None,
    *,
    progress: Progress | None = None,
    making_s: float | None = None,
) -> DataReport:
    """Play every task of an environment with its own answer and with wrong ones, and compare all questions.

    Of references: that they can be read (where the environment has `why_unreadable`), that the task's own answer is
    right, that an empty answer, none at all, those next to it in alphabetical order and those that `wrong_answers`
    gives, if it is there, are not. Of questions: which are asked twice, or in another split too (`other_splits`).

    Args:
        env: it is reset many times. It needs a number of tasks.
        against: further environments to compare its questions with, by how people call them.
        progress: told after every task.
        making_s: how long tasks may be made, of each environment; those of a generator that takes longer are the first
            ones that it made, as a note says. None: all tasks, however long it takes.

    Raises:
        ValueError: one of the environments has tasks without end.
        CheckError: one of them raised, and not while it was judging an answer.
    """
    for name, each in {"the environment": env, **(against or {})}.items():
        if each.num_tasks is None:
            raise ValueError(f"{name} has tasks without end: only a number of tasks can be checked one by one")
    notes: list[str] = []
    with ExitStack() as stack:
        try:
            with foreign_code():
                splits = _other_splits(env, notes)
                for other in splits.values():
                    stack.enter_context(closing(other))
                make = partial(_made, notes=notes, progress=progress or _nobody, making_s=making_s)
                return _report(make, env, {**splits, **(against or {})}, notes, progress or _nobody)
        except Exception as error:  # whatever an environment raises
            raise CheckError(f"its data could not be checked: {described(error)}") from error


def named(options: Mapping[str, Any]) -> str:
    """How people call what these options make, as `--against` takes it: `dataset=gsm8k split=test`."""
    return " ".join(f"{name}={value}" for name, value in options.items() if value is not None)


def _report(
    make: Callable[[str, TextEnv], Subject],
    env: TextEnv,
    compared: Mapping[str, TextEnv],
    notes: Sequence[str],
    progress: Progress,
) -> DataReport:
    own = make("", env)
    others = {name: make(name, other) for name, other in compared.items()}
    return DataReport(
        num_tasks=len(own.tasks),
        has_answers=own.has_answers,
        against={name: len(other.tasks) for name, other in others.items()},
        findings=(*_golds(own, progress), *overlap_findings(own, others)),
        notes=tuple(notes),
    )


def _golds(subject: Subject, progress: Progress) -> list[Finding]:
    if not subject.has_answers:
        return []
    done = 0
    progress("checking", 0, len(subject.tasks))

    def advance() -> None:
        nonlocal done
        done += 1
        progress("checking", done, len(subject.tasks))

    return list(gold_findings(subject, advance))


def _made(name: str, env: TextEnv, *, notes: list[str], progress: Progress, making_s: float | None) -> Subject:
    """All tasks of an environment, or those that are made in time; `name` is empty for the one that is checked."""
    assert env.num_tasks is not None
    what = f"making {name}" if name else "making"
    progress(what, 0, env.num_tasks)
    started = time.monotonic()
    tasks: list[Task] = []
    for index in range(env.num_tasks):
        if tasks and making_s is not None and time.monotonic() - started > making_s:
            of = f" of {name}" if name else ""
            notes.append(
                f"the first {len(tasks):,} of {env.num_tasks:,} tasks{of} were checked, which were made within"
                f" {making_s:g} s: --all for the rest"
            )
            break
        tasks.append(given_task(env.task_at, index))
        progress(what, len(tasks), env.num_tasks)
    return Subject.playing(env, tuple(tasks), seed=0)


def _nobody(what: str, done: int, total: int) -> None:
    """Tell nobody how far it is."""


def _other_splits(env: TextEnv, notes: list[str]) -> dict[str, TextEnv]:
    """The other splits of its data, made as it was; a note for each that is not there."""
    if not isinstance(env, HasSplits) or env.spec is None:
        return {}
    found = {}
    for options in env.other_splits():
        try:
            found[named(options)] = registration.make(env.spec.id, **{**env.spec.kwargs, **options})
        except RlenvsError as error:
            notes.append(f"not compared with {named(options)}: {error}")
    return found
