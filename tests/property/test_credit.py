"""Laws of group-relative credit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlenvs_trainers.algorithm import Progress
from rlenvs_trainers.credit import GroupRelative
from rlenvs_trainers.synthetic import group

NOW = Progress(step=0, num_steps=1)
rules = st.builds(
    GroupRelative, scale=st.sampled_from(["group", "none"]), baseline=st.sampled_from(["mean", "leave_one_out"])
)
rewards = st.lists(st.integers(-8, 8).map(float), min_size=1, max_size=8)
equal = st.builds(
    lambda value, count: [value] * count, st.floats(-1e6, 1e6, allow_subnormal=False), st.sampled_from([3, 5, 6, 7, 9])
)


def advantages(rule, values):
    credit = rule([group(values)], NOW)
    return np.array([credit[0, i].advantage[0][0] for i in range(len(values))])


@given(rule=rules, values=rewards, bonus=st.integers(-8, 8))
def test_a_bonus_for_every_sibling_changes_nobodys_advantage(rule, values, bonus):
    with_bonus = [value + bonus for value in values]
    np.testing.assert_allclose(advantages(rule, values), advantages(rule, with_bonus), atol=1e-12)


@given(rule=rules, values=rewards)
def test_advantages_of_a_group_add_up_to_zero_and_follow_the_rewards(rule, values):
    found = advantages(rule, values)
    assert found.sum() == pytest.approx(0.0, abs=1e-9)
    assert all(a <= b for a, b in zip(found[np.argsort(values)], found[np.argsort(values)][1:], strict=False))


@given(values=rewards, factor=st.floats(0.1, 10))
def test_a_reward_in_another_unit_changes_no_standardised_advantage(values, factor):
    rule = GroupRelative(eps=1e-12)
    np.testing.assert_allclose(advantages(rule, values), advantages(rule, [v * factor for v in values]), atol=1e-6)


@given(rule=rules, values=equal.filter(lambda values: np.mean(values) != values[0]))
def test_equal_rewards_whose_mean_is_rounded_give_nobody_an_advantage(rule, values):
    assert advantages(rule, values).tolist() == [0.0] * len(values)
