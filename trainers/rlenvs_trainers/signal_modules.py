"""What computes the signals that an algorithm brings along, and holds what they learn. In tensors: see `signals.py`."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from rlenvs.errors import RlenvsError
from rlenvs_trainers.layout import Layout

if TYPE_CHECKING:
    from rlenvs_trainers.forward import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One forward pass of the policy: what signals are made from."""

    policy: Policy
    layout: Layout
    features_NX: Tensor  # of the positions that predict the trained tokens: what the head reads, or logits
    targets_N: Tensor  # ids of the trained tokens
    logprob_N: Tensor  # theirs, at the sampling temperature
    constants: Mapping[str, Tensor]  # by name, [N] or [N, K]: what was noted on the trained tokens


class SignalModule(nn.Module):
    """What computes a signal, and holds what it learns. Its parameters become part of what is trained."""

    def forward(self, reading: Reading) -> Tensor:
        """[N] numbers of the trained tokens, or [N, K] rows, differentiable where gradients are on."""
        raise NotImplementedError


class ValueNetwork(SignalModule):
    """A copy of the policy's decoder with a linear head that says 0 at first."""

    def __init__(self, policy: Policy) -> None:
        super().__init__()
        weight_VD = policy.model.get_output_embeddings().weight
        self.base = deepcopy(policy.base).requires_grad_(True)
        self.head = nn.Linear(policy.model.config.get_text_config().hidden_size, 1)
        self.head.to(weight_VD.device, torch.promote_types(weight_VD.dtype, torch.float32))
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, reading: Reading) -> Tensor:
        """[N] values of the states in which the trained tokens were written."""
        hidden_ND = reading.policy.hidden(reading.layout, self.base)
        value_N: Tensor = self.head(hidden_ND.to(self.head.weight.dtype))[:, 0]
        return value_N


class Picked(SignalModule):
    """Log-probabilities of ids that were noted on every trained token."""

    def __init__(self, ids: str) -> None:
        super().__init__()
        self.ids = ids

    def forward(self, reading: Reading) -> Tensor:
        """[N, K] of them.

        Raises:
            RlenvsError: what was noted are no ids.
        """
        ids_NK = reading.constants[self.ids]
        size = reading.policy.model.get_output_embeddings().weight.shape[0]
        if ids_NK.ndim != 2 or ids_NK.dtype != torch.long or not bool(((ids_NK >= 0) & (ids_NK < size)).all()):
            kind = str(ids_NK.dtype).removeprefix("torch.")
            span = f" from {ids_NK.min()} to {ids_NK.max()}" if ids_NK.numel() else ""
            raise RlenvsError(
                f"the token signal {self.ids!r} is read as ids: integers from 0 to {size - 1}, a row for each token. "
                f"It is {kind} of shape {list(ids_NK.shape)}{span}. Whoever notes it gives other "
                "ids (a row that is too short is filled with any of them, and masked by who reads it), and has "
                "`example_notes` for check_algorithm"
            )
        return reading.policy.logprobs_of(reading, ids_NK)
