"""Signals that algorithms can bring along: a critic's values, log-probabilities of other tokens than the written ones.

What a signal is and how it is found says `algorithm.Signal`; how it is computed, `forward.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from rlenvs_trainers.forward import Policy
    from rlenvs_trainers.signal_modules import SignalModule


@dataclass(frozen=True, slots=True, kw_only=True)
class Critic:
    """The value of the state in which each token was written: [N] rewards to come, learned.

    A network of its own, which starts as a copy of the policy's with a linear head that says 0. It learns what the
    objective makes of it (a regulariser that compares it with a target of the credit rule); the gradient never reaches
    the policy.

    Source: PPO, arXiv:1707.06347; a network of its own and the rate of 1e-5 as in verl.
    """

    name: str = "value"
    lr: float = 1e-5

    needs: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        if not self.lr > 0:
            raise ValueError(f"a critic learns: its lr is above 0, such as 1e-5: got {self.lr}")

    def build(self, policy: Policy) -> SignalModule:
        """The network."""
        from rlenvs_trainers.signal_modules import ValueNetwork

        return ValueNetwork(policy)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogprobsOf:
    """What the policy gives to other tokens in the place of each trained one: [N, K] log-probabilities, in nats.

    Which ones an annotator notes: `ids` is the name of a token signal of [L, K] token ids. They are at the sampling
    temperature, over the whole vocabulary, as the trained token's own.
    """

    ids: str
    name: str = "logprobs_of"

    lr: ClassVar[None] = None

    @property
    def needs(self) -> tuple[str, ...]:
        """The ids."""
        return (self.ids,)

    def build(self, policy: Policy) -> SignalModule:  # noqa: ARG002 (it learns nothing)
        """What picks them out."""
        from rlenvs_trainers.signal_modules import Picked

        return Picked(self.ids)
