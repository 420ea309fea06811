"""`check_algorithm`: does an algorithm keep the promises that the core relies on? In seconds, on a CPU.

Its explorer and annotators are not run: the data is made up (`specimens.py`), the model a tiny random one, and
gradients are compared with the slow ones of `reference.py`. Every call of a slot has a memory of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from rlenvs.errors import RlenvsError, foreign_code
from rlenvs_trainers.algorithm import Algorithm
from rlenvs_trainers.batch import Batch
from rlenvs_trainers.config import LearnerConfig
from rlenvs_trainers.credit_checks import CREDIT_CHECKS
from rlenvs_trainers.learner import Learner
from rlenvs_trainers.objective import objections, scope
from rlenvs_trainers.records import Group, Trajectory
from rlenvs_trainers.reference import random_model, reference_gradient
from rlenvs_trainers.specimens import (
    VOCABULARY,
    moved,
    packed,
    slope,
    varied,
    view_of,
)
from rlenvs_trainers.view import View

TEMPERATURE = 0.7
TOLERANCE = 1e-6  # of a gradient, relative: norms inside of models are in float32 whatever the weights are
BUDGETS = (1, 60, 4096)
Packing = Literal["none", "prefix"]
PACKINGS: tuple[Packing, ...] = ("none", "prefix")


class AlgorithmError(RlenvsError):
    """An algorithm that breaks promises; the message has a line for each."""


def check_algorithm(algorithm: Algorithm) -> tuple[str, ...]:
    """Run every check, and return what was checked, a sentence each.

    Slots that read more than a number per token of what explorers and annotators note (rows, ids, signals of a turn)
    find it where those have `example_notes`.

    Raises:
        AlgorithmError: with every check that failed, and how.
    """
    reasons = list(objections(algorithm))
    if reasons:
        raise AlgorithmError(f"algorithm {algorithm.name!r} cannot run: " + "; ".join(reasons))
    outcomes = {str(check.__doc__): _why_failed(check, algorithm) for check in CHECKS}
    failed = [f"- {sentence} {why}" for sentence, why in outcomes.items() if why]
    if failed:
        raise AlgorithmError(f"algorithm {algorithm.name!r} breaks promises:\n" + "\n".join(failed))
    return tuple(outcomes)


def _why_failed(check: Callable[[Algorithm], None], algorithm: Algorithm) -> str:
    try:
        with foreign_code():
            check(algorithm)
    except Exception as error:  # whatever a slot raises is what its author needs to read
        return f"Not so: {error}" if isinstance(error, AssertionError) else f"{type(error).__name__}: {error}"
    return ""


# The objective.


def _declares_what_it_reads(algorithm: Algorithm) -> None:
    """Every slot reads the signals and constants that it declares, and no others."""
    view = view_of(moved(algorithm))
    log_ratio_N = algorithm.ratio(view, algorithm.credit.unit)
    for rule in (algorithm.surrogate, *algorithm.weights):
        _assert_reads(rule, view, lambda seen, rule=rule: rule(seen, log_ratio_N))  # type: ignore[misc]
    for term in algorithm.regularise:
        if term.coefficient:
            _assert_reads(term, view, term)


def _assert_reads(slot: Any, view: View, call: Callable[[View], Any]) -> None:
    signals, constants = _Recorder(view.signals), _Recorder(view.constants)
    call(replace(view, signals=signals, constants=constants))
    read = (signals.read | constants.read) - {"logprob"}
    assert read == set(slot.needs), f"{type(slot).__name__} declares {sorted(slot.needs)} and reads {sorted(read)}."


def _learns_nothing_from_nothing(algorithm: Algorithm) -> None:
    """Advantages of zero give a gradient of exactly zero, regularisers apart."""
    batch = moved(algorithm)
    _, gradient_N = slope(replace(algorithm, regularise=()), replace(batch, advantage_N=np.zeros(len(batch))))
    assert not gradient_N.any(), f"it is up to {np.abs(gradient_N).max()}."


def _survives_any_distance(algorithm: Algorithm) -> None:
    """Log-ratios of plus and minus 200 give a finite loss and gradient in float32."""
    batch = moved(algorithm)
    for distance in (200.0, -200.0):
        old_N = batch.constants["old"] - distance * (np.arange(len(batch)) % 3 == 0)
        far = replace(batch, constants={**batch.constants, "old": old_N})
        value, gradient_N = slope(algorithm, far, torch.float32)
        assert np.isfinite([value, *gradient_N]).all(), (
            f"at {distance} the loss is {value}, or the gradient is not finite."
        )


def _ignores_the_order_of_samples(algorithm: Algorithm) -> None:
    """The order of samples does not matter."""
    batch = moved(algorithm)
    order = np.random.default_rng(1).permutation(len(batch.samples))
    value, gradient_N = slope(algorithm, batch)
    turned_value, turned_N = slope(algorithm, batch.take(order))
    assert np.isclose(value, turned_value, rtol=1e-9), f"the loss is {value}, in another order {turned_value}."
    assert np.allclose(gradient_N[batch.tokens_of(order)], turned_N, rtol=1e-9, atol=1e-12), "gradients differ."


# Through the learner and a tiny model.


def _never_sees_forced_ids(algorithm: Algorithm) -> None:
    """What was said of tokens that the policy did not sample is never looked at."""
    groups = varied(algorithm)
    before, after = packed(algorithm, groups), packed(algorithm, [_other_forced(one) for one in groups])
    assert np.array_equal(before.sampler_N, after.sampler_N), "their log-probabilities reached the batch."
    assert np.array_equal(before.advantage_N, after.advantage_N), "they changed an advantage."


def _has_the_reference_gradient(algorithm: Algorithm) -> None:
    """The gradient is that of the slow reference, however a step is cut, padded and packed."""
    _assert_reference_gradient(algorithm, moved(algorithm), BUDGETS, PACKINGS)


def _has_it_where_signals_are_few(algorithm: Algorithm) -> None:
    """The gradient is that of the slow reference where half of the samples have no advantage."""
    batch = moved(algorithm)
    sparse = replace(batch, advantage_N=np.where(batch.sample_N % 2 == 0, 0.0, batch.advantage_N))
    _assert_reference_gradient(algorithm, sparse, BUDGETS[1:2], PACKINGS[:1])


def _assert_reference_gradient(
    algorithm: Algorithm, batch: Batch, budgets: Sequence[int], packings: Sequence[Packing]
) -> None:
    expected = reference_gradient(algorithm, random_model(VOCABULARY), batch, temperature=TEMPERATURE)
    scale = sum(float(value.square().sum()) for value in expected.values()) ** 0.5
    for budget, packing in product(budgets, packings):
        config = LearnerConfig(device="cpu", tokens_per_microbatch=budget, packing=packing)
        got = Learner(random_model(VOCABULARY), config, algorithm, temperature=TEMPERATURE).gradient(batch)
        off = sum(float((got[name] - value).square().sum()) for name, value in expected.items()) ** 0.5
        assert off <= TOLERANCE * max(scale, 1e-4), (
            f"with {budget} tokens per micro-batch and packing {packing!r} it is off by {off:.1e}, of {scale:.1e}. "
            f"Its slots say that they mix no more than a {scope(algorithm)}."
        )


def _trains(algorithm: Algorithm) -> None:
    """An update gives finite metrics, and the same ones again."""
    batch = packed(algorithm)
    config = LearnerConfig(device="cpu", lr=1e-3, tokens_per_microbatch=60)
    first, second = (Learner(random_model(VOCABULARY), config, algorithm).update(batch) for _ in range(2))
    assert np.isfinite(list(first.values())).all(), f"metrics are {first}."
    assert first == second, "they differ the second time."


CHECKS: tuple[Callable[[Algorithm], None], ...] = (
    *CREDIT_CHECKS,
    _declares_what_it_reads,
    _learns_nothing_from_nothing,
    _survives_any_distance,
    _ignores_the_order_of_samples,
    _never_sees_forced_ids,
    _has_the_reference_gradient,
    _has_it_where_signals_are_few,
    _trains,
)


# What the checks are made of.


class _Recorder(dict[str, Tensor]):
    """A mapping that remembers what was read."""

    def __init__(self, values: Any) -> None:
        super().__init__(values)
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> Tensor:
        self.read.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.read.add(name)
        return super().get(name, default)


def _other_forced(one: Group) -> Group:
    """The same group with other log-probabilities on ids that were forced."""
    return Group(trajectories=tuple(_with_forced(trajectory) for trajectory in one.trajectories))


def _with_forced(trajectory: Trajectory) -> Trajectory:
    turns = []
    for turn in trajectory.turns:
        said = turn.completion
        logprobs = tuple(x if own else -9.0 for x, own in zip(said.logprobs, said.sampled, strict=True))
        turns.append(replace(turn, completion=replace(said, logprobs=logprobs)))
    return replace(trajectory, turns=tuple(turns))
