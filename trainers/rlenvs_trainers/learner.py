"""The learner: owns weights, optimiser and reference, and turns a step's batch into updates.

How the gradient of an optimiser step comes about is `passes.py`'s, what is minimised `objective.py`'s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rlenvs.errors import RlenvsError
from rlenvs_trainers.algorithm import Algorithm, Floats
from rlenvs_trainers.batch import Batch, Sample, split
from rlenvs_trainers.config import LearnerConfig
from rlenvs_trainers.declared import brought_signals
from rlenvs_trainers.devices import device_named
from rlenvs_trainers.forward import Policy
from rlenvs_trainers.layout import lay_out
from rlenvs_trainers.objective import NonFiniteError, notes, objections, old_is_current
from rlenvs_trainers.optimiser import Optimiser
from rlenvs_trainers.passes import Passes, probe, to_numpy
from rlenvs_trainers.ranks import gather_over_ranks, max_over_ranks, sum_over_ranks
from rlenvs_trainers.records import Numbers
from rlenvs_trainers.tally import Tally

REFERENCE, OPTIMISER, LEARNED = "reference.", "optimiser.", "signals."  # prefixes in a state's tensors


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
        self.device = device_named(config.device, "learner.device")
        self._accelerator = _accelerator(self.device)
        self.policy = Policy(
            model.to(self.device),
            temperature=temperature,
            packing=config.packing,
            dtype=getattr(torch, config.dtype),
            gradient_checkpointing=config.gradient_checkpointing,
        )
        self.reference = deepcopy(self.policy).requires_grad_(False) if "reference" in algorithm.needs else None
        signals = brought_signals(algorithm)
        self.policy.bring(signals)
        self.passes = Passes(self.policy, algorithm, self._accelerator, config.tokens_per_microbatch)
        epochs, minibatches = algorithm.updates
        peaks = {f"{LEARNED}{signal.name}.": signal.lr for signal in signals if signal.lr is not None}
        self.optimiser = Optimiser(self.policy, config, num_steps * epochs * minibatches, peaks)
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
        tally.count("tokens/with_advantage", int(np.count_nonzero(batch.advantage_N)))
        return tally.metrics() | {
            "lr": self.optimiser.lr,
            "learner/version": float(self.version),
            "learner/optimiser_steps": float(self.optimiser.steps),
        }

    def _with_constants(self, batch: Batch) -> Batch:
        """The batch with what does not change while it is trained on: old and reference log-probabilities."""
        constants = _as_others_have(batch)
        if self.algorithm.old == "sampler":
            constants.setdefault("old", batch.sampler_N)
        elif "old" not in constants and not old_is_current(self.algorithm):
            constants["old"] = to_numpy(self.passes.signals(self.policy, batch)["logprob"])
        if self.reference is not None and "reference" not in constants:
            constants["reference"] = to_numpy(self.passes.signals(self.reference, batch)["logprob"])
        return replace(batch, constants=constants)

    def _optimise(self, step: Batch, tally: Tally, *, is_first: bool) -> None:
        """One optimiser step on whole trajectories. The first of an update sees the weights that the sampler had."""
        computed, current_N = self.passes.accumulate(step, tally)
        if is_first:
            self._measure_mismatch(step, computed, current_N, tally)
        tally.add_step(self._clip_gradients(step))
        self.optimiser.step()

    def _measure_mismatch(self, step: Batch, computed: Batch, current_N: Floats, tally: Tally) -> None:
        """Over the policy's own tokens that were computed; where no rank has any, over those of a probe."""
        own_N = computed.own()
        if sum_over_ranks([float(own_N.sum())])[0] == 0:
            computed = probe(step, self.passes.budget)
            signals = {name: to_numpy(values) for name, values in self.passes.signals(self.policy, computed).items()}
            tally.add_probe(computed.weight_N, signals["entropy"])
            own_N, current_N = computed.own(), signals["logprob"]
        tally.add_mismatch(computed.sampler_N[own_N], current_N[own_N])

    def gradient(self, batch: Batch) -> dict[str, Tensor]:
        """By parameter, the gradient of one optimiser step on all of the batch. The weights stay as they are.

        Constants "old" and "reference" that the batch already has are kept.
        """
        self.passes.accumulate(self._with_constants(batch), Tally())
        gradient = {name: p.grad.clone() for name, p in self.optimiser.named.items() if p.grad is not None}
        self.optimiser.zero_grad()
        return gradient

    def _clip_gradients(self, step: Batch) -> dict[str, float]:
        """The norms before: of the policy's gradient (""), and by name of what each signal learns, clipped apart."""
        bound, norms = self.config.max_grad_norm or float("inf"), dict[str, float]()
        for prefix, parameters in self.optimiser.parts.items():
            name = prefix.removeprefix(LEARNED).removesuffix(".")
            norms[name] = float(self._accelerator.clip_grad_norm_(parameters, bound))
            if not np.isfinite(norms[name]):
                self.optimiser.zero_grad()
                tasks = ", ".join(sorted({step.labels[index] for index in np.unique(step.trajectory_N)})[:3])
                raise NonFiniteError(
                    f"the norm of the gradient{f' of {name!r}' * bool(name)} is {norms[name]}: the step was not taken. "
                    f"Lower learner.lr, or look at what its tasks earned, among them {tasks}"
                )
        return norms

    # For others.

    def weights(self) -> dict[str, Tensor]:
        """The policy's weights by `transformers`' names. Not a copy: they change with the next update."""
        return {name: tensor.detach() for name, tensor in self.policy.model.state_dict().items()}

    def logprobs(self, samples: Sequence[Sample]) -> list[Floats]:
        """Log-probabilities of each sample's trained tokens, at the sampling temperature: a probe for a sampler."""
        none = np.zeros(1, dtype=np.int64)
        with torch.no_grad():
            return [to_numpy(self.policy(lay_out([sample], none))["logprob"]) for sample in samples]

    def state_dict(self) -> LearnerState:
        """Optimiser, schedule, counters, what signals learned, and the reference where there is one.

        The policy's weights are kept apart.
        """
        tensors = {OPTIMISER + name: value for name, value in self.optimiser.tensors().items()}
        tensors |= {LEARNED + name: value.clone() for name, value in self.policy.signals.state_dict().items()}
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
        self.policy.signals.load_state_dict(_under(state.tensors, LEARNED))
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


