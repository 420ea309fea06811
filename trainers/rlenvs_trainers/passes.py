"""One optimiser step's gradient, exactly, through the model once or twice.

Once, micro-batch by micro-batch, where the objective needs no more than whole trajectories together. Otherwise twice:
signals without gradient for the whole step, the objective on them, and a second pass that back-propagates one number
per signal and token. What is minimised is `objective.py`'s; how tokens go through the model is `forward.py`'s and
`layout.py`'s.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from rlenvs_trainers.algorithm import Algorithm, Floats, Ints
from rlenvs_trainers.batch import Batch, Sample
from rlenvs_trainers.declared import read_by_signals
from rlenvs_trainers.devices import repeatable
from rlenvs_trainers.forward import Policy, Signals
from rlenvs_trainers.layout import ON_CPU, ON_GPU, Plan, lay_out, plan
from rlenvs_trainers.objective import Views, as_tensor, ignores_zero_advantages, objective, scope
from rlenvs_trainers.ranks import max_over_ranks, world_size
from rlenvs_trainers.tally import Tally

SLOPE = "slope of "  # before a signal's name: its derivative, as a constant of a batch
NOTHING = Sample.of([0], [0])  # what a rank without data computes, so that the others need not wait for ever


class Passes:
    """Takes the data of optimiser steps through a policy.

    Args:
        accelerator: Accelerate's, with which the policy is prepared for several ranks.
        budget: padded tokens of a micro-batch, at most.
    """

    def __init__(self, policy: Policy, algorithm: Algorithm, accelerator: Any, budget: int) -> None:
        self.policy, self.algorithm, self.budget = policy, algorithm, budget
        self.device: torch.device = accelerator.device
        self.dtype = torch.promote_types(next(policy.parameters()).dtype, torch.float32)  # of the objective
        self.overhead = ON_CPU if self.device.type == "cpu" else ON_GPU
        self._read = read_by_signals(algorithm)
        self._accelerator = accelerator
        self._module = accelerator.prepare_model(policy)

    def accumulate(self, step: Batch, tally: Tally) -> tuple[Batch, Floats]:
        """The step's gradient, into the parameters; what was computed for it, and its [N] log-probabilities."""
        with repeatable(self.device):
            return self._accumulate(step, tally)

    def _accumulate(self, step: Batch, tally: Tally) -> tuple[Batch, Floats]:
        views = Views(step, self.device, self.dtype)
        live = self._with_signal(step)
        passes = self._plan(live)
        if scope(self.algorithm) != "batch" and max_over_ranks(not passes.is_whole) == 0:
            computed, current_N = live, self._one_pass(live, views, passes, tally)
        else:
            computed, current_N = step, self._two_passes(step, views, tally)
        for parameter in self.policy.parameters():
            if (
                parameter.requires_grad and parameter.grad is None
            ):  # nothing had a signal: momentum and decay go on all the same
                parameter.grad = torch.zeros_like(parameter)
        return computed, current_N

    def _with_signal(self, step: Batch) -> Batch:
        """What one pass must compute: samples with an advantage, and all that a slot mixes with their tokens."""
        if not ignores_zero_advantages(self.algorithm):
            return step
        # a trajectory whose history was rewritten is several samples; an action always lies within one
        unit_N = step.trajectory_N if scope(self.algorithm) == "trajectory" else step.sample_N
        return _take(step, np.isin(unit_N, unit_N[step.advantage_N != 0]))

    def _one_pass(self, live: Batch, views: Views, passes: Plan, tally: Tally) -> Floats:
        """Micro-batch by micro-batch, each with its own part of the loss."""
        current_N = np.zeros(len(live))
        for indices in self._in_step_with_others(passes, live):
            part = live.take(indices)
            signals = self._forward(self._module, part, passes.prefix_lengths[indices], tally)
            loss = objective(self.algorithm, views.of(part, signals), part.where)
            self._backward(loss.value)
            tally.add_loss(loss)
            current_N[live.tokens_of(indices)] = to_numpy(signals["logprob"])
        return current_N

    def _two_passes(self, step: Batch, views: Views, tally: Tally) -> Floats:
        """For objectives that must see the whole step at once."""
        signals = self.signals(self.policy, step, brought=True)
        leaves = {name: values.requires_grad_() for name, values in signals.items()}
        loss = objective(self.algorithm, views.of(step, leaves), step.where)
        tally.add_loss(loss)
        gradients = torch.autograd.grad(loss.value, list(leaves.values()), allow_unused=True)
        slopes = {
            name: to_numpy(slope_N) for name, slope_N in zip(leaves, gradients, strict=True) if slope_N is not None
        }
        read = {name: values for name, values in step.constants.items() if name in self._read}
        of = {SLOPE + name: slope_N for name, slope_N in slopes.items()}
        has_slope_N = np.any([_any_per_token(slope_N != 0) for slope_N in slopes.values()], axis=0)
        live = _take(replace(step, constants=read | of), has_slope_N)
        passes = self._plan(live)
        for indices in self._in_step_with_others(passes, live):
            part = live.take(indices)
            signals = self._forward(self._module, part, passes.prefix_lengths[indices], tally)
            products = [(signals[name] * views.tensor(part.constants[SLOPE + name])).sum() for name in slopes]
            self._backward(torch.stack(products).sum())
        return to_numpy(leaves["logprob"])

    def _plan(self, step: Batch) -> Plan:
        owners = step.owners(step.group_N), step.owners(step.trajectory_N)
        share = self.policy.shares_prefixes
        return plan(step.samples, *owners, self.budget, share=share, overhead=self.overhead)

    def _in_step_with_others(self, passes: Plan, step: Batch) -> Iterator[Ints]:
        """The step's micro-batches, and then, where another rank has more, passes over nothing that wait for it."""
        rounds = int(max_over_ranks(len(passes.parts)))
        for number in range(rounds):
            with self._synchronising(number == rounds - 1):
                if number < len(passes.parts):
                    yield passes.parts[number]
                else:
                    nothing = self._of_nothing(self._module, step)
                    self._backward(0.0 * torch.stack([values.sum() for values in nothing.values()]).sum())

    def _synchronising(self, is_last: bool) -> AbstractContextManager[Any]:
        """Ranks exchange gradients with the last backward only."""
        context: AbstractContextManager[Any] = nullcontext() if is_last else self._accelerator.no_sync(self._module)
        return context

    def _forward(self, module: Any, part: Batch, prefix_lengths: Ints, tally: Tally) -> Signals:
        layout = lay_out(part.samples, prefix_lengths, overhead=self.overhead)
        tally.count("tokens/computed", layout.num_tokens)
        tally.count("learner/microbatches", 1)
        signals: Signals = module(layout, self._noted(part))
        return signals

    def _noted(self, part: Batch) -> dict[str, Tensor]:
        """What the signals that were brought along read."""
        noted = {name: values for name, values in part.constants.items() if name in self._read}
        return {name: as_tensor(values, self.device, self.dtype) for name, values in noted.items()}

    def _of_nothing(self, module: Any, step: Batch) -> Signals:
        """Of one token that is nobody's, with notes of the same form as the step's."""
        noted = {name: values.new_zeros(1, *values.shape[1:]) for name, values in self._noted(step).items()}
        signals: Signals = module(lay_out([NOTHING], np.zeros(1, dtype=np.int64)), noted)
        return signals

    @torch.no_grad()
    def signals(self, policy: Policy, step: Batch, *, brought: bool = False) -> Signals:
        """[N] signals of a step, without gradient. Past the ranks' wrapper: their numbers of passes differ.

        Args:
            brought: those too that the algorithm brings along, beside log-probability and entropy.
        """
        passes = self._plan(step)
        if not passes.parts:  # of no token, whatever a forward pass gives
            return {name: values[:0] for name, values in self._of_nothing(policy, step).items()}
        parts = []
        for indices in passes.parts:
            part = step.take(indices)
            layout = lay_out(part.samples, passes.prefix_lengths[indices], overhead=self.overhead)
            parts.append(policy(layout, self._noted(part) if brought else None))
        order = torch.from_numpy(np.concatenate([step.tokens_of(i) for i in passes.parts])).to(self.device)
        place = torch.argsort(order)
        return {name: torch.cat([part[name] for part in parts])[place] for name in parts[0]}

    def _backward(self, value: Tensor) -> None:
        """Ranks average their gradients, and denominators are those of all ranks already."""
        self._accelerator.backward(value * world_size())


def _any_per_token(chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """[N] whether anything is chosen, from [N] or [N, K]."""
    return np.asarray(chosen.any(axis=tuple(range(1, chosen.ndim))))


def _take(step: Batch, chosen_N: npt.NDArray[np.bool_]) -> Batch:
    """The samples that have one of the chosen tokens."""
    return step.take(np.unique(step.sample_N[chosen_N]))


def probe(step: Batch, budget: int) -> Batch:
    """Samples of the policy's own, from all over the step, that fit into one micro-batch: cheap beside a step."""
    own = np.unique(step.sample_N[step.own()])
    longest = max((len(step.samples[index].ids) for index in own), default=1)
    count = min(len(own), max(1, budget // longest))
    return step.take(own[np.linspace(0, len(own) - 1, count).astype(np.int64)])


def to_numpy(values: Tensor) -> Floats:
    """In float64, on the CPU, without a gradient."""
    return values.detach().double().cpu().numpy()
