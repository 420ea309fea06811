"""What the ranks of a distributed run tell each other. With a single process everything is its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import torch
import torch.distributed as dist

T = TypeVar("T")


def world_size() -> int:
    """Number of ranks."""
    return dist.get_world_size() if _is_distributed() else 1


def sum_over_ranks(values: Sequence[float]) -> list[float]:
    """The sums over ranks."""
    return _reduced(values, dist.ReduceOp.SUM)


def max_over_ranks(value: float) -> float:
    """The largest of any rank."""
    return _reduced([value], dist.ReduceOp.MAX)[0]


def gather_over_ranks(value: T) -> list[T]:
    """Everybody's value, in the order of ranks: for small things made of plain Python values."""
    if not _is_distributed():
        return [value]
    gathered: list[T] = [value] * world_size()
    dist.all_gather_object(gathered, value)
    return gathered


def _is_distributed() -> bool:
    return dist.is_available() and dist.is_initialized()


def _reduced(values: Sequence[float], operation: dist.ReduceOp.RedOpType) -> list[float]:
    if not _is_distributed():
        return list(values)
    device = "cuda" if dist.get_backend() == "nccl" else "cpu"
    tensor = torch.tensor(values, dtype=torch.float64, device=device)
    dist.all_reduce(tensor, operation)
    return [float(value) for value in tensor]