def _accelerator(device: torch.device) -> Any:
    """Accelerate, for placement and ranks: types are the policy's, and accumulation is ours (it would divide again).

    Raises:
        RlenvsError: it is elsewhere. Its device is one for the whole process, that of whoever was first.
    """
    from accelerate import Accelerator

    if device.type == "cuda":
        torch.cuda.set_device(device)
    try:
        accelerator = Accelerator(cpu=device.type == "cpu", mixed_precision="no", gradient_accumulation_steps=1)
    except ValueError as error:  # what it says when it is on CUDA and is asked for the CPU
        raise _elsewhere(device, str(error)) from error
    there: torch.device = accelerator.device
    if there.type != device.type or (there.index not in (None, device.index) and device.type == "cuda"):
        raise _elsewhere(device, f"it is on {there}")
    return accelerator


def _elsewhere(device: torch.device, why: str) -> RlenvsError:
    return RlenvsError(
        f"this learner is for {device}, and Accelerate in this process is not: {why}. A process has one device for all "
        "its learners: use that one, or start another process."
    )


def _as_many_as_others(parts: list[Batch], batch: Batch) -> list[Batch]:
    """Every rank takes the same number of optimiser steps: with nothing, where it has no more trajectories."""
    missing = int(max_over_ranks(len(parts))) - len(parts)
    return [*parts, *[batch.take([])] * missing]


def _as_others_have(batch: Batch) -> dict[str, Numbers]:
    """The batch's constants; without data, of no token, those that another rank's data has: slots will read them."""
    kinds = gather_over_ranks({name: (values.dtype.str, values.shape[1:]) for name, values in batch.constants.items()})
    nothing = {name: np.zeros((0, *shape), dtype) for others in kinds for name, (dtype, shape) in others.items()}
    return dict(batch.constants) if len(batch) else nothing


def _under(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
