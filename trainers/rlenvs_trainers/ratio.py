"""How far the policy has moved since it wrote the tokens: the importance ratio, at a unit.

What the ratio does to the loss is `surrogate`'s; no torch before a slot is called.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rlenvs_trainers.records import LEVELS, Level
from rlenvs_trainers.scope import Scope
from rlenvs_trainers.view import Segments, View

if TYPE_CHECKING:
    from torch import Tensor

MAX_LOG_RATIO = 20.0  # exp(20) is 5e8: past it there is nothing to learn, and exp(89) is infinite in float32


def segment_sum(value_N: Tensor, segments: Segments) -> Tensor:
    """[count] sum of the tokens' values in each unit."""
    return value_N.new_zeros(segments.count).index_add(0, segments.ids_N, value_N)


def is_coarser(unit: Level, other: Level) -> bool:
    """Whether a unit holds several of the other."""
    return LEVELS.index(unit) > LEVELS.index(other)


def clamp_log(log_N: Tensor) -> Tensor:
    """A log-ratio whose exponential is finite. Before the exp: selecting after it would still give a NaN gradient."""
    return log_N.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """The log-ratio of each token's unit, calibrated for length.

    With z = logp - old per token, and L the number of trained tokens of the unit (their weight):
    log w = mu + sum(z - mu) / L^length_power, where mu is the mean of z over the whole optimiser step (no gradient),
    or 0 unless `centre`. length_power 1 is a geometric mean, 0 the plain product of the tokens' ratios.

    Where the unit is coarser than the credit's, tokens of one unit have different advantages and one ratio would
    give them all the same, wrong gradient: there it is sg(w) * exp(logp - sg(logp)), the same value with each token's
    own gradient.

    Source: token, PPO and GRPO; trajectory with length_power 1, GSPO arXiv:2507.18071 (and GSPO-token);
    action with length_power 0.5 and centre, CAPO arXiv:2604.18401.
    """

    unit: Level = "token"
    length_power: float = 1.0
    centre: bool = False

    def __post_init__(self) -> None:
        if self.unit not in LEVELS:
            raise ValueError(f"ratio.unit is one of {', '.join(LEVELS)}: got {self.unit!r}")
        if not 0.0 <= self.length_power <= 1.0:
            raise ValueError(f"ratio.length_power is between 0 (sum) and 1 (mean): got {self.length_power}")
        if self.unit == "token" and (self.centre or self.length_power != 1.0):
            raise ValueError(
                "ratio.centre and ratio.length_power speak of several tokens: set ratio.unit to action or trajectory"
            )

    @property
    def scope(self) -> Scope:
        """Centring mixes the whole optimiser step; otherwise a unit's ratio is its own."""
        return "batch" if self.centre else self.unit

    def __call__(self, view: View, credit_unit: Level) -> Tensor:
        """[N] log-ratio of each token's unit, within ±20."""
        z_N = clamp_log(view.logprobs_N - view.old_N)
        if self.unit == "token":
            return z_N
        segments = view.segments[self.unit]
        mean = self._step_mean(z_N, view) if self.centre else z_N.new_zeros(())
        length_U = segments.mass_U.to(z_N.dtype)
        centred_U = segment_sum(view.weight_N * (z_N - mean), segments)
        log_ratio_N = clamp_log(mean + centred_U / length_U**self.length_power)[segments.ids_N]
        if is_coarser(self.unit, credit_unit):
            return log_ratio_N.detach() + z_N - z_N.detach()
        return log_ratio_N

    def _step_mean(self, z_N: Tensor, view: View) -> Tensor:
        """Mean log-ratio over the tokens of the optimiser step and all ranks, so that every rank centres alike."""
        return view.world_sum((view.weight_N * z_N).detach().sum()) / view.segments["token"].total
