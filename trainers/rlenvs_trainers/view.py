"""`View`: what an objective's slots see of an optimiser step, flat vectors over the trained tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rlenvs_trainers.records import Level

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What the objective's slots see: flat vectors over the N trained tokens of an optimiser step.

    `signals` are differentiable leaves; everything else is constant. Masks have been applied by indexing: there is no
    token here that is not trained.
    """

    logprobs_N: Tensor  # under the weights being trained, at the sampling temperature
    old_N: Tensor  # under the weights that the ratio divides by
    advantage_N: Tensor
    weight_N: Tensor  # > 0
    segments: Mapping[Level, Segments]
    signals: Mapping[str, Tensor]  # "logprob", and what the slots declare in `needs`: "entropy", …
    constants: Mapping[str, Tensor]  # "sampler", "reference", critic targets, noted token signals ([N] or [N, K]) …

    def world_sum(self, value: Tensor) -> Tensor:
        """The sum over ranks of a detached number."""
        import torch.distributed as dist

        if dist.is_available() and dist.is_initialized():
            value = value.detach().clone()
            dist.all_reduce(value)
        return value

    def world_values(self, value_N: Tensor) -> tuple[Tensor, int]:
        """The detached values of every rank, in the order of ranks, and where this rank's begin among them."""
        import torch
        import torch.distributed as dist

        if not (dist.is_available() and dist.is_initialized()):
            return value_N.detach(), 0
        counts = [torch.zeros(1, dtype=torch.long, device=value_N.device) for _ in range(dist.get_world_size())]
        dist.all_gather(counts, torch.tensor([len(value_N)], device=value_N.device))
        lengths = [int(count) for count in counts]
        padded = torch.nn.functional.pad(value_N.detach(), (0, max(lengths) - len(value_N)))
        gathered = [torch.empty_like(padded) for _ in lengths]
        dist.all_gather(gathered, padded)
        values = torch.cat([part[:length] for part, length in zip(gathered, lengths, strict=True)])
        return values, sum(lengths[: dist.get_rank()])


@dataclass(frozen=True, slots=True, kw_only=True)
class Segments:
    """Which unit each trained token belongs to."""

    ids_N: Tensor  # [N] integers in 0 … count - 1
    count: int  # units on this rank
    total: (
        float  # units that have a trained token, over the whole optimiser step and all ranks; of tokens, their weight
    )
    mass_U: Tensor  # [count] weight of each unit's trained tokens over the whole optimiser step, seen here or not
