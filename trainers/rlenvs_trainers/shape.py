"""Named rewards added to the environment's own, where they speak of tokens, which environments never see."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rlenvs_trainers.algorithm import Progress
from rlenvs_trainers.records import Group, Reward, Trajectory


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlong:
    """A growing penalty for the last `cache` tokens before `max_length`, from 0 down to -factor.

    R(n) = -factor · clip((n - (max_length - cache)) / cache, 0, 1) for n tokens written by the policy.

    Source: soft overlong punishment, DAPO arXiv:2503.14476 (max_length 20,480, cache 4,096).
    """

    max_length: int = 20_480
    cache: int = 4_096
    factor: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.cache <= self.max_length:
            raise ValueError(f"overlong.cache is in 1 … max_length = {self.max_length}: got {self.cache}")

    def penalty(self, num_tokens: int) -> float:
        """0 or negative."""
        over = (num_tokens - (self.max_length - self.cache)) / self.cache
        return -self.factor * min(max(over, 0.0), 1.0)

    def __call__(self, group: Group, progress: Progress) -> Group:  # noqa: ARG002 (every shaper is given it)
        """The same group; every judged trajectory has a reward "overlong"."""
        return Group(trajectories=tuple(self._shaped(trajectory) for trajectory in group.trajectories))

    def _shaped(self, trajectory: Trajectory) -> Trajectory:
        if trajectory.verdict is None:
            return trajectory
        reward = Reward(name="overlong", value=self.penalty(trajectory.num_tokens))
        return replace(trajectory, rewards=(*trajectory.rewards, reward))
