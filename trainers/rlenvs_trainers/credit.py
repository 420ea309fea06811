"""Whose doing it was: from the rewards of a step's groups to an advantage for every token. numpy, float64.

Which groups and trajectories there are is the selectors' choice; what advantages do to the policy is the objective's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rlenvs_trainers.algorithm import Credit, Floats, Progress, TokenCredit
from rlenvs_trainers.records import Group, Level, Trajectory


def centre(rewards_G: Floats, baseline: Literal["mean", "leave_one_out"]) -> Floats:
    """How much better each attempt did than its siblings, in the reward's own unit.

    "mean": r_i - mean(r). "leave_one_out": r_i - mean of the others, which is G / (G - 1) times as much.
    Exactly zero when every attempt earned the same: decided by max == min, since the mean of equal numbers is rounded.
    """
    if rewards_G.max() == rewards_G.min():
        return np.zeros_like(rewards_G)
    centred_G: Floats = rewards_G - rewards_G.mean()
    if baseline == "leave_one_out":
        centred_G *= len(rewards_G) / (len(rewards_G) - 1)
    return centred_G


def spread(rewards_G: Floats) -> float:
    """The standard deviation of a sample (ddof=1); exactly 0 for equal numbers, and for fewer than two."""
    if len(rewards_G) < 2 or rewards_G.max() == rewards_G.min():
        return 0.0
    # ddof=1 as in the published trainers; ddof=0 would scale every update by sqrt(G / (G - 1)).
    return float(rewards_G.std(ddof=1))


def spread_over(trajectory: Trajectory, advantage: float) -> TokenCredit:
    """The same advantage on every token that the policy wrote."""
    lengths = [len(turn.completion.token_ids) for turn in trajectory.turns]
    return TokenCredit(
        advantage=tuple(np.full(length, advantage) for length in lengths),
        weight=tuple(np.ones(length) for length in lengths),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRelative:
    """An attempt's reward against its siblings', the same on all its tokens.

    A_i = (R_i - baseline) / (std + eps), with the siblings' mean as baseline and their standard deviation (ddof=1).
    Unscored attempts are no siblings: they have neither a say in the statistics nor an advantage. An attempt that is
    not trained (`is_trained=False`) has its say in the statistics all the same.

    Source: GRPO, arXiv:2402.03300 sec. 4.1.2. Dr. GRPO, arXiv:2503.20783: scale="none". RLOO: scale="none",
    baseline="leave_one_out". scale="batch" divides by the standard deviation over all scored attempts of the step.
    """

    scale: Literal["group", "batch", "none"] = "group"
    baseline: Literal["mean", "leave_one_out"] = "mean"
    eps: float = 1e-6
    singleton: Literal["zero", "raw"] = (
        "zero"  # a group of one: no advantage; "raw": its reward / (1 + eps), as in verl
    )

    def __post_init__(self) -> None:
        if not self.eps > 0:
            raise ValueError(f"credit.eps is positive: got {self.eps}")

    @property
    def unit(self) -> Level:
        """One advantage per trajectory."""
        return "trajectory"

    @property
    def min_group(self) -> int:
        """An attempt is compared with at least one sibling."""
        return 2 if self.singleton == "zero" else 1

    def __call__(self, groups: Sequence[Group], progress: Progress) -> Credit:  # noqa: ARG002 (every rule is given it)
        """Credit for every trajectory that is scored and trained."""
        rewards = [np.array([trajectory.reward for trajectory in group.scored]) for group in groups]
        batch_std = spread(np.concatenate([*rewards, np.zeros(0)]))
        credit: dict[tuple[int, int], TokenCredit] = {}
        for index, (group, rewards_G) in enumerate(zip(groups, rewards, strict=True)):
            advantages = iter(self._advantages(rewards_G, batch_std))
            for place, trajectory in enumerate(group.trajectories):
                if trajectory.is_scored:
                    advantage = float(next(advantages))
                    if trajectory.is_trained:
                        credit[index, place] = spread_over(trajectory, advantage)
        return credit

    def _advantages(self, rewards_G: Floats, batch_std: float) -> Floats:
        if len(rewards_G) == 0:
            return rewards_G
        if len(rewards_G) == 1:
            return rewards_G / (1.0 + self.eps) if self.singleton == "raw" else np.zeros(1)
        centred_G = centre(rewards_G, self.baseline)
        if self.scale == "none":
            return centred_G
        return centred_G / ((batch_std if self.scale == "batch" else spread(rewards_G)) + self.eps)
