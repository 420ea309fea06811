"""What `check_algorithm` shows an algorithm: groups with what its explorer and annotators would note, steps, batches.

No explorer or annotator is run. What they note is made up by their `example_notes`, or as real numbers under the names
of their `token_signals`; it depends on what a turn read and wrote alone, so that equal attempts have equal notes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from rlenvs_trainers.algorithm import Algorithm, Credit, Floats, Progress
from rlenvs_trainers.batch import Batch, pack
from rlenvs_trainers.config import LearnerConfig
from rlenvs_trainers.declared import ShowsNotes, brought_signals, declared_here, noted_signals, parts
from rlenvs_trainers.learner import Learner
from rlenvs_trainers.objective import Views, objective
from rlenvs_trainers.passes import to_numpy
from rlenvs_trainers.records import Group, Trajectory, Turn
from rlenvs_trainers.reference import random_model
from rlenvs_trainers.synthetic import group, varied_groups
from rlenvs_trainers.view import View

VOCABULARY = 64
MADE_UP = "made-up "  # before a signal's name, among the constants of a batch: what the policy would say


def varied(algorithm: Algorithm, *, seed: int = 0) -> list[Group]:
    """Groups in which everything happens that may happen, with notes."""
    return noted(algorithm, varied_groups(np.random.default_rng(seed), vocabulary=VOCABULARY))


def of_rewards(algorithm: Algorithm, rewards: Sequence[float | None]) -> list[Group]:
    """One group whose attempts wrote the same and earned these rewards, with notes."""
    return noted(algorithm, [group(rewards)])


def noted(algorithm: Algorithm, groups: Sequence[Group]) -> list[Group]:
    """The same groups with made-up notes of the algorithm's explorer and annotators."""
    noters = list(parts((algorithm.explore, *algorithm.annotate)))
    return [Group(trajectories=tuple(_noted(noters, each) for each in one.trajectories)) for one in groups]


def _noted(noters: Sequence[Any], trajectory: Trajectory) -> Trajectory:
    turns = []
    for turn in trajectory.turns:
        rng = np.random.default_rng([*turn.prompt_ids, *turn.completion.token_ids])
        for noter in noters:
            turn = _with_notes(noter, turn, rng)
        turns.append(turn)
    return replace(trajectory, turns=tuple(turns))


def _with_notes(noter: Any, turn: Turn, rng: np.random.Generator) -> Turn:
    if isinstance(noter, ShowsNotes):
        example = noter.example_notes(turn, rng)
        return replace(
            turn,
            signals={**turn.signals, **example.signals},
            token_signals={**turn.token_signals, **example.token_signals},
            belief=example.belief,
        )
    length = len(turn.completion.token_ids)
    numbers = {name: rng.standard_normal(length) for name in sorted(declared_here(noter, "token_signals"))}
    return replace(turn, token_signals={**turn.token_signals, **numbers})


def now(*, step: int = 0, memory: dict[str, Any] | None = None) -> Progress:
    """A step of training; unless there is one, with a memory in which nothing is."""
    return Progress(step=step, num_steps=10, memory={} if memory is None else memory)


def credit_of(algorithm: Algorithm, groups: Sequence[Group], progress: Progress | None = None) -> Credit:
    """What the loop would get for these groups, shaped."""
    progress = progress or now()
    for shape in algorithm.shape:
        groups = [shape(one, progress) for one in groups]
    return algorithm.credit(groups, progress)


def packed(algorithm: Algorithm, groups: Sequence[Group] | None = None) -> Batch:
    """Groups, by default varied ones, with their credit and notes."""
    groups = varied(algorithm) if groups is None else groups
    return pack(groups, credit_of(algorithm, groups), noted_signals(algorithm))


def moved(algorithm: Algorithm) -> Batch:
    """The varied groups, and made-up numbers of a policy that has moved since it wrote them."""
    rng = np.random.default_rng(2)
    batch = packed(algorithm)
    old_N = batch.sampler_N + 0.05 * rng.standard_normal(len(batch))
    made_up = {
        "old": old_N,
        "reference": old_N + 0.2 * rng.standard_normal(len(batch)),
        f"{MADE_UP}logprob": old_N + 0.2 * rng.standard_normal(len(batch)),
        f"{MADE_UP}entropy": rng.gamma(2.0, 0.5, len(batch)),
    }
    for name, values in _brought(algorithm, batch).items():
        made_up[MADE_UP + name] = values + 0.2 * rng.standard_normal(values.shape)
    return replace(batch, constants={**batch.constants, **made_up})


def _brought(algorithm: Algorithm, batch: Batch) -> dict[str, Floats]:
    """What a random policy gives for the signals that the algorithm brings along."""
    names = [signal.name for signal in brought_signals(algorithm)]
    if not names:
        return {}
    learner = Learner(random_model(VOCABULARY), LearnerConfig(device="cpu"), algorithm)
    found = learner.passes.signals(learner.policy, batch, brought=True)
    return {name: to_numpy(found[name]) for name in names}


def view_of(batch: Batch, dtype: torch.dtype = torch.float64) -> View:
    """All tokens of a batch that `moved`, in one view."""
    signals = {
        name.removeprefix(MADE_UP): torch.tensor(values, dtype=dtype, requires_grad=True)
        for name, values in batch.constants.items()
        if name.startswith(MADE_UP)
    }
    return Views(batch, dtype=dtype).of(batch, signals)


def slope(algorithm: Algorithm, batch: Batch, dtype: torch.dtype = torch.float64) -> tuple[float, Floats]:
    """The loss, and [N] its gradient by the log-probabilities."""
    view = view_of(batch, dtype)
    value = objective(algorithm, view, batch.where).value
    (gradient_N,) = torch.autograd.grad(value, [view.logprobs_N], materialize_grads=True, allow_unused=True)
    return float(value.detach()), gradient_N.numpy()
