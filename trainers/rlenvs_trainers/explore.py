"""Which attempts are made at a task: the slot `explore`. By default, independent episodes.

An explorer decides; `Rollouts` and `Play` do: start, write, act, fork. How one action is made is a value of its own
(`Act`), so that explorers nest: a tree of resampled actions is `Tree(act=Resample(…))`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rlenvs_trainers.play import Play
    from rlenvs_trainers.records import Trajectory
    from rlenvs_trainers.rollout import Rollouts


class Act(Protocol):
    """How one action is made."""

    async def __call__(self, play: Play) -> None:
        """Let the acting seat write, and deliver one action; or end the play."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample, delivered as it is."""

    async def __call__(self, play: Play) -> None:
        """Write once, act."""
        completion = await play.write()
        if completion is not None:
            await play.act(completion)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Independent episodes, as many as the group has attempts."""

    act: Act = field(default_factory=Sample)

    async def __call__(self, rollouts: Rollouts) -> Sequence[Trajectory]:
        """Every attempt's trajectories, one per seat."""
        attempts = (rollouts.attempt(number, self._live) for number in range(rollouts.size))
        return [trajectory for seats in await rollouts.together(attempts) for trajectory in seats]

    async def _live(self, play: Play) -> None:
        while play.seat is not None:
            await self.act(play)
