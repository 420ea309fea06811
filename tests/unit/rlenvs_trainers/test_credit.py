import numpy as np
import pytest

from rlenvs_trainers.algorithm import Progress
from rlenvs_trainers.credit import GroupRelative, centre, spread
from rlenvs_trainers.records import Group
from rlenvs_trainers.synthetic import group, trajectory

NOW = Progress(step=0, num_steps=1)


def advantages(rule, *groups):
    """One number per credited trajectory, by (group, place); every token of it has the same."""
    found = {}
    for key, credit in rule(groups, NOW).items():
        values = {float(x) for turn in credit.advantage for x in turn}
        assert len(values) == 1
        found[key] = values.pop()
    return found


def of_group(rule, rewards):
    return [advantages(rule, group(rewards))[0, place] for place in range(len(rewards))]


# Recorded with verl's compute_grpo_outcome_advantage and TRL, see the golden numbers.
@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (GroupRelative(), 0.866024),
        (GroupRelative(eps=1e-4), 0.865875),
        (GroupRelative(scale="none"), 0.5),
        (GroupRelative(scale="none", baseline="leave_one_out"), 0.666667),
    ],
)
def test_published_advantages_are_reproduced(rule, expected):
    np.testing.assert_allclose(of_group(rule, [1, 0, 0, 1]), [expected, -expected, -expected, expected], atol=1e-6)


def test_the_batch_scale_divides_every_group_by_the_spread_of_the_whole_step():
    found = advantages(GroupRelative(scale="batch"), group([1.0, 0.0], task="a"), group([3.0, 3.0], task="b"))
    std = np.std([1.0, 0.0, 3.0, 3.0], ddof=1)
    assert found[0, 0] == pytest.approx(0.5 / (std + 1e-6))
    assert found[1, 0] == 0.0


@pytest.mark.parametrize("reward", [1.0, 0.7, -3.3e5, 0.1 + 0.2])
@pytest.mark.parametrize("scale", ["group", "batch", "none"])
@pytest.mark.parametrize("baseline", ["mean", "leave_one_out"])
@pytest.mark.parametrize("attempts", [2, 3, 6, 7, 8])
def test_r01_equal_rewards_give_an_advantage_of_exactly_zero(reward, scale, baseline, attempts):
    """The mean of 8 equal numbers is exact; of 3, 6 or 7 it is rounded, and what is left is not a signal."""
    assert of_group(GroupRelative(scale=scale, baseline=baseline), [reward] * attempts) == [0.0] * attempts


@pytest.mark.parametrize(("reward", "attempts"), [(0.7, 3), (0.1, 6), (0.1 + 0.2, 7)])
def test_r01_rounding_is_neither_an_advantage_nor_a_spread(reward, attempts):
    rewards_G = np.full(attempts, reward)
    assert (rewards_G - rewards_G.mean()).any(), "these are numbers whose mean is rounded"
    assert rewards_G.std(ddof=1) > 0
    assert not centre(rewards_G, "mean").any()
    assert not centre(rewards_G, "leave_one_out").any()
    assert spread(rewards_G) == 0.0


def test_r03_a_lone_attempt_has_no_advantage():
    assert of_group(GroupRelative(), [1.0]) == [0.0]


def test_r03_a_lone_attempt_has_its_raw_reward_only_where_that_was_asked_for():
    assert of_group(GroupRelative(singleton="raw"), [1.0]) == [pytest.approx(0.999999, abs=1e-6)]


def test_r03_a_group_that_failures_shrank_to_one_has_no_advantage():
    assert advantages(GroupRelative(), group([1.0, None, None])) == {(0, 0): 0.0}


def test_r04_unscored_attempts_are_in_no_statistic_and_have_no_credit():
    found = advantages(GroupRelative(scale="none"), group([1.0, None, 0.0, None, 0.0, None, 1.0, 0.5]))
    assert found == {(0, 0): 0.5, (0, 2): -0.5, (0, 4): -0.5, (0, 6): 0.5, (0, 7): 0.0}


def test_r04_a_group_in_which_nothing_could_be_scored_has_no_credit():
    assert advantages(GroupRelative(), group([None] * 8)) == {}


def test_an_attempt_that_is_not_trained_still_counts_for_its_siblings():
    turns = [((1,), (2, 3))]
    masked = trajectory(turns, 1.0, attempt=0, is_trained=False)
    found = advantages(GroupRelative(scale="none"), Group(trajectories=(masked, trajectory(turns, 0.0, attempt=1))))
    assert found == {(0, 1): -0.5}


def test_r26_seats_with_rewards_of_different_size_have_baselines_of_their_own():
    left = group([0.0, 1.0, 1.0, 0.0], seat="left")
    right = group([-10.0, 0.0, 0.0, -10.0], seat="right")
    found = advantages(GroupRelative(), left, right)
    assert [found[0, i] for i in range(4)] == pytest.approx([found[1, i] for i in range(4)], abs=1e-5)


def test_r26_two_seats_cannot_be_put_into_one_group():
    seats = [trajectory([((1,), (2,))], 1.0, seat=seat) for seat in ("left", "right")]
    with pytest.raises(ValueError, match="one task, one seat and one policy"):
        Group(trajectories=tuple(seats))


def test_every_token_of_every_turn_carries_the_advantage():
    turns = [((1,), (2, 3)), ((1, 2, 3, 4), (5,)), ((1, 2, 3, 4, 5), ())]
    pair = Group(trajectories=(trajectory(turns, 1.0, attempt=0), trajectory(turns, 0.0, attempt=1)))
    credit = GroupRelative(scale="none")([pair], NOW)[0, 0]
    assert [list(turn) for turn in credit.advantage] == [[0.5, 0.5], [0.5], []]
    assert [list(turn) for turn in credit.weight] == [[1.0, 1.0], [1.0], []]


def test_an_eps_that_is_not_positive_is_refused():
    with pytest.raises(ValueError, match=r"credit.eps is positive: got 0"):
        GroupRelative(eps=0)
