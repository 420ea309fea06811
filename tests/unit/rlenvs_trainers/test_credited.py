"""Credit that nobody could have meant is refused with the name of its episode; what a rule may do is let through."""

from dataclasses import replace

import numpy as np
import pytest

from rlenvs.errors import RlenvsError
from rlenvs_trainers.algorithm import TokenCredit
from rlenvs_trainers.batch import pack
from rlenvs_trainers.records import Group
from rlenvs_trainers.synthetic import completion, group, trajectory

ONES = np.ones(3)
RIGHT = TokenCredit(advantage=(ONES,), weight=(ONES,))
PAIR = [group([1.0, 0.0], length=3)]

WRONG = {
    "a lone number": (1.0, "it is a float. Give a TokenCredit"),
    "weight NaN": (
        replace(RIGHT, weight=(np.array([1.0, np.nan, 1.0]),)),
        "in turn 0, weight is .* finite and not neg",
    ),
    "weight infinite": (replace(RIGHT, weight=(np.array([1.0, np.inf, 1.0]),)), "in turn 0, weight is"),
    "weight below 0": (replace(RIGHT, weight=(np.array([1.0, -1.0, 1.0]),)), "is a negative advantage"),
    "weight too short": (
        replace(RIGHT, weight=(np.ones(1),)),
        r"in turn 0, weight is .* shape \[1\], .* there are 3 tokens",
    ),
    "advantage too long": (replace(RIGHT, advantage=(np.ones(4),)), r"shape \[4\], and there are 3 tokens"),
    "advantage in rows": (replace(RIGHT, advantage=(np.ones((3, 1)),)), r"in turn 0, advantage .* shape \[3, 1\]"),
    "advantage NaN": (
        replace(RIGHT, advantage=(np.array([0.0, np.nan, 0.0]),)),
        "in turn 0, advantage .* divided by 0",
    ),
    "advantage a list": (replace(RIGHT, advantage=([1.0, 1.0, 1.0],)), "in turn 0, advantage is a list"),
    "a turn too many": (replace(RIGHT, advantage=(ONES, ONES)), "advantage has arrays for 2 turns of 1"),
    "no turn": (replace(RIGHT, weight=()), "weight has arrays for 0 turns of 1"),
    "target too long": (replace(RIGHT, targets={"returns": (np.ones(5),)}), r"in turn 0, returns .* shape \[5\]"),
    "target infinite": (replace(RIGHT, targets={"returns": (ONES * np.inf,)}), "in turn 0, returns .* finite"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_credit_that_nobody_could_have_meant_names_its_episode(fault):
    credit, sentence = WRONG[fault]
    with pytest.raises(RlenvsError, match=f"(?s)credit of task task, episode task/policy/1: .*{sentence}"):
        pack(PAIR, {(0, 1): credit})


@pytest.mark.parametrize("key", [(7, 7), (0, 2), (0, -1), (-1, 0), "task/policy/1", 1])
def test_credit_for_a_trajectory_that_is_not_there_is_refused_with_the_groups_sizes(key):
    with pytest.raises(RlenvsError, match=r"no trajectory is there: .* the groups have \[2\] trajectories"):
        pack(PAIR, {(0, 0): RIGHT, key: RIGHT})


def test_all_trajectories_have_the_same_targets():
    with pytest.raises(RlenvsError, match=r"episode task/policy/1: it has targets \[\] and another .* \['returns'\]"):
        pack(PAIR, {(0, 0): replace(RIGHT, targets={"returns": (ONES,)}), (0, 1): RIGHT})


@pytest.mark.parametrize("name", ["old", "sampler", "reference", "doubt"])
def test_a_target_does_not_take_the_place_of_what_slots_know_under_its_name(name):
    with pytest.raises(RlenvsError, match=f"credit has targets named '{name}'"):
        pack(PAIR, {(0, 0): replace(RIGHT, targets={name: (ONES,)})}, {"doubt"})


def test_what_is_said_of_tokens_that_are_not_trained_may_be_anything():
    one = trajectory([((1,), completion((2, 3, 4), forced=(0,)))], 1.0)
    unknown = np.array([np.nan, np.nan, 7.0])
    credit = TokenCredit(advantage=(unknown,), weight=(np.array([np.nan, 0.0, 2.0]),), targets={"returns": (unknown,)})
    batch = pack([Group(trajectories=(one,))], {(0, 0): credit})
    assert batch.advantage_N.tolist() == batch.constants["returns"].tolist() == [7.0]
    assert batch.weight_N.tolist() == [2.0]


def test_a_target_may_have_a_row_per_token_and_weights_may_be_flags():
    rows = np.array([[1, 2], [3, 4], [5, 6]])
    credit = replace(RIGHT, weight=(np.array([True, False, True]),), targets={"top": (rows,)})
    batch = pack(PAIR, {(0, 0): credit})
    assert batch.constants["top"].tolist() == [[1, 2], [5, 6]]
    assert batch.weight_N.tolist() == [1.0, 1.0]
