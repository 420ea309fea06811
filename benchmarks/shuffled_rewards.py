"""The control of the demo: GRPO whose rewards are shuffled inside every group, so that they say nothing.

A plug-in file: `rlenvs --plugin benchmarks/shuffled_rewards.py train --algorithm grpo_shuffled …`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from rlenvs.hooks import Register, hookimpl
from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.algorithm import Credit, CreditRule, Progress
from rlenvs_trainers.credit import GroupRelative
from rlenvs_trainers.records import Group, Level, Reward


@dataclass(frozen=True, slots=True, kw_only=True)
class Shuffled:
    """Another rule's credit for rewards that were dealt out at random among the attempts of each group."""

    rule: CreditRule = field(default_factory=GroupRelative)

    @property
    def unit(self) -> Level:
        """The rule's own."""
        return self.rule.unit

    @property
    def min_group(self) -> int:
        """The rule's own."""
        return self.rule.min_group

    def __call__(self, groups: Sequence[Group], progress: Progress) -> Credit:
        """The rule's credit, by a generator of the step."""
        rng = np.random.default_rng(progress.step)
        return self.rule([dealt(group, rng) for group in groups], progress)


def dealt(group: Group, rng: np.random.Generator) -> Group:
    """The group with each scored attempt's reward, as a whole, on some scored sibling."""
    rewards = iter(rng.permutation([trajectory.reward for trajectory in group.scored]))
    trajectories = []
    for trajectory in group.trajectories:
        if trajectory.is_scored:
            turns = tuple(replace(turn, rewards=()) for turn in trajectory.turns)
            reward = Reward(name="dealt", value=float(next(rewards)))
            trajectory = replace(trajectory, turns=turns, rewards=(reward,))
        trajectories.append(trajectory)
    return Group(trajectories=tuple(trajectories))


@hookimpl
def register_algorithms(register: Register) -> None:
    """Known as "grpo_shuffled"."""
    register(replace(GRPO, name="grpo_shuffled", credit=Shuffled()))
