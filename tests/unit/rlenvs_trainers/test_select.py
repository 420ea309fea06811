from dataclasses import replace

import pytest

from rlenvs_trainers.algorithm import Progress
from rlenvs_trainers.records import Group, Reward
from rlenvs_trainers.select import MaskStale, MaskTruncated, NonConstant, WidestSpread
from rlenvs_trainers.shape import Overlong
from rlenvs_trainers.synthetic import completion, group, trajectory

NOW = Progress(step=0, num_steps=1, version=5)


def names(groups):
    return [one.task_id for one in groups]


def trained(group):
    return [one.is_trained for one in group.trajectories]


def test_r24_groups_in_which_all_are_equally_correct_are_dropped():
    groups = [group([1, 1, 1], task="easy"), group([0, 1, 0], task="mixed"), group([0, 0, 0], task="hard")]
    assert names(NonConstant()(groups, NOW)) == ["mixed"]


def test_r24_where_every_group_is_constant_nothing_is_left_and_nothing_is_invented():
    assert NonConstant()([group([1, 1]), group([0, 0]), group([None, None]), group([1, None])], NOW) == []


def test_r24_one_mixed_group_of_ten_is_kept():
    groups = [group([1, 1], task=str(number)) for number in range(9)] + [group([1, 0], task="mixed")]
    assert names(NonConstant()(groups, NOW)) == ["mixed"]


def test_r24_the_filter_reads_accuracy_and_not_the_shaped_reward():
    one = group([1, 1])
    first, second = one.trajectories
    shaped = replace(first, rewards=(*first.rewards, Reward(name="overlong", value=-0.5)))
    assert NonConstant()([Group(trajectories=(shaped, second))], NOW) == []


def test_only_the_filter_for_constant_groups_asks_for_new_tasks():
    assert NonConstant().refills
    assert not any(selector.refills for selector in (WidestSpread(), MaskTruncated(), MaskStale()))


def test_no_step_draws_less_than_one_round_of_tasks():
    with pytest.raises(ValueError, match="rounds of tasks from 1"):
        NonConstant(max_rounds=0)


def test_exactly_the_share_of_groups_with_the_widest_spread_is_kept_in_their_order():
    spreads = [0.1, 0.9, 0.2, 0.8, 0.0, 0.3, 0.7, 0.4]
    groups = [group([0.0, spread], task=str(spread)) for spread in spreads]
    assert names(WidestSpread(share=0.25)(groups, NOW)) == ["0.9", "0.8"]
    assert names(WidestSpread(share=0.49)(groups, NOW)) == ["0.9", "0.8", "0.7"]


@pytest.mark.parametrize(("share", "least"), [(0.25, 4), (1.0, 1), (0.49, 3), (1 / 3, 3), (1 / 49, 50), (0.35, 3)])
def test_of_fewer_groups_than_it_says_a_share_keeps_none_and_of_as_many_it_keeps_one(share, least):
    """1 / 49 times 49 is less than 1 in floating point."""
    select = WidestSpread(share=share)
    groups = [group([0, 1], task=str(number)) for number in range(least)]
    assert select.min_groups == least
    assert (len(select(groups[1:], NOW)), len(select(groups, NOW))) == (0, 1)


@pytest.mark.parametrize("ending", ["max_tokens", "context_overflow"])
def test_attempts_that_a_token_limit_cut_short_keep_their_say_but_not_their_gradient(ending):
    turns = [((1,), (2, 3))]
    pair = Group(trajectories=(trajectory(turns, 0.0, ending=ending), trajectory(turns, 1.0, attempt=1)))
    (masked,) = MaskTruncated()([pair], NOW)
    assert trained(masked) == [False, True]
    assert len(masked.scored) == 2


def test_attempts_with_an_action_older_than_allowed_are_masked():
    versions = [(5, 5), (5, 4), (4, 3)]
    ones = [
        trajectory([((1,), completion((2,), version=a)), ((1, 2), completion((3,), version=b))], 1.0, attempt=number)
        for number, (a, b) in enumerate(versions)
    ]
    (on_policy,) = MaskStale(max_age=0)([Group(trajectories=tuple(ones))], NOW)
    (one_behind,) = MaskStale(max_age=1)([Group(trajectories=tuple(ones))], NOW)
    assert trained(on_policy) == [True, False, False]
    assert trained(one_behind) == [True, True, False]


# DAPO's soft overlong punishment, with the numbers of the paper's settings.
@pytest.mark.parametrize(
    ("num_tokens", "expected"), [(16384, 0.0), (16385, -0.000244140625), (18432, -0.5), (20480, -1.0), (20481, -1.0)]
)
def test_the_penalty_for_long_answers_grows_over_the_cache(num_tokens, expected):
    assert Overlong(max_length=20_480, cache=4_096).penalty(num_tokens) == expected


def test_the_penalty_is_a_reward_of_its_own_beside_the_environments():
    (shaped, lost) = Overlong(max_length=4, cache=4)(group([1.0, None], length=2), NOW).trajectories
    assert [(reward.name, reward.value) for reward in shaped.rewards] == [("outcome", 1.0), ("overlong", -0.5)]
    assert shaped.reward == 0.5
    assert shaped.verdict.correct == 1.0
    assert lost.rewards == ()
