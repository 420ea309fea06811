"""Batches of one trajectory per length, and an objective's loss and gradient on them."""

from dataclasses import dataclass, replace

import numpy as np
import torch

from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.algorithm import TokenCredit
from rlenvs_trainers.batch import pack
from rlenvs_trainers.objective import Views, objective
from rlenvs_trainers.records import Group
from rlenvs_trainers.synthetic import completion, trajectory

CLIPPED = replace(GRPO, updates=(1, 4))


@dataclass(frozen=True)
class FinerCredit:
    unit: str = "token"

    def __call__(self, groups, progress):
        raise NotImplementedError


def batch_of(lengths, advantages, *, sampler=None):
    """One trajectory per length, with one advantage each."""
    one_each = [
        trajectory([((1,), completion(range(n), logprobs=sampler and sampler[i]))], 1.0, attempt=i)
        for i, n in enumerate(lengths)
    ]
    credit = {
        (0, i): TokenCredit(advantage=(np.full(n, float(a)),), weight=(np.ones(n),))
        for i, (n, a) in enumerate(zip(lengths, advantages, strict=True))
    }
    return pack([Group(trajectories=tuple(one_each))], credit)


def slope(algorithm, batch, logprobs, old=None, *, dtype=torch.float64, **more):
    """The loss and its gradient by the log-probabilities, computed in `dtype`."""
    leaf = torch.tensor(logprobs, dtype=dtype).requires_grad_()
    constants = {} if old is None else {"old": np.array(old, dtype=np.float64)}
    signals = {"logprob": leaf} | {name: torch.tensor(v, dtype=dtype) for name, v in more.items()}
    batch = replace(batch, constants={**batch.constants, **constants})
    loss = objective(algorithm, Views(batch, dtype=dtype).of(batch, signals), batch.where)
    loss.value.backward()
    return loss, leaf.grad.numpy()
