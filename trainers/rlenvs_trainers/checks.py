"""`check_algorithm`: does an algorithm keep the promises that the core relies on? In seconds, on a CPU.

Its explorer and annotators are not run: the data is made up (`synthetic.py`), the model a tiny random one, and
gradients are compared with the slow ones of `reference.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from rlenvs.errors import RlenvsError, foreign_code
from rlenvs_trainers.algorithm import Algorithm, Credit, Floats, Progress, View
from rlenvs_trainers.batch import Batch, pack
from rlenvs_trainers.config import LearnerConfig
from rlenvs_trainers.learner import Learner
from rlenvs_trainers.objective import Views, objections, objective, scope
from rlenvs_trainers.records import Group, Trajectory
from rlenvs_trainers.reference import random_model, reference_gradient
from rlenvs_trainers.synthetic import group, varied_groups

VOCABULARY, TEMPERATURE = 64, 0.7
NOW = Progress(step=0, num_steps=10)
LOGPROB, ENTROPY = "made-up logprob", "made-up entropy"  # constants of a batch: what the policy would say
TOLERANCE = 1e-6  # of a gradient, relative: norms inside of models are in float32 whatever the weights are
BUDGETS = (1, 60, 4096)
PACKINGS: tuple[Literal["none", "prefix"], ...] = ("none", "prefix")


class AlgorithmError(RlenvsError):
    """An algorithm that breaks promises; the message has a line for each."""


def check_algorithm(algorithm: Algorithm) -> tuple[str, ...]:
    """Run every check, and return what was checked, a sentence each.

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


# Credit.


def _repeats(algorithm: Algorithm) -> None:
    """The same groups get the same credit."""
    first, second = (_credit(algorithm, _groups()) for _ in range(2))
    _assert_same_credit(first, second, "it differs the second time.")


def _has_no_favourites(algorithm: Algorithm) -> None:
    """Attempts that did and earned the same get the same finite credit."""
    for reward in (1.0, 0.7):
        values = {_numbers(one) for one in _credit(algorithm, [group([reward] * 8)]).values()}
        assert len(values) <= 1, f"eight attempts that earned {reward} have different credit."
        assert np.isfinite(list(values)).all(), f"it is {values}."


def _takes_a_lone_attempt(algorithm: Algorithm) -> None:
    """An attempt without siblings gets finite credit."""
    values = [_numbers(one) for one in _credit(algorithm, [group([1.0])]).values()]
    assert np.isfinite(values).all(), f"it is {values}."


def _leaves_the_unscored_out(algorithm: Algorithm) -> None:
    """An attempt that could not be scored changes nobody's credit."""
    alone = _credit(algorithm, [group([1.0, 0.0, 0.0])])
    beside = _credit(algorithm, [group([1.0, 0.0, 0.0, None])])
    _assert_same_credit(alone, {key: beside[key] for key in alone}, "a reward of None counts as a number.")


def _ignores_the_order_of_siblings(algorithm: Algorithm) -> None:
    """The order of siblings does not matter."""
    for one in _groups():
        last = len(one.trajectories) - 1
        turned = _credit(algorithm, [Group(trajectories=one.trajectories[::-1])])
        back = {(index, last - place): credit for (index, place), credit in turned.items()}
        _assert_same_credit(_credit(algorithm, [one]), back, "credit depends on it.")


# The objective.


def _declares_what_it_reads(algorithm: Algorithm) -> None:
    """Every slot reads the signals and constants that it declares, and no others."""
    view = _view(_batch(algorithm))
    log_ratio_N = algorithm.ratio(view, algorithm.credit.unit)
    for rule in (algorithm.surrogate, *algorithm.weights):
        _assert_reads(rule, view, lambda seen, rule=rule: rule(seen, log_ratio_N))  # type: ignore[misc]
    for term in algorithm.regularise:
        _assert_reads(term, view, term)


def _assert_reads(slot: Any, view: View, call: Callable[[View], Any]) -> None:
    signals, constants = _Recorder(view.signals), _Recorder(view.constants)
    call(replace(view, signals=signals, constants=constants))
    read = (signals.read | constants.read) - {"logprob"}
    assert read == set(slot.needs), f"{type(slot).__name__} declares {sorted(slot.needs)} and reads {sorted(read)}."


def _learns_nothing_from_nothing(algorithm: Algorithm) -> None:
    """Advantages of zero give a gradient of exactly zero, regularisers apart."""
    batch = _batch(algorithm)
    _, gradient_N = _slope(replace(algorithm, regularise=()), replace(batch, advantage_N=np.zeros(len(batch))))
    assert not gradient_N.any(), f"it is up to {np.abs(gradient_N).max()}."


def _survives_any_distance(algorithm: Algorithm) -> None:
    """Log-ratios of plus and minus 200 give a finite loss and gradient in float32."""
    batch = _batch(algorithm)
    for distance in (200.0, -200.0):
        old_N = batch.constants["old"] - distance * (np.arange(len(batch)) % 3 == 0)
        moved = replace(batch, constants={**batch.constants, "old": old_N})
        value, gradient_N = _slope(algorithm, moved, torch.float32)
        assert np.isfinite([value, *gradient_N]).all(), (
            f"at {distance} the loss is {value}, or the gradient is not finite."
        )


