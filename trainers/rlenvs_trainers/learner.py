"""The learner: owns weights, optimiser and reference, and turns a step's batch into updates.

An optimiser step is one pass over its micro-batches where the objective needs no more than whole trajectories together.
Otherwise it is two: signals without gradient for the whole step, the objective on them, and a second pass that
back-propagates one number per signal and token. Both are exact. What is minimised is `objective.py`'s, how tokens go
through the model `forward.py`'s and `layout.py`'s.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rlenvs.errors import RlenvsError
from rlenvs_trainers.algorithm import Algorithm, Floats, Ints
from rlenvs_trainers.batch import Batch, Sample, split
from rlenvs_trainers.config import LearnerConfig
from rlenvs_trainers.forward import Policy, Signals
from rlenvs_trainers.layout import ON_CPU, ON_GPU, Plan, lay_out, plan
from rlenvs_trainers.objective import (
    NonFiniteError,
    Views,
    ignores_zero_advantages,
    notes,
    objections,
    objective,
    old_is_current,
    scope,
)
from rlenvs_trainers.optimiser import Optimiser
from rlenvs_trainers.ranks import max_over_ranks, sum_over_ranks, world_size
from rlenvs_trainers.tally import Tally

REFERENCE, OPTIMISER = "reference.", "optimiser."  # prefixes in a state's tensors
NOTHING = Sample.of([0], [0])  # what a rank without data computes, so that the others need not wait for ever


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerState:
    """What a checkpoint needs besides the policy's weights: tensors for safetensors, the rest for JSON."""

    tensors: dict[str, Tensor]
    metadata: dict[str, Any]


