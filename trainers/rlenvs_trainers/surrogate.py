"""The loss of every token, from its advantage and its unit's log-ratio. Lower is better.

Averaging is `reduce`'s, factors such as masks and mismatch corrections are `weights`'; torch waits for a slot's call.
Every class returns [N] losses and named [N] diagnostics whose weighted means are logged. `vanishes` says that loss and
gradient are exactly 0 wherever the advantage is: what has no signal need then not be computed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rlenvs_trainers.algorithm import Algorithm
from rlenvs_trainers.ratio import MAX_LOG_RATIO, segment_sum
from rlenvs_trainers.scope import Scope
from rlenvs_trainers.view import View

if TYPE_CHECKING:
    from torch import Tensor

Losses = tuple["Tensor", Mapping[str, "Tensor"]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """PPO's pessimistic clip: no reward for moving the ratio r out of [1 - low, 1 + high].

    max(-A r, -A clip(r, 1 - low, 1 + high)); with a `cap` c, at most -c A where A < 0 (dual clip: bounds the loss where
    the ratio of a bad token explodes, and gives it no gradient there). TRL's `delta` is this cap.

    Source: arXiv:1707.06347; low=0.2 and high=0.28, DAPO arXiv:2503.14476; dual clip, arXiv:1912.09729.
    """

    low: float = 0.2
    high: float = 0.2
    cap: float | None = None

    needs: ClassVar[tuple[str, ...]] = ()
    vanishes: ClassVar[bool] = True
    scope: ClassVar[Scope] = "token"
    clips: ClassVar[bool] = True  # does nothing while every ratio is 1

    def __post_init__(self) -> None:
        if not (0 < self.low <= 1 and self.high > 0):
            raise ValueError(f"surrogate.low is in (0, 1] and surrogate.high positive: got {self.low} and {self.high}")
        if self.cap is not None and self.cap <= 1 + self.high:
            raise ValueError(f"surrogate.cap lies beyond 1 + surrogate.high = {1 + self.high}: got {self.cap}")

    def __call__(self, view: View, log_ratio_N: Tensor) -> Losses:
        """[N] losses; the shares of tokens clipped from below, from above, and by the cap."""
        advantage_N, ratio_N = view.advantage_N, log_ratio_N.exp()
        loss_N = (-advantage_N * ratio_N).maximum(-advantage_N * ratio_N.clamp(1 - self.low, 1 + self.high))
        clipped = {
            "clip/low": (advantage_N < 0) & (ratio_N < 1 - self.low),
            "clip/high": (advantage_N > 0) & (ratio_N > 1 + self.high),
        }
        if self.cap is not None:
            clipped["clip/cap"] = (advantage_N < 0) & (ratio_N > self.cap)
            loss_N = loss_N.where(~clipped["clip/cap"], -self.cap * advantage_N)
        return loss_N, _shares(clipped, loss_N)


@dataclass(frozen=True, slots=True, kw_only=True)
class TruncatedWeight:
    """CISPO: the likelihood of the token, weighted with its bounded ratio: -sg(clamp(r, lowest, highest)) A logp.

    Every token keeps a gradient, however far it moved. The bounds are of the ratio itself: verl's epsilons of 0.2 are
    lowest=0.8, highest=1.2; TRL bounds only from above (lowest=0, highest=5).

    Source: CISPO (MiniMax-M1), arXiv:2506.13585.
    """

    lowest: float = 0.0
    highest: float = 5.0

    needs: ClassVar[tuple[str, ...]] = ()
    vanishes: ClassVar[bool] = True
    scope: ClassVar[Scope] = "token"
    clips: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 <= self.lowest <= 1 < self.highest:
            raise ValueError(
                f"surrogate.lowest is in [0, 1] and surrogate.highest above 1, bounds of the ratio itself: "
                f"got {self.lowest} and {self.highest}"
            )

    def __call__(self, view: View, log_ratio_N: Tensor) -> Losses:
        """[N] losses; the shares of tokens whose weight was bounded."""
        ratio_N = log_ratio_N.detach().exp()
        loss_N = -ratio_N.clamp(self.lowest, self.highest) * view.advantage_N * view.logprobs_N
        return loss_N, _shares({"clip/low": ratio_N < self.lowest, "clip/high": ratio_N > self.highest}, loss_N)


@dataclass(frozen=True, slots=True, kw_only=True)
class Soft:
    """SAPO: a sigmoid gate instead of an edge: -A sigmoid(t (r - 1)) 4 / t, with slope 1 at r = 1.

    The temperature t is `positive` where A > 0 and `negative` elsewhere. Source: SAPO, arXiv:2511.20347.
    """

    positive: float = 1.0
    negative: float = 1.05

    needs: ClassVar[tuple[str, ...]] = ()
    vanishes: ClassVar[bool] = True
    scope: ClassVar[Scope] = "token"

    def __post_init__(self) -> None:
        if not (self.positive > 0 and self.negative > 0):
            raise ValueError(
                f"surrogate.positive and surrogate.negative are above 0: got {self.positive} and {self.negative}"
            )

    def __call__(self, view: View, log_ratio_N: Tensor) -> Losses:
        """[N] losses."""
        advantage_N = view.advantage_N
        sharpness_N = advantage_N.new_full(advantage_N.shape, self.negative).where(advantage_N <= 0, self.positive)
        gate_N = (sharpness_N * (log_ratio_N.exp() - 1)).sigmoid() * 4 / sharpness_N
        return -advantage_N * gate_N, {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Geometric:
    """GMPO: clip every token in log space against the sign of A, then take the trajectory's geometric mean.

    z' = s min(s z, s clip(z, -low, high)), s = sign(A); loss -A exp(mean z'), the same on all tokens of a trajectory.

    Source: GMPO, arXiv:2507.20673, bounds 0.4 in log space.
    """

    low: float = 0.4
    high: float = 0.4

    needs: ClassVar[tuple[str, ...]] = ()
    vanishes: ClassVar[bool] = True
    scope: ClassVar[Scope] = "trajectory"
    clips: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (0 < self.low < MAX_LOG_RATIO and 0 < self.high < MAX_LOG_RATIO):
            raise ValueError(
                f"surrogate.low and surrogate.high are bounds of the log-ratio: got {self.low} and {self.high}"
            )

    def objection(self, algorithm: Algorithm) -> str | None:
        """It forms the trajectory's mean itself, and one mean has one advantage."""
        if algorithm.ratio.unit != "token":
            return "surrogate Geometric averages token ratios over the trajectory itself: set ratio.unit to token"
        if algorithm.credit.unit != "trajectory":
            return (
                f"surrogate Geometric needs one advantage per trajectory, and the credit is per {algorithm.credit.unit}"
            )
        return None

    def __call__(self, view: View, log_ratio_N: Tensor) -> Losses:
        """[N] losses; the shares of tokens clipped from below and from above."""
        sign_N, segments = view.advantage_N.sign(), view.segments["trajectory"]
        bounded_N = log_ratio_N.clamp(-self.low, self.high)
        log_N = sign_N * (sign_N * log_ratio_N).minimum(sign_N * bounded_N)
        mean_U = segment_sum(view.weight_N * log_N, segments) / segments.mass_U.to(log_N.dtype)
        loss_N = -view.advantage_N * mean_U.exp()[segments.ids_N]
        clipped = {
            "clip/low": (sign_N < 0) & (log_ratio_N < -self.low),
            "clip/high": (sign_N > 0) & (log_ratio_N > self.high),
        }
        return loss_N, _shares(clipped, loss_N)


@dataclass(frozen=True, slots=True, kw_only=True)
class Likelihood:
    """-A logp: plain policy gradient, and with advantages in [0, 1] weighted maximum likelihood. It ignores the ratio.

    Right for data of the current policy only, hence with one update per step. Source: REINFORCE.
    """

    needs: ClassVar[tuple[str, ...]] = ()
    vanishes: ClassVar[bool] = True
    scope: ClassVar[Scope] = "token"

    def objection(self, algorithm: Algorithm) -> str | None:
        """Without a ratio nothing corrects for tokens of an older policy."""
        if math.prod(algorithm.updates) > 1:
            return (
                f"surrogate Likelihood ignores the ratio and takes one update per step: updates is {algorithm.updates}"
            )
        return None

    def __call__(self, view: View, log_ratio_N: Tensor) -> Losses:  # noqa: ARG002 (every surrogate is given the ratio)
        """[N] losses."""
        return -view.advantage_N * view.logprobs_N, {}


def _shares(masks: Mapping[str, Tensor], like: Tensor) -> dict[str, Tensor]:
    return {name: mask_N.to(like.dtype) for name, mask_N in masks.items()}