def _ignores_the_order_of_samples(algorithm: Algorithm) -> None:
    """The order of samples does not matter."""
    batch = _batch(algorithm)
    order = np.random.default_rng(1).permutation(len(batch.samples))
    value, gradient_N = _slope(algorithm, batch)
    turned_value, turned_N = _slope(algorithm, batch.take(order))
    assert np.isclose(value, turned_value, rtol=1e-9), f"the loss is {value}, in another order {turned_value}."
    assert np.allclose(gradient_N[batch.tokens_of(order)], turned_N, rtol=1e-9, atol=1e-12), "gradients differ."


# Through the learner and a tiny model.


def _never_sees_forced_ids(algorithm: Algorithm) -> None:
    """What was said of tokens that the policy did not sample is never looked at."""
    before, after = (
        pack(groups, _credit(algorithm, groups)) for groups in (_groups(), [_other_forced(one) for one in _groups()])
    )
    assert np.array_equal(before.sampler_N, after.sampler_N), "their log-probabilities reached the batch."
    assert np.array_equal(before.advantage_N, after.advantage_N), "they changed an advantage."


def _has_the_reference_gradient(algorithm: Algorithm) -> None:
    """The gradient is that of the slow reference, however a step is cut, padded and packed."""
    batch = _batch(algorithm)
    expected = reference_gradient(algorithm, random_model(VOCABULARY), batch, temperature=TEMPERATURE)
    scale = sum(float(value.square().sum()) for value in expected.values()) ** 0.5
    for budget, packing in ((budget, packing) for budget in BUDGETS for packing in PACKINGS):
        config = LearnerConfig(device="cpu", tokens_per_microbatch=budget, packing=packing)
        got = Learner(random_model(VOCABULARY), config, algorithm, temperature=TEMPERATURE).gradient(batch)
        off = sum(float((got[f"model.{name}"] - value).square().sum()) for name, value in expected.items()) ** 0.5
        assert off <= TOLERANCE * max(scale, 1e-4), (
            f"with {budget} tokens per micro-batch and packing {packing!r} it is off by {off:.1e}, of {scale:.1e}. "
            f"Its slots say that they mix no more than a {scope(algorithm)}."
        )


def _trains(algorithm: Algorithm) -> None:
    """An update gives finite metrics, and the same ones again."""
    batch = pack(_groups(), _credit(algorithm, _groups()))
    config = LearnerConfig(device="cpu", lr=1e-3, tokens_per_microbatch=60)
    first, second = (Learner(random_model(VOCABULARY), config, algorithm).update(batch) for _ in range(2))
    assert np.isfinite(list(first.values())).all(), f"metrics are {first}."
    assert first == second, "they differ the second time."


CHECKS: tuple[Callable[[Algorithm], None], ...] = (
    _repeats,
    _has_no_favourites,
    _takes_a_lone_attempt,
    _leaves_the_unscored_out,
    _ignores_the_order_of_siblings,
    _declares_what_it_reads,
    _learns_nothing_from_nothing,
    _survives_any_distance,
    _ignores_the_order_of_samples,
    _never_sees_forced_ids,
    _has_the_reference_gradient,
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


def _groups() -> list[Group]:
    return varied_groups(np.random.default_rng(0), vocabulary=VOCABULARY)


def _credit(algorithm: Algorithm, groups: Sequence[Group]) -> Credit:
    for shape in algorithm.shape:
        groups = [shape(one, NOW) for one in groups]
    return algorithm.credit(groups, NOW)


def _batch(algorithm: Algorithm) -> Batch:
    """The varied groups with this algorithm's credit, and made-up numbers of a policy that has moved."""
    rng = np.random.default_rng(2)
    batch = pack(_groups(), _credit(algorithm, _groups()))
    old_N = batch.sampler_N + 0.05 * rng.standard_normal(len(batch))
    made_up = {
        "old": old_N,
        "reference": old_N + 0.2 * rng.standard_normal(len(batch)),
        LOGPROB: old_N + 0.2 * rng.standard_normal(len(batch)),
        ENTROPY: rng.gamma(2.0, 0.5, len(batch)),
    }
    return replace(batch, constants={**batch.constants, **made_up})


def _view(batch: Batch, dtype: torch.dtype = torch.float64) -> View:
    signals = {
        name: torch.tensor(batch.constants[key], dtype=dtype, requires_grad=True)
        for name, key in (("logprob", LOGPROB), ("entropy", ENTROPY))
    }
    return Views(batch, dtype=dtype).of(batch, signals)


def _slope(algorithm: Algorithm, batch: Batch, dtype: torch.dtype = torch.float64) -> tuple[float, Floats]:
    """The loss, and [N] its gradient by the log-probabilities."""
    view = _view(batch, dtype)
    value = objective(algorithm, view, batch.where).value
    (gradient_N,) = torch.autograd.grad(value, [view.logprobs_N], materialize_grads=True, allow_unused=True)
    return float(value.detach()), gradient_N.numpy()


def _numbers(credit: Any) -> tuple[float, ...]:
    """All advantages and weights of a trajectory."""
    return tuple(float(x) for values in (*credit.advantage, *credit.weight) for x in values)


def _assert_same_credit(one: Credit, other: Credit, otherwise: str) -> None:
    assert one.keys() == other.keys(), otherwise
    for key, credit in one.items():
        assert np.allclose(_numbers(credit), _numbers(other[key]), rtol=1e-9, atol=1e-12), otherwise


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