class Learner:
    """Trains a causal language model of `transformers` by an algorithm, on one device or as one rank of several.

    `notes` says what is odd but allowed, a sentence each.

    Args:
        model: trained in place, and moved to the device. Where the algorithm needs a reference it is a copy of it now.
        temperature: at which the data was sampled: log-probabilities on both sides of the ratio are at it.
        num_steps: calls of `update` in the whole run: what the schedule counts down to.
        seed: of the order of minibatches; each update's own order follows from it and the updates before.

    Raises:
        RlenvsError: the algorithm's parts do not fit together.
    """

    def __init__(
        self,
        model: Any,
        config: LearnerConfig,
        algorithm: Algorithm,
        *,
        temperature: float = 1.0,
        num_steps: int = 1,
        seed: int = 0,
    ) -> None:
        refuse(algorithm, temperature)
        self.config, self.algorithm, self.seed = config, algorithm, seed
        self.version = 0  # updates that changed the weights: what samplers are told
        self._accelerator = _accelerator(config.device)
        self.device: torch.device = self._accelerator.device
        self._overhead = ON_CPU if self.device.type == "cpu" else ON_GPU
        self._dtype = torch.promote_types(next(model.parameters()).dtype, torch.float32)  # of the objective
        self.policy = Policy(
            model.to(self.device),
            temperature=temperature,
            packing=config.packing,
            dtype=getattr(torch, config.dtype),
            gradient_checkpointing=config.gradient_checkpointing,
        )
        self.reference = deepcopy(self.policy).requires_grad_(False) if "reference" in algorithm.needs else None
        self._module = self._accelerator.prepare_model(self.policy)
        epochs, minibatches = algorithm.updates
        self.optimiser = Optimiser(self.policy, config, num_steps * epochs * minibatches)
        self.notes = (*notes(algorithm), *self.policy.notes)

    # A training step.

    def update(self, batch: Batch) -> dict[str, float]:
        """Improve the policy on a step's data, and say how it went.

        Without a trained token nothing happens, and the version stays.

        Raises:
            NonFiniteError: a slot or the gradient gave NaN or infinity. The optimiser step it came in was not taken.
        """
        tally = Tally()
        if sum_over_ranks([len(batch)])[0]:
            batch = self._with_constants(batch)
            rng = np.random.default_rng((self.seed, self.version))
            epochs, minibatches = self.algorithm.updates
            for epoch in range(epochs):
                for number, part in enumerate(_as_many_as_others(split(batch, minibatches, rng), batch)):
                    self._optimise(part, tally, is_first=epoch == number == 0)
            self.version += 1
        tally.count("tokens/trained", len(batch))
        return tally.metrics() | {
            "lr": self.optimiser.lr,
            "learner/version": float(self.version),
            "learner/optimiser_steps": float(self.optimiser.steps),
        }

    def _with_constants(self, batch: Batch) -> Batch:
        """The batch with what does not change while it is trained on: old and reference log-probabilities."""
        constants = dict(batch.constants)
        if self.algorithm.old == "sampler":
            constants.setdefault("old", batch.sampler_N)
        elif "old" not in constants and not old_is_current(self.algorithm):
            constants["old"] = _floats(self._signals(self.policy, batch, self._plan(batch))["logprob"])
        if self.reference is not None and "reference" not in constants:
            constants["reference"] = _floats(self._signals(self.reference, batch, self._plan(batch))["logprob"])
        return replace(batch, constants=constants)

    def _optimise(self, step: Batch, tally: Tally, *, is_first: bool) -> None:
        """One optimiser step on whole trajectories. The first of an update sees the weights that the sampler had."""
        computed, current_N = self._accumulate(step, tally)
        if is_first:
            tally.add_mismatch(computed.sampler_N, current_N)
        tally.add_step(self._clip_gradient(step))
        self.optimiser.step()

    def gradient(self, batch: Batch) -> dict[str, Tensor]:
        """By parameter, the gradient of one optimiser step on all of the batch. The weights stay as they are.

        Constants "old" and "reference" that the batch already has are kept.
        """
        self._accumulate(self._with_constants(batch), Tally())
        gradient = {name: p.grad.clone() for name, p in self.optimiser.named.items() if p.grad is not None}
        self.optimiser.zero_grad()
        return gradient

    def _accumulate(self, step: Batch, tally: Tally) -> tuple[Batch, Floats]:
        """The step's gradient, into the parameters; what was computed for it, and its [N] log-probabilities."""
        views = Views(step, self.device, self._dtype)
        live = self._live(step, step.advantage_N) if ignores_zero_advantages(self.algorithm) else step
        passes = self._plan(live)
        if scope(self.algorithm) != "batch" and max_over_ranks(not passes.is_whole) == 0:
            computed, current_N = live, self._one_pass(live, views, passes, tally)
        else:
            computed, current_N = step, self._two_passes(step, views, tally)
        for parameter in self.optimiser.named.values():
            if parameter.grad is None:  # nothing had a signal: momentum and decay go on all the same
                parameter.grad = torch.zeros_like(parameter)
        return computed, current_N

    def _one_pass(self, live: Batch, views: Views, passes: Plan, tally: Tally) -> Floats:
        """Micro-batch by micro-batch, each with its own part of the loss."""
        current_N = np.zeros(len(live))
        for indices in self._in_step_with_others(passes):
            part = live.take(indices)
            signals = self._forward(self._module, part, passes.prefix_lengths[indices], tally)
            loss = objective(self.algorithm, views.of(part, signals), part.where)
            self._backward(loss.value)
            tally.add_loss(loss)
            current_N[live.tokens_of(indices)] = _floats(signals["logprob"])
        return current_N

    def _two_passes(self, step: Batch, views: Views, tally: Tally) -> Floats:
        """For objectives that must see the whole step at once."""
        signals = self._signals(self.policy, step, self._plan(step))
        leaves = {name: values.requires_grad_() for name, values in signals.items()}
        loss = objective(self.algorithm, views.of(step, leaves), step.where)
        tally.add_loss(loss)
        gradients = torch.autograd.grad(loss.value, list(leaves.values()), allow_unused=True)
        slopes = {
            name: _floats(slope_N) for name, slope_N in zip(leaves, gradients, strict=True) if slope_N is not None
        }
        live = self._live(replace(step, constants=slopes), *slopes.values())
        passes = self._plan(live)
        for indices in self._in_step_with_others(passes):
            part = live.take(indices)
            signals = self._forward(self._module, part, passes.prefix_lengths[indices], tally)
            products = [signals[name] @ views.tensor(slope_N) for name, slope_N in part.constants.items()]
            self._backward(torch.stack(products).sum())
        return _floats(leaves["logprob"])

    @staticmethod
    def _live(step: Batch, *slopes: Floats) -> Batch:
        """The samples with a token at which any of these numbers is not 0: the others' gradient is exactly 0."""
        moves_N = np.any([slope_N != 0 for slope_N in slopes], axis=0)
        return step.take(np.unique(step.sample_N[moves_N]))

    # Through the model.

    def _plan(self, step: Batch) -> Plan:
        owners = step.owners(step.group_N), step.owners(step.trajectory_N)
        budget, share = self.config.tokens_per_microbatch, self.policy.shares_prefixes
        return plan(step.samples, *owners, budget, share=share, overhead=self._overhead)

    def _in_step_with_others(self, passes: Plan) -> Iterator[Ints]:
        """The micro-batches, and then, where another rank has more, passes over nothing that wait for it."""
        rounds = int(max_over_ranks(len(passes.parts)))
        for number in range(rounds):
            with self._synchronising(number == rounds - 1):
                if number < len(passes.parts):
                    yield passes.parts[number]
                else:
                    signals = self._module(lay_out([NOTHING], np.zeros(1, dtype=np.int64)))
                    self._backward(0.0 * signals["logprob"].sum())

    def _synchronising(self, is_last: bool) -> AbstractContextManager[Any]:
        """Ranks exchange gradients with the last backward only."""
        context: AbstractContextManager[Any] = nullcontext() if is_last else self._accelerator.no_sync(self._module)
        return context

    def _forward(self, module: Any, part: Batch, prefix_lengths: Ints, tally: Tally | None = None) -> Signals:
        layout = lay_out(part.samples, prefix_lengths, overhead=self._overhead)
        if tally is not None:
            tally.count("tokens/computed", layout.num_tokens)
            tally.count("learner/microbatches", 1)
        signals: Signals = module(layout)
        return signals

    @torch.no_grad()
    def _signals(self, module: Policy, step: Batch, passes: Plan) -> Signals:
        """[N] every signal of a step, without gradient. Past the ranks' wrapper: their numbers of passes differ."""
        if not passes.parts:
            return {"logprob": torch.zeros(0, device=self.device, dtype=self._dtype)}
        parts = [self._forward(module, step.take(i), passes.prefix_lengths[i]) for i in passes.parts]
        order = torch.from_numpy(np.concatenate([step.tokens_of(i) for i in passes.parts])).to(self.device)
        place = torch.argsort(order)
        return {name: torch.cat([part[name] for part in parts])[place] for name in parts[0]}

    def _backward(self, value: Tensor) -> None:
        """Ranks average their gradients, and denominators are those of all ranks already."""
        self._accelerator.backward(value * world_size())

    def _clip_gradient(self, step: Batch) -> float:
        bound = self.config.max_grad_norm or float("inf")
        norm = float(self._accelerator.clip_grad_norm_(list(self.optimiser.named.values()), bound))
        if not np.isfinite(norm):
            self.optimiser.zero_grad()
            tasks = ", ".join(sorted({step.labels[index] for index in np.unique(step.trajectory_N)})[:3])
            raise NonFiniteError(f"the gradient's norm is {norm}: the step was not taken. Among its tasks: {tasks}")
        return norm

    # For others.

    def weights(self) -> dict[str, Tensor]:
        """The policy's weights by `transformers`' names. Not a copy: they change with the next update."""
        return {name: tensor.detach() for name, tensor in self.policy.model.state_dict().items()}

    def load_weights(self, weights: Mapping[str, Tensor]) -> None:
        """Go on from these weights."""
        self.policy.model.load_state_dict(weights)

    def logprobs(self, samples: Sequence[Sample]) -> list[Floats]:
        """Log-probabilities of each sample's trained tokens, at the sampling temperature: a probe for a sampler."""
        none = np.zeros(1, dtype=np.int64)
        with torch.no_grad():
            return [_floats(self.policy(lay_out([sample], none))["logprob"]) for sample in samples]

    def state_dict(self) -> LearnerState:
        """Optimiser, schedule, counters, and the reference where there is one. The policy's weights are kept apart."""
        tensors = {OPTIMISER + name: value for name, value in self.optimiser.tensors().items()}
        if self.reference is not None:
            tensors |= {REFERENCE + name: value.clone() for name, value in self.reference.model.state_dict().items()}
        return LearnerState(
            tensors=tensors, metadata={"version": self.version, "optimiser_steps": self.optimiser.steps}
        )

    def load_state_dict(self, state: LearnerState) -> None:
        """Take over what `state_dict` gave.

        Raises:
            ValueError: it is of another model, or lacks the reference.
        """
        reference = _under(state.tensors, REFERENCE)
        if self.reference is not None:
            if not reference:
                raise ValueError(f"algorithm {self.algorithm.name!r} needs a reference, and the state holds none")
            self.reference.model.load_state_dict(reference)
        self.optimiser.load(_under(state.tensors, OPTIMISER), state.metadata["optimiser_steps"])
        self.version = state.metadata["version"]


def refuse(algorithm: Algorithm, temperature: float) -> None:
    """Refuse what cannot be trained, before any work.

    Raises:
        RlenvsError: with every reason, a sentence each.
    """
    reasons = list(objections(algorithm))
    if not temperature > 0:
        reasons.append(f"the trainer replays the sampling temperature, which is above 0: got {temperature}")
    if reasons:
        raise RlenvsError("; ".join(reasons))


def _accelerator(device: str) -> Any:
    """Accelerate, for placement and ranks: types are the policy's, and accumulation is ours (it would divide again)."""
    from accelerate import Accelerator

    is_cpu = device == "cpu" or (device == "auto" and not torch.cuda.is_available())
    if device.startswith("cuda:"):
        torch.cuda.set_device(device)
    return Accelerator(cpu=is_cpu, mixed_precision="no", gradient_accumulation_steps=1)


def _as_many_as_others(parts: list[Batch], batch: Batch) -> list[Batch]:
    """Every rank takes the same number of optimiser steps: with nothing, where it has no more trajectories."""
    missing = int(max_over_ranks(len(parts))) - len(parts)
    return [*parts, *[batch.take([])] * missing]


def _floats(values: Tensor) -> Floats:
    return values.detach().double().cpu().numpy()


def _under(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
