"""pass@k training: only a group's best attempt is reinforced, by how much it beat the second best.

GRPO pushes every attempt that is better than average; this pushes a policy towards having one good attempt among k.
One slot differs, so this is one class and one line.

Source: Chow et al. 2025, arXiv:2503.19595.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rlenvs.hooks import Register, hookimpl
from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.algorithm import Credit, Progress
from rlenvs_trainers.credit import spread_over
from rlenvs_trainers.records import Group, Level


@dataclass(frozen=True, slots=True, kw_only=True)
class BestOfGroup:
    """A = R_max - R_second for the best attempt, 0 for the others; 0 for all where two share the best reward."""

    @property
    def unit(self) -> Level:
        """One advantage per trajectory."""
        return "trajectory"

    @property
    def min_group(self) -> int:
        """The best needs a second best."""
        return 2

    def __call__(self, groups: Sequence[Group], progress: Progress) -> Credit:
        """Credit for every trajectory that is scored and trained."""
        credit = {}
        for index, group in enumerate(groups):
            rewards = sorted((trajectory.reward for trajectory in group.scored), reverse=True)
            margin = rewards[0] - rewards[1] if len(rewards) > 1 else 0.0
            for place, trajectory in enumerate(group.trajectories):
                if trajectory.is_scored and trajectory.is_trained:
                    is_best = trajectory.reward == rewards[0]
                    credit[index, place] = spread_over(trajectory, margin if is_best else 0.0)
        return credit


PASS_AT_K = replace(GRPO, name="pass_at_k", credit=BestOfGroup())


@hookimpl
def register_algorithms(register: Register) -> None:
    """Known as "pass_at_k" on the command line."""
    register(PASS_AT_K)
