"""The control of the demo: GRPO whose rewards are shuffled inside every group, so that they say nothing.

A plug-in file: `rlenvs --plugin benchmarks/shuffled_rewards.py train --algorithm grpo_shuffled …`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from rlenvs.hooks import Register, hookimpl
from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.algorithm import Credit, CreditRule, Progress
from rlenvs_trainers.credit import GroupRelative, spread_over
from rlenvs_trainers.records import Group, Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Shuffled:
    """Another rule's advantages, dealt out at random among the attempts of each group."""

    rule: CreditRule = field(default_factory=GroupRelative)

    @property
    def unit(self) -> Level:
        """One advantage per trajectory."""
        return "trajectory"

    @property
    def min_group(self) -> int:
        """The rule's own."""
        return self.rule.min_group

    def __call__(self, groups: Sequence[Group], progress: Progress) -> Credit:
        """The rule's credit, permuted within the groups by a generator of the step."""
        rng = np.random.default_rng(progress.step)
        credit = self.rule(groups, progress)
        shuffled = {}
        for index, group in enumerate(groups):
            places = [place for place in range(len(group.trajectories)) if (index, place) in credit]
            for place, other in zip(places, rng.permutation(places), strict=True):
                advantage = float(credit[index, int(other)].advantage[0][0])
                shuffled[index, place] = spread_over(group.trajectories[place], advantage)
        return shuffled


@hookimpl
def register_algorithms(register: Register) -> None:
    """Known as "grpo_shuffled"."""
    register(replace(GRPO, name="grpo_shuffled", credit=Shuffled()))
