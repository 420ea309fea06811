"""Whether a credit rule gave what can be packed: numbers for the tokens that are there, named by task and episode."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rlenvs.errors import RlenvsError
from rlenvs_trainers.algorithm import Credit, Floats, TokenCredit
from rlenvs_trainers.records import Group, Trajectory, Turn

RESERVED = frozenset({"old", "sampler", "reference", "advantage", "weight"})  # what a batch has by these names already


def check_credit(groups: Sequence[Group], credit: Credit, signals: Collection[str] = ()) -> None:
    """Refuse credit that nobody could have meant.

    Only tokens that the policy sampled count: a forced one, and one of weight 0, may have any advantage and target.

    Args:
        signals: names that are taken by what was noted on the tokens.

    Raises:
        RlenvsError: of whose trajectory, what is wrong, and what to do.
    """
    names: set[str] | None = None
    for key, given in credit.items():
        trajectory = _owner(groups, key)
        if names is None and isinstance(given, TokenCredit):
            names = set(given.targets)
            _check_names(names, signals)
        for fault in _faults(trajectory, given, names or set()):
            raise RlenvsError(f"credit of task {trajectory.task_id}, episode {trajectory.episode}: {fault}")


def _check_names(targets: Collection[str], signals: Collection[str]) -> None:
    taken = sorted(set(targets) & (RESERVED | set(signals)))
    if taken:
        raise RlenvsError(
            f"credit has targets named {', '.join(map(repr, taken))}, which slots read as something else: the core's "
            f"{', '.join(sorted(RESERVED))}, and what was noted on tokens. Call them something else."
        )


def _owner(groups: Sequence[Group], key: tuple[int, int]) -> Trajectory:
    sizes = [len(group.trajectories) for group in groups]
    try:
        index, place = key
        is_there = 0 <= index < len(sizes) and 0 <= place < sizes[index]
    except (TypeError, ValueError):
        is_there = False
    if not is_there:
        raise RlenvsError(
            f"credit for {key!r}, and no trajectory is there: a key is (index of the group, index of the trajectory in "
            f"it), both from 0, and the groups have {sizes} trajectories. Take both from enumerate()."
        )
    return groups[index].trajectories[place]


def _faults(trajectory: Trajectory, credit: TokenCredit, targets: Collection[str]) -> Iterator[str]:
    """Sentences, the first of which is enough."""
    if not isinstance(credit, TokenCredit):
        yield f"it is {_described(credit)}. Give a TokenCredit; credit.spread_over makes one of a single number."
    if set(credit.targets) != set(targets):
        yield (
            f"it has targets {sorted(credit.targets)} and another trajectory has {sorted(targets)}. Give every "
            "trajectory the same."
        )
    columns = {"advantage": credit.advantage, "weight": credit.weight, **credit.targets}
    for name, column in columns.items():
        if len(column) != len(trajectory.turns):
            yield f"{name} has arrays for {len(column)} turns of {len(trajectory.turns)}. Give one for every turn."
    for number, turn in enumerate(trajectory.turns):
        for sentence in _faults_of_turn(turn, {name: column[number] for name, column in columns.items()}):
            yield f"in turn {number}, {sentence}"


def _faults_of_turn(turn: Turn, columns: Mapping[str, Floats]) -> Iterator[str]:
    length = len(turn.completion.token_ids)
    for name, values in columns.items():
        if not _fits(values, length, may_have_rows=name not in ("advantage", "weight")):
            yield (
                f"{name} is {_described(values)}, and there are {length} tokens. Give a numpy array of {length} "
                "numbers; those of tokens that are not to be trained have weight 0."
            )
    sampled, weight = np.array(turn.completion.sampled, dtype=bool), columns["weight"]
    if not (np.isfinite(weight[sampled]).all() and (weight[sampled] >= 0).all()):
        yield (
            f"weight is {weight}. Weights are finite and not negative: 0 leaves a token out, and what pushes the "
            "policy away from one is a negative advantage."
        )
    trained = sampled & (weight > 0)
    for name, values in columns.items():
        if not np.isfinite(values[trained]).all():
            yield (
                f"{name} is {values}. It is finite for every trained token: see what was divided by 0, or give the "
                "token weight 0."
            )


def _fits(values: Any, length: int, *, may_have_rows: bool) -> bool:
    is_array = isinstance(values, np.ndarray) and values.dtype.kind in "fiub"
    return is_array and values.ndim in ((1, 2) if may_have_rows else (1,)) and len(values) == length


def _described(values: Any) -> str:
    if isinstance(values, np.ndarray):
        return f"an array of {values.dtype}, shape {list(values.shape)}"
    return f"a {type(values).__name__}"
