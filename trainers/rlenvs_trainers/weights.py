"""Detached factors per token, after the surrogate and before the regularisers: which tokens count, and how much.

The order is the algorithm's tuple. A factor of 0 removes a token's loss but not its place in the denominators.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from rlenvs_trainers.algorithm import Algorithm
from rlenvs_trainers.ratio import clamp_log, segment_sum
from rlenvs_trainers.records import LEVELS, Level
from rlenvs_trainers.reduce import Mean
from rlenvs_trainers.scope import Scope
from rlenvs_trainers.view import View

if TYPE_CHECKING:
    from torch import Tensor

Factors = tuple["Tensor", Mapping[str, "Tensor"]]


@dataclass(frozen=True, slots=True, kw_only=True)
class HighEntropy:
    """Only the share of tokens at which the policy hesitates most: the k = ceil(share N) highest entropies.

    Ranked over the whole optimiser step and all ranks; a trajectory may contribute none. Ties go to the first token.
    normalise_by="selected" divides the loss by the selected tokens (with a token mean), "all" by all of them, as TRL.

    Source: arXiv:2506.01939.
    """

    share: float = 0.2
    normalise_by: Literal["selected", "all"] = "selected"

    needs: ClassVar[tuple[str, ...]] = ("entropy",)
    scope: ClassVar[Scope] = "batch"

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ValueError(f"a share of tokens is in (0, 1]: got {self.share}")

    def objection(self, algorithm: Algorithm) -> str | None:
        """Only a mean over tokens has a number of tokens in its denominator."""
        if self.normalise_by == "selected" and isinstance(algorithm.reduce, Mean) and algorithm.reduce.over != "token":
            return (
                "weights HighEntropy divides by the selected tokens in place of all, and the mean is over "
                f"{algorithm.reduce.over!r}: set its normalise_by to 'all', or reduce.over to 'token'"
            )
        return None

    def __call__(self, view: View, log_ratio_N: Tensor) -> Factors:
        """[N] 0 or the normaliser; the entropy of the selected tokens' weakest."""
        import torch

        values, start = view.world_values(view.signals["entropy"])
        count = math.ceil(self.share * len(values))
        chosen = torch.sort(values, descending=True, stable=True).indices[:count]
        mask_N = torch.zeros_like(values).index_fill(0, chosen, 1.0)[start : start + len(log_ratio_N)]
        if self.normalise_by == "all":
            return mask_N, {"entropy/selected": mask_N}
        selected = view.world_sum((view.weight_N * mask_N).sum())
        return mask_N * (view.segments["token"].total / selected), {"entropy/selected": mask_N}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """Corrects for a sampler whose log-probabilities differ from the trainer's: w = exp(old - sampler), bounded.

    Per token, or the product over a unit. mode="truncate": min(w, highest) (TIS); "mask": w inside [lowest, highest],
    else 0 (MIS; per token, IcePop); "geometric_mask": the token's own w if the unit's geometric mean is inside.

    Source: truncated importance sampling in verl, OpenRLHF and TRL (whose default is trajectory, mask, highest 3).
    """

    unit: Level = "token"
    mode: Literal["truncate", "mask", "geometric_mask"] = "truncate"
    lowest: float = 0.0
    highest: float = 2.0

    needs: ClassVar[tuple[str, ...]] = ("sampler",)

    def __post_init__(self) -> None:
        if self.unit not in LEVELS:
            raise ValueError(f"the unit of a mismatch weight is one of {', '.join(LEVELS)}: got {self.unit!r}")
        if not 0 <= self.lowest <= 1 <= self.highest:
            raise ValueError(f"a mismatch weight's bounds lie around 1: got [{self.lowest}, {self.highest}]")
        if self.mode == "geometric_mask" and self.unit == "token":
            raise ValueError("geometric_mask keeps or drops a unit of several tokens: set unit to action or trajectory")

    @property
    def scope(self) -> Scope:
        """Its unit."""
        return self.unit

    def objection(self, algorithm: Algorithm) -> str | None:
        """The ratio would hold the same factor a second time."""
        if algorithm.old == "sampler":
            return (
                "weights Mismatch with old='sampler' corrects twice for the sampler: use old='trainer', or leave it out"
            )
        return None

    def __call__(self, view: View, log_ratio_N: Tensor) -> Factors:  # noqa: ARG002 (every rule is given the ratio)
        """[N] factors; the factor itself, and the share of tokens that it bounded."""
        own_N = clamp_log(view.old_N.detach() - view.constants["sampler"])
        unit_N = clamp_log(self._over_unit(own_N, view)).exp()
        bounded_N = (unit_N > self.highest) | (unit_N < self.lowest)
        if self.mode == "truncate":
            factor_N = unit_N.clamp(self.lowest, self.highest)
        else:
            kept_N = unit_N if self.mode == "mask" else own_N.exp()
            factor_N = kept_N.masked_fill(bounded_N, 0.0)
        return factor_N, {"mismatch/weight": factor_N, "mismatch/bounded": bounded_N.to(factor_N.dtype)}

    def _over_unit(self, log_N: Tensor, view: View) -> Tensor:
        if self.unit == "token":
            return log_N
        segments = view.segments[self.unit]
        total_U = segment_sum(log_N, segments)
        if self.mode == "geometric_mask":
            total_U = total_U / segment_sum(log_N.new_ones(len(log_N)), segments)
        return total_U[segments.ids_N]


@dataclass(frozen=True, slots=True, kw_only=True)
class DropDrifted:
    """Drops failures that the policy has long moved away from: A < 0 and mean(sampler - logp) > threshold.

    Source: off-policy sequence masking, DeepSeek-V3.2.
    """

    threshold: float = 0.1

    needs: ClassVar[tuple[str, ...]] = ("sampler",)
    scope: ClassVar[Scope] = "trajectory"

    def __call__(self, view: View, log_ratio_N: Tensor) -> Factors:  # noqa: ARG002
        """[N] 0 or 1; the share of tokens dropped."""
        segments = view.segments["trajectory"]
        drift_N = view.constants["sampler"] - view.logprobs_N.detach()
        mean_U = segment_sum(view.weight_N * drift_N, segments) / segments.mass_U.to(drift_N.dtype)
        dropped_N = ((view.advantage_N < 0) & (mean_U[segments.ids_N] > self.threshold)).to(drift_N.dtype)
        return 1 - dropped_N, {"weights/drifted": dropped_N}
