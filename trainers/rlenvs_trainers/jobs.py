"""What is to be attempted: tasks, made where they may raise or hang, and how an episode of one begins.

Environments are foreign code: what goes wrong in one is an episode that is over as a failure, and the run goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, cast

from rlenvs.episode import POLICY_SEAT, Episode, Outcome, failed, start
from rlenvs.records import Task, user
from rlenvs_trainers.records import Player

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rlenvs.deadline import Workers
    from rlenvs.env import TextEnv


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One task for a group of attempts, and how an episode of it begins."""

    task: Task
    begin: Callable[[], Episode]  # for instance partial(rlenvs.episode.start, env, task); called once per attempt
    players: Mapping[str, Player] = field(default_factory=dict)  # by seat; in the others: the trained policy


async def job_at(
    env: TextEnv, index: int, *, name: str, seats: Sequence[str] | None, workers: Workers, timeout_s: float
) -> Job:
    """The job of the environment's task number `index`; where it has none to give, one whose attempts have failed.

    Args:
        name: what people call the environment.
        seats: see `rlenvs.episode.start`.
    """
    try:
        task = await workers.call(lambda: env.task_at(index), timeout_s, what=f"task_at({index}) of {name}")
    except TimeoutError as error:
        return _lost(name, index, timed_out(f"task {index} of {name} was not there in time: {error}"))
    except Exception as error:  # foreign code
        return _lost(name, index, failed(error))
    return Job(task=task, begin=partial(start, env, task, seats))


def _lost(name: str, index: int, end: Outcome) -> Job:
    task = Task(id=f"{name}#{index}", prompt=(user("(this task could not be made)"),))
    return Job(task=task, begin=partial(fallen, task, (POLICY_SEAT,), end))


def timed_out(why: str) -> Outcome:
    """The outcome past a deadline."""
    return Outcome(ending="timeout", verdict=None, error=why)


@dataclass(frozen=True, slots=True)
class _Fallen:
    """All that is asked of such an episode is how it ended."""

    task: Task
    seats: tuple[str, ...]
    end: Outcome
    seat: None = None

    def outcome(self, _seat: str) -> Outcome:
        return self.end

    def last_words(self, _seat: str) -> tuple[()]:
        return ()

    def close(self) -> None:
        """Nothing is held."""


def fallen(task: Task, seats: tuple[str, ...], end: Outcome) -> Episode:
    """An episode that is over because it did not begin."""
    return cast(Episode, _Fallen(task, seats, end))
