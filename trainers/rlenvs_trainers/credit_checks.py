"""What an algorithm's credit rule, and the slots before it, promise: a part of `check_algorithm`."""

import json
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np

from rlenvs_trainers.algorithm import Algorithm, Credit, Progress, TokenCredit
from rlenvs_trainers.declared import declaration
from rlenvs_trainers.records import Group
from rlenvs_trainers.specimens import credit_of, noted, now, of_rewards, varied

SIZES = (3, 6, 7, 8)  # of groups: the mean of eight equal numbers is exact, that of the others is rounded


def _repeats(algorithm: Algorithm) -> None:
    """The same groups get the same credit."""
    first, second = (credit_of(algorithm, varied(algorithm)) for _ in range(2))
    _assert_same_credit(first, second, "it differs the second time.")


def _has_no_favourites(algorithm: Algorithm) -> None:
    """Attempts that did and earned the same get the same finite credit."""
    for size in SIZES:
        for reward in (1.0, 0.7):
            values = {_numbers(one) for one in credit_of(algorithm, of_rewards(algorithm, [reward] * size)).values()}
            assert len(values) <= 1, f"{size} attempts that earned {reward} have different credit."
            assert np.isfinite(list(values)).all(), f"it is {values}."


def _takes_rounding_for_nothing(algorithm: Algorithm) -> None:
    """Where equal rewards mean no advantage, it is exactly 0, also where their mean is rounded."""
    for size in SIZES:
        if any(_largest_advantage(algorithm, [reward] * size) for reward in (0.5, 1.0)):  # means that are exact
            continue  # equal rewards are no reason for it to have none
        for reward in (0.6, 0.7, 0.9):
            largest = _largest_advantage(algorithm, [reward] * size)
            assert largest == 0, (
                f"{size} attempts that all earned {reward} have advantages up to {largest}. Decide by max == min: the "
                "mean of equal numbers is rounded, and their standard deviation with it."
            )


def _largest_advantage(algorithm: Algorithm, rewards: Sequence[float]) -> float:
    credit = credit_of(algorithm, of_rewards(algorithm, rewards))
    return max((float(np.abs(a_L).max()) for one in credit.values() for a_L in one.advantage), default=0.0)


def _takes_a_lone_attempt(algorithm: Algorithm) -> None:
    """An attempt without siblings gets finite credit."""
    values = [_numbers(one) for one in credit_of(algorithm, of_rewards(algorithm, [1.0])).values()]
    assert np.isfinite(values).all(), f"it is {values}."


def _leaves_the_unscored_out(algorithm: Algorithm) -> None:
    """An attempt that could not be scored changes nobody's credit."""
    alone = credit_of(algorithm, of_rewards(algorithm, [1.0, 0.0, 0.0]))
    beside = credit_of(algorithm, of_rewards(algorithm, [1.0, 0.0, 0.0, None]))
    _assert_same_credit(alone, {key: beside[key] for key in alone}, "a reward of None counts as a number.")


def _ignores_the_order_of_siblings(algorithm: Algorithm) -> None:
    """The order of siblings does not matter."""
    for one in varied(algorithm):
        last = len(one.trajectories) - 1
        turned = credit_of(algorithm, [Group(trajectories=one.trajectories[::-1])])
        back = {(index, last - place): credit for (index, place), credit in turned.items()}
        _assert_same_credit(credit_of(algorithm, [one]), back, "credit depends on it.")


def _gives_its_targets(algorithm: Algorithm) -> None:
    """The credit rule gives the targets that it declares."""
    declared = set(declaration(algorithm.credit).targets)
    for one in credit_of(algorithm, varied(algorithm)).values():
        assert set(one.targets) == declared, f"it declares {sorted(declared)} and gives {sorted(one.targets)}."


def _goes_on_from_a_checkpoint(algorithm: Algorithm) -> None:
    """What slots remember is JSON, and slots that are made anew from it go on alike."""
    anew = replace(
        algorithm, select=deepcopy(algorithm.select), shape=deepcopy(algorithm.shape), credit=deepcopy(algorithm.credit)
    )
    memory: dict[str, Any] = {}
    _step(algorithm, now(memory=memory))
    restored = _saved_and_read(memory)
    for step in (1, 2):
        kept, credit = _step(algorithm, now(step=step, memory=memory))
        kept_anew, credit_anew = _step(anew, now(step=step, memory=restored))
        assert kept == kept_anew, "other groups or trajectories are selected."
        _assert_same_credit(credit, credit_anew, "credit differs: something is remembered elsewhere than in memory.")
        restored = _saved_and_read(restored)


def _step(algorithm: Algorithm, progress: Progress) -> tuple[list[tuple[str, bool]], Credit]:
    """The pure slots of a step in the loop's order: which trajectories are kept and trained, and their credit."""
    groups: Sequence[Group] = varied(algorithm, seed=progress.step)
    for select in algorithm.select:
        groups = select(groups, progress)
    kept = [(each.episode, each.is_trained) for one in groups for each in one.trajectories]
    return kept, credit_of(algorithm, noted(algorithm, groups), progress)


def _saved_and_read(memory: dict[str, Any]) -> dict[str, Any]:
    try:
        restored: dict[str, Any] = json.loads(json.dumps(memory))
    except (TypeError, ValueError) as error:
        raise AssertionError(f"{error}. Keep numbers as float(…) and arrays as lists in progress.memory.") from None
    return restored


def _numbers(credit: TokenCredit) -> tuple[float, ...]:
    """All advantages and weights of a trajectory."""
    return tuple(float(x) for values in (*credit.advantage, *credit.weight) for x in values)


def _assert_same_credit(one: Credit, other: Credit, otherwise: str) -> None:
    assert one.keys() == other.keys(), otherwise
    for key, credit in one.items():
        assert np.allclose(_numbers(credit), _numbers(other[key]), rtol=1e-9, atol=1e-12), otherwise


CREDIT_CHECKS = (
    _repeats,
    _has_no_favourites,
    _takes_rounding_for_nothing,
    _takes_a_lone_attempt,
    _leaves_the_unscored_out,
    _ignores_the_order_of_siblings,
    _gives_its_targets,
    _goes_on_from_a_checkpoint,
)
