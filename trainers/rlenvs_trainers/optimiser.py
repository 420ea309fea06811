"""AdamW with a learning-rate schedule, and its state as named tensors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from rlenvs_trainers.config import LearnerConfig


def learning_rate(config: LearnerConfig, step: int, num_steps: int, peak: float | None = None) -> float:
    """The rate of optimiser step `step` (from 0): a linear rise over the warm-up, then the schedule down to 0.

    "constant" stays; "linear" and "cosine" reach 0 after the last of `num_steps`.

    Args:
        peak: where it rises to; None: to the config's `lr`.
    """
    peak = config.lr if peak is None else peak
    if step < config.warmup_steps:
        return peak * (step + 1) / config.warmup_steps
    left = max(1, num_steps - config.warmup_steps)
    done = min(1.0, (step - config.warmup_steps) / left)
    factor = {"constant": 1.0, "linear": 1.0 - done, "cosine": 0.5 * (1 + math.cos(math.pi * done))}[config.schedule]
    return peak * factor


class Optimiser:
    """AdamW over a module's trainable parameters. Weight decay is for matrices: not for biases and norms.

    Args:
        peaks: by prefix of parameters' names, the peak learning rate of what learns at another than the config's.
    """

    def __init__(
        self, module: nn.Module, config: LearnerConfig, num_steps: int, peaks: Mapping[str, float] | None = None
    ) -> None:
        self.config, self.num_steps, self.steps = config, num_steps, 0
        self.named = {name: p for name, p in module.named_parameters() if p.requires_grad}
        rates = peaks or {}
        self.parts: dict[str, list[nn.Parameter]] = {prefix: [] for prefix in ("", *rates)}  # by prefix; "": the rest
        for name, parameter in self.named.items():
            self.parts[next(filter(name.startswith, rates), "")].append(parameter)
        groups: list[dict[str, Any]] = []
        for prefix, parameters in self.parts.items():
            matrices, vectors = ([p for p in parameters if (p.ndim >= 2) == is_matrix] for is_matrix in (True, False))
            peak = rates.get(prefix, config.lr)
            groups.append({"params": matrices, "weight_decay": config.weight_decay, "peak": peak})
            groups.append({"params": vectors, "weight_decay": 0.0, "peak": peak})
        self._adamw = torch.optim.AdamW(groups, lr=config.lr, betas=config.betas, fused=True)

    @property
    def lr(self) -> float:
        """Of the next step, for the policy."""
        return learning_rate(self.config, self.steps, self.num_steps)

    def step(self) -> None:
        """Change the weights along their gradients, and forget the gradients."""
        for group in self._adamw.param_groups:
            group["lr"] = learning_rate(self.config, self.steps, self.num_steps, group["peak"])
        self._adamw.step()
        self.zero_grad()
        self.steps += 1

    def zero_grad(self) -> None:
        """Forget the gradients."""
        self._adamw.zero_grad(set_to_none=True)

    def tensors(self) -> dict[str, Tensor]:
        """Moments and step counts, as "parameter name/moment"."""
        return {
            f"{name}/{key}": value.detach()
            for name, parameter in self.named.items()
            for key, value in self._adamw.state.get(parameter, {}).items()
        }

    def load(self, tensors: Mapping[str, Tensor], steps: int) -> None:
        """Take over what `tensors()` gave.

        Raises:
            ValueError: the tensors are of another model.
        """
        state: dict[str, dict[str, Tensor]] = {}
        for full_name, value in tensors.items():
            name, _, key = full_name.rpartition("/")
            state.setdefault(name, {})[key] = value
        unknown = sorted(set(state) - set(self.named))
        if unknown:
            raise ValueError(f"the optimiser's state is of another model: it has {unknown[:3]}, which this one has not")
        for name, moments in state.items():
            device = self.named[name].device
            self._adamw.state[self.named[name]] = {key: value.to(device, copy=True) for key, value in moments.items()}
        self.steps = steps
