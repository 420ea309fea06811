"""Terms added to the loss outside of ratio and weights: distance from the reference, entropy.

Each gives a number per token and may name its own reduction; a coefficient of 0 leaves it out at no cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from rlenvs_trainers.algorithm import Reduction
from rlenvs_trainers.ratio import clamp_log
from rlenvs_trainers.scope import Scope
from rlenvs_trainers.view import View

if TYPE_CHECKING:
    from torch import Tensor

Estimator = Literal["k1", "k2", "k3", "k3+"]


def estimate_kl(logprobs_N: Tensor, reference_N: Tensor, estimator: Estimator) -> Tensor:
    """[N] Estimates of KL(policy || reference) from single tokens, d = logp - reference within ±20.

    k1 = d; k2 = d²/2; k3 = exp(-d) + d - 1, never negative. As a loss on the policy's own tokens only k2 has the right
    gradient in expectation; "k3+" has the value of k3 and the gradient of k2.

    Source: J. Schulman, "Approximating KL divergence" (2020); GRPO, arXiv:2402.03300 (k3).
    """
    d_N = clamp_log(logprobs_N - reference_N)
    if estimator == "k1":
        return d_N
    k2_N = d_N.square() / 2
    if estimator == "k2":
        return k2_N
    k3_N = (-d_N).exp() + d_N - 1
    return k3_N if estimator == "k3" else k3_N.detach() + k2_N - k2_N.detach()


@dataclass(frozen=True, slots=True, kw_only=True)
class KL:
    """Keeps the policy near the reference: the weights that training started from."""

    coefficient: float = 0.001
    estimator: Estimator = "k3"
    reduce: Reduction | None = None

    name: ClassVar[str] = "kl"
    needs: ClassVar[tuple[str, ...]] = ("reference",)
    scope: ClassVar[Scope] = "token"

    def __post_init__(self) -> None:
        if self.coefficient < 0:
            raise ValueError(
                f"a negative KL coefficient drives the policy away from its reference: got {self.coefficient}"
            )

    def __call__(self, view: View) -> Tensor:
        """[N] estimates, in nats."""
        return estimate_kl(view.logprobs_N, view.constants["reference"], self.estimator)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropyBonus:
    """Keeps the policy from committing early: minus the entropy of every token's distribution, in nats."""

    coefficient: float = 0.001
    reduce: Reduction | None = None

    name: ClassVar[str] = "entropy"
    needs: ClassVar[tuple[str, ...]] = ("entropy",)
    scope: ClassVar[Scope] = "token"

    def __call__(self, view: View) -> Tensor:
        """[N] minus the entropies."""
        return -view.signals["entropy"]
