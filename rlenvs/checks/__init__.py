"""`check_env`: whether an environment keeps the promises that training and evaluation rely on, in seconds on a CPU.

This collects what the single checks say: form in `contract`, right and wrong answers in `scores`, clones and randomness
in `conduct`, other processes in `elsewhere`, Gymnasium's and PettingZoo's own in `borrowed`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import gymnasium

from rlenvs import registration
from rlenvs.env import TextEnv
from rlenvs.errors import CheckError, described, foreign_code
from rlenvs.records import shown

if TYPE_CHECKING:
    from rlenvs.multi import MultiTextEnv

MOST_PER_CHECK = 3  # sentences: one broken grader fails on every task


class CheckWarning(UserWarning):
    """What could not be checked, or looks suspicious and may be meant."""


def check_env(env: gymnasium.Env[Any, Any] | MultiTextEnv | str, *, num_tasks: int = 20, seed: int = 0) -> None:
    """Play an environment in every way that matters, and say everything that is wrong with it.

    Beyond Gymnasium's own check: the same seed leads to the same episode, `options` choose the task, a clone goes
    on like the original, neither changes the other and closing one is harmless, the task's own answer scores full
    marks (every part of the reward that is 0 or 1) and nothing that is tried earns more, an empty and a wrong answer
    and those of other tasks are not right, a demonstration plays to the end, infos have their keys, a step after the
    end is an error, no text makes it raise, what `complete` calls a whole action is one, no global random state is
    touched, tasks are the same at every call and, if it was made by its id, in another process. With several seats:
    all that from each seat, and PettingZoo's own check.

    What could not be checked (without `answer_message`, what a right answer scores) and what may be meant (a prompt
    that shows its target, an answer that is right for most tasks) is a `CheckWarning`. Tasks whose reference cannot be
    read (`why_unreadable`) are left out: they are the data's fault, and `rlenvs.checks.data` lists them.

    Args:
        env: an environment, with Gymnasium's wrappers or without, or the id of one. It is reset many times.
        num_tasks: how many of its tasks to play.
        seed: of the choices made here.

    Raises:
        CheckError: something is wrong; a sentence for each failure.
        NothingReadableError: not one reference can be read.
        ValueError: it is none of our environments.
    """
    from rlenvs.seats import SeatView

    view = registration.make(env) if isinstance(env, str) else _viewed(env)
    name = env if isinstance(env, str) else type(getattr(view, "multi", view)).__name__
    check = _seat_failures if isinstance(view, SeatView) else _failures
    notes: list[str] = []
    failures = [*check(view, num_tasks, seed, notes), *_failures_elsewhere(view, notes)]
    for note in notes:
        warnings.warn(note, CheckWarning, stacklevel=2)
    if failures:
        sentences = "\n".join(f"- {failure}" for failure in failures)
        raise CheckError(f"{name} fails {len(failures)} checks:\n{sentences}")


def _viewed(env: object) -> TextEnv:
    """The environment inside of its wrappers; one with several seats as they are seen from its first."""
    from rlenvs.multi import MultiTextEnv
    from rlenvs.seats import SeatView

    inner = getattr(env, "unwrapped", env)
    if isinstance(inner, MultiTextEnv):
        return SeatView(inner)
    if not isinstance(inner, TextEnv):
        raise ValueError(f"check_env checks a TextEnv, a MultiTextEnv or the id of one: got {shown(env)}")
    return inner


def _failures(env: TextEnv, num_tasks: int, seed: int, notes: list[str]) -> Iterator[str]:
    """What is wrong with one seat. What is only worth a note is added to `notes`."""
    from rlenvs.checks import borrowed, conduct, constants, contract, scores
    from rlenvs.checks.readable import readable
    from rlenvs.checks.subject import Subject

    try:
        with foreign_code():
            subject = Subject.of(env, num_tasks, seed)
    except Exception as error:  # without tasks and a reset there is nothing else to check
        yield f"it cannot be started: {described(error)}"
        return
    checks = (
        borrowed.gymnasium_agrees,
        *contract.CHECKS,
        *scores.CHECKS,
        constants.one_answer_is_not_enough,
        *conduct.CHECKS,
    )
    with readable(subject) as played:
        for check in checks:
            yield from _guarded(check, played)
    notes += subject.notes


def _failures_elsewhere(env: TextEnv, notes: list[str]) -> Iterator[str]:
    """What is wrong with it in another process."""
    from rlenvs.checks.elsewhere import tasks_are_the_same_elsewhere

    with suppress(Exception), foreign_code():  # one that cannot give its tasks here has failed already
        yield from tasks_are_the_same_elsewhere(env, notes)


def _seat_failures(view: Any, num_tasks: int, seed: int, notes: list[str]) -> Iterator[str]:
    """What is wrong with an environment with several seats, seen from each and as PettingZoo sees it."""
    from rlenvs.checks import borrowed
    from rlenvs.seats import SeatView

    for seat in view.multi.seats:
        with closing(SeatView(view.multi.clone(), seat, view.partners)) as of_seat:
            of_seat.spec = view.spec
            noted: list[str] = []
            yield from (f"seat {seat!r}: {failure}" for failure in _failures(of_seat, num_tasks, seed, noted))
            notes += [f"seat {seat!r}: {note}" for note in noted]
    for check in (borrowed.pettingzoo_agrees, borrowed.every_seat_ends):
        yield from _guarded(check, view.multi)


def _guarded(check: Callable[[Any], Iterator[str]], subject: Any) -> Iterator[str]:
    """The check's sentences; an environment that raises in it is one of them."""
    failures: list[str] = []
    try:
        with foreign_code():
            failures.extend(check(subject))
    except Exception as error:  # whatever an environment raises
        failures.append(
            f"it raised while checking that {check.__name__.strip('_').replace('_', ' ')}: {described(error)}"
        )
    yield from failures[:MOST_PER_CHECK]
    if len(failures) > MOST_PER_CHECK:
        yield f"… and {len(failures) - MOST_PER_CHECK} more like the last"
