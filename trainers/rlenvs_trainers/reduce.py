"""From a number per token to one number: the mean over units, with denominators of the whole optimiser step.

| verl                        | TRL              | here                                                       |
|-----------------------------|------------------|------------------------------------------------------------|
| seq-mean-token-mean         | grpo, sapo       | Mean(over="trajectory")                                    |
| token-mean                  | dapo, cispo      | Mean(over="token")                                         |
| seq-mean-token-sum          | -                | Mean(over="trajectory", inner="sum")                       |
| seq-mean-token-sum-norm     | -                | Mean(over="batch", inner="sum", constant=C)                |
| -                           | dr_grpo          | Mean(over="trajectory", inner="sum", constant=max length)  |
| token-mean per micro-batch  | bnpo             | not offered: it depends on how memory cuts the batch       |

TRL's row means also count trajectories without a trained token; here and in verl they are not there to be counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from rlenvs_trainers.records import Level
from rlenvs_trainers.scope import Scope
from rlenvs_trainers.view import View

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """(1 / number of units) sum over units of inner(values of the unit's tokens) / constant.

    The number is that of units with a trained token in the whole optimiser step, over all ranks; "batch" is one unit.
    Tokens enter by their weight w: inner "mean" is sum(w x) / sum(w), "sum" is sum(w x). With over="token" the value is
    sum(w x) / sum(w) over all tokens. So the sum over micro-batches and ranks is the same however they are cut.
    """

    over: Level | Literal["batch"] = "trajectory"
    inner: Literal["mean", "sum"] = "mean"
    constant: float | None = None

    scope: ClassVar[Scope] = "token"  # denominators are known before the first value

    def __post_init__(self) -> None:
        if self.constant is not None and not self.constant > 0:
            raise ValueError(f"reduce.constant is positive, such as the longest completion: got {self.constant}")
        if self.over == "batch" and self.inner == "mean":
            raise ValueError("the mean over the tokens of the batch is reduce.over='token'; 'batch' takes inner='sum'")

    def __call__(self, value_N: Tensor, view: View) -> Tensor:
        """A scalar: what these tokens add to the mean."""
        weighted_N = view.weight_N * value_N
        if self.inner == "mean" and self.over in ("action", "trajectory"):
            segments = view.segments[self.over]
            weighted_N = weighted_N / segments.mass_U.to(value_N.dtype)[segments.ids_N]
        count = 1.0 if self.over == "batch" else view.segments[self.over].total
        return weighted_N.sum() / (count * (self.constant or 1.0))
