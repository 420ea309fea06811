"""Which task is tried next: a position in a stream that depends on nothing but the seed.

Environments say what a task is; this says which ones a step uses, by number. A data set is gone through in a new
order every epoch; an unlimited environment gives a new index at every draw.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

MAX_INDEX = 2**31


class TaskSource(Protocol):
    """What is asked of an environment."""

    num_tasks: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnTask:
    """Which task of which environment (by its place in the config)."""

    env: int
    index: int


class TaskSampler:
    """Draws tasks from several environments by weight. Its whole state is one count per environment."""

    def __init__(self, sources: Sequence[TaskSource], weights: Sequence[float], seed: int) -> None:
        if len(sources) != len(weights) or not sources:
            raise ValueError(f"one weight per environment: got {len(sources)} and {len(weights)}")
        for place, source in enumerate(sources):
            if source.num_tasks is not None and source.num_tasks < 1:
                raise ValueError(f"environment number {place} has no tasks")
        self._sources, self._seed = sources, seed
        total = sum(weights)
        self._shares = [weight / total for weight in weights]
        self._counts = [0] * len(sources)

    def draw(self, count: int) -> list[DrawnTask]:
        """The next `count` tasks. Every environment gets its share, to within one task, at any point of the stream."""
        return [self._next() for _ in range(count)]

    def state_dict(self) -> dict[str, Any]:
        """The position, as JSON values."""
        return {"counts": list(self._counts)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a saved position."""
        counts = [int(count) for count in state["counts"]]
        if len(counts) != len(self._sources):
            raise ValueError(f"the saved run had {len(counts)} environments, this one has {len(self._sources)}")
        self._counts = counts

    def _next(self) -> DrawnTask:
        drawn = sum(self._counts) + 1
        lag = [share * drawn - count for share, count in zip(self._shares, self._counts, strict=True)]
        env = int(np.argmax(lag))
        index = self._index(env, self._counts[env])
        self._counts[env] += 1
        return DrawnTask(env=env, index=index)

    def _index(self, env: int, count: int) -> int:
        size = self._sources[env].num_tasks
        if size is None:
            return int(np.random.default_rng([self._seed, env, count]).integers(MAX_INDEX))
        epoch, place = divmod(count, size)
        return int(np.random.default_rng([self._seed, env, epoch]).permutation(size)[place])
