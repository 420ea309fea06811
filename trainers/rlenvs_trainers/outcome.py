"""Whether a run learned anything: judged from `run.sqlite` over all its steps, whichever processes made them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rlenvs.errors import RlenvsError

if TYPE_CHECKING:
    from rlenvs_trainers.run import Run


class NothingLearnedError(RlenvsError):
    """All steps were made, and none of them had anything to learn from."""


def steps_in_vain(run: Run) -> str:
    """What must not be overlooked of the steps from which nothing was learned; empty where there is nothing to say.

    Raises:
        NothingLearnedError: the run is finished, and that was all of its steps. One that was stopped before may yet
            learn.
    """
    metrics = run.store.metrics()
    trained = [step for step, values in metrics.items() if values["tokens/trained"]]
    moved = [step for step, values in metrics.items() if values["tokens/with_advantage"]]
    silence = (
        f"no group had a signal in {len(trained) - len(moved)} of {len(metrics)} steps: every attempt at a task earned "
        "the same"
    )
    if moved or not metrics:
        return silence if len(trained) > len(moved) else ""
    why = silence if trained else _untrained(run)
    if run.step >= run.config.steps:
        raise NothingLearnedError(f"nothing was learned: {why}")
    return f"nothing was learned so far: {why}"


def _untrained(run: Run) -> str:
    rows = (row for step in range(1, run.step + 1) for row in run.store.rollouts(step))
    endings = Counter(row.ending for row in rows if _may_learn(run, row.seat))
    ways = ", ".join(f"{count} {ending}" for ending, count in endings.most_common())
    return f"no attempt had a token to train on ({ways})" if ways else "the algorithm's selectors left no group"


def _may_learn(run: Run, seat: str) -> bool:
    """Whether a seat is the policy's: those that others sit in say nothing of it."""
    return any(env.seats is None or seat in env.seats for env in run.config.env)
