"""SFT: supervised warm start as an algorithm. The environment's demonstrations take the place of samples.

The loop, the learner, checkpoints and reports are those of reinforcement learning; only the choices differ: nothing is
sampled, every token of a demonstration has advantage 1, and the loss is its negative log-likelihood. A demonstration
that does not fit the policy's context ends as "context_overflow" and is not imitated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rlenvs.hooks import Register, hookimpl
from rlenvs_trainers.algorithm import Algorithm, Credit, Progress
from rlenvs_trainers.credit import spread_over
from rlenvs_trainers.ratio import Ratio
from rlenvs_trainers.records import CUT_SHORT, Completion, Group, Level, Trajectory
from rlenvs_trainers.reduce import Mean
from rlenvs_trainers.surrogate import Likelihood

if TYPE_CHECKING:
    from rlenvs_trainers.play import Play
    from rlenvs_trainers.rollout import Rollouts

DEMONSTRATOR = "demonstrator"  # the name of the policy that wrote a demonstration


@dataclass(frozen=True, slots=True, kw_only=True)
class Demonstrate:
    """Episodes in which every action is the one that the environment demonstrates. The sampler is not asked."""

    draws_samples: ClassVar[bool] = False

    async def __call__(self, rollouts: Rollouts) -> Sequence[Trajectory]:
        """One demonstration per attempt, a trajectory per seat."""
        attempts = (rollouts.attempt(number, self._live) for number in range(rollouts.size))
        return [trajectory for seats in await rollouts.together(attempts) for trajectory in seats]

    async def _live(self, play: Play) -> None:
        while play.seat is not None:
            seed = play.rollouts.draw_seed(play.attempt, play.retry, play.seat, play.num_turns, 0)
            text = await play.demonstration(np.random.default_rng(seed))
            if text is not None:
                await play.act(_demonstrated(play.rollouts.session.renderer.message_ids(text)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Imitate:
    """Every token of every trajectory has advantage 1: with the likelihood as surrogate, maximum likelihood.

    What a token limit cut short is no example of anything, and has no credit.
    """

    @property
    def min_group(self) -> int:
        """A demonstration needs no siblings."""
        return 1

    @property
    def unit(self) -> Level:
        """One advantage for all."""
        return "trajectory"

    def __call__(self, groups: Sequence[Group], progress: Progress) -> Credit:  # noqa: ARG002 (every rule is given it)
        """Credit for every trajectory that is trained and whole, whatever it earned."""
        return {
            (index, place): spread_over(trajectory, 1.0)
            for index, group in enumerate(groups)
            for place, trajectory in enumerate(group.trajectories)
            if trajectory.is_trained and trajectory.ending not in CUT_SHORT
        }


def _demonstrated(ids: tuple[int, ...]) -> Completion:
    """A demonstration as a completion. Its writer had no doubts: log-probability 0."""
    return Completion(
        token_ids=ids,
        logprobs=(0.0,) * len(ids),
        sampled=(True,) * len(ids),
        finish_reason="stop",
        policy=DEMONSTRATOR,
        version=0,
    )


SFT = Algorithm(
    name="sft",
    explore=Demonstrate(),
    credit=Imitate(),
    ratio=Ratio(unit="token"),
    surrogate=Likelihood(),
    reduce=Mean(over="token"),
)


@hookimpl
def register_algorithms(register: Register) -> None:
    """Add SFT."""
    register(SFT)
