"""Which groups and trajectories a step learns from. Drawing new tasks for the dropped ones is the loop's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rlenvs_trainers.algorithm import Progress, Selector
from rlenvs_trainers.declared import declaration
from rlenvs_trainers.records import CUT_SHORT, Group, Trajectory


def most_rounds(selectors: Sequence[Selector]) -> int:
    """How many rounds of tasks a step draws at most: 1, unless a selector refills; see `Declaration.max_rounds`."""
    return min((declaration(selector).max_rounds for selector in selectors if selector.refills), default=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class NonConstant:
    """Drops groups whose scored attempts are all equally correct: they say nothing about what to do differently.

    It reads the verdict's `correct`, never the shaped reward: a length penalty would make every group look varied. The
    loop draws new tasks for what was dropped, in `max_rounds` rounds at most, the first included. After them it trains
    on what there is, and with nothing at all it skips the update; DAPO's code raises. A group with a single scored
    attempt goes too.

    Source: dynamic sampling, DAPO arXiv:2503.14476.
    """

    max_rounds: int = 10  # DAPO's `max_num_gen_batches`

    refills: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.max_rounds < 1:
            raise ValueError(f"max_rounds counts rounds of tasks from 1 (no refill): got {self.max_rounds}")

    def __call__(self, groups: Sequence[Group], progress: Progress) -> Sequence[Group]:  # noqa: ARG002
        """The groups of which some attempts are more correct than others."""
        return [group for group in groups if len(set(_correct(group))) > 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class WidestSpread:
    """Keeps the share of groups whose rewards differ most: int(share · groups), by their standard deviation.

    Of fewer than `min_groups` that is none, so a step needs as many (4 at the published share).

    Source: StarPO-S, RAGEN arXiv:2504.20073 (share 0.25).
    """

    share: float = 0.25

    refills: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ValueError(f"a share of groups is in (0, 1]: got {self.share}")

    @property
    def min_groups(self) -> int:
        """Of fewer groups it keeps none."""
        least = int(1 / self.share)
        return next((number for number in (least, least + 1) if int(self.share * number)), least + 2)

    def __call__(self, groups: Sequence[Group], progress: Progress) -> Sequence[Group]:  # noqa: ARG002
        """The widest groups, in the order they came."""
        spreads = np.array([_spread(group) for group in groups])
        widest = np.argsort(-spreads, kind="stable")[: int(self.share * len(groups))]
        return [groups[index] for index in sorted(widest)]


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskTruncated:
    """No gradient for attempts that a token limit cut short; their rewards still count for their siblings.

    Source: overlong filtering, DAPO arXiv:2503.14476.
    """

    refills: ClassVar[bool] = False

    def __call__(self, groups: Sequence[Group], progress: Progress) -> Sequence[Group]:  # noqa: ARG002
        """The same groups, with such trajectories masked."""
        return [_mask(group, [t.ending in CUT_SHORT for t in group.trajectories]) for group in groups]


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskStale:
    """No gradient for attempts with an action that was written more than `max_age` updates ago."""

    max_age: int = 0

    refills: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.max_age < 0:
            raise ValueError(f"max_age counts updates from 0 (only the current weights): got {self.max_age}")

    def __call__(self, groups: Sequence[Group], progress: Progress) -> Sequence[Group]:
        """The same groups, with such trajectories masked."""
        oldest = progress.version - self.max_age
        return [_mask(group, [_version(t, oldest) < oldest for t in group.trajectories]) for group in groups]


def _correct(group: Group) -> list[float]:
    return [trajectory.verdict.correct for trajectory in group.scored if trajectory.verdict is not None]


def _spread(group: Group) -> float:
    rewards = [trajectory.reward for trajectory in group.scored]
    return float(np.std(rewards)) if rewards and max(rewards) > min(rewards) else 0.0


def _version(trajectory: Trajectory, default: int) -> int:
    return min((turn.completion.version for turn in trajectory.turns), default=default)


def _mask(group: Group, masked: Sequence[bool]) -> Group:
    pairs = zip(group.trajectories, masked, strict=True)
    return Group(trajectories=tuple(replace(t, is_trained=False) if is_masked else t for t, is_masked in pairs))
