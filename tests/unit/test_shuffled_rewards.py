"""The control plug-in of the benchmarks: it deals rewards out within groups, and does nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.shuffled_rewards import Shuffled, dealt
from rlenvs_trainers.algorithm import Progress
from rlenvs_trainers.credit import GroupRelative
from rlenvs_trainers.records import Group, Reward
from rlenvs_trainers.synthetic import completion, group, trajectory

NOW = Progress(step=3, num_steps=9)


def of_first_token(credit):
    return {key: float(each.advantage[0][0]) for key, each in credit.items()}


def test_each_group_keeps_its_own_advantages_and_deals_them_to_its_own_attempts():
    groups = [group([0, 0, 0, 1, 3, 7], task="a"), group([0, 10, 20, 50, 90, 91], task="b")]
    fair, shuffled = (of_first_token(rule(groups, NOW)) for rule in (GroupRelative(), Shuffled()))
    assert fair.keys() == shuffled.keys()
    for index in (0, 1):
        mine, theirs = ([credit[index, place] for place in range(6)] for credit in (fair, shuffled))
        assert sorted(mine) == pytest.approx(sorted(theirs))
        assert mine != pytest.approx(theirs)
    assert of_first_token(Shuffled()(groups, NOW)) == shuffled
    assert of_first_token(Shuffled()(groups, replace(NOW, step=4))) != shuffled


def test_attempts_without_a_token_and_without_a_score_take_part_as_they_do_in_the_rule():
    wordless, silent = trajectory([((1,), completion(()))], 1.0), trajectory([], 4.0, attempt=1)
    lost, plain = trajectory([((1,), (2,))], None, attempt=2), trajectory([((1,), (2, 3))], 0.0, attempt=3)
    credit = Shuffled(rule=GroupRelative(scale="none"))([Group(trajectories=(wordless, silent, lost, plain))], NOW)
    assert set(credit) == {(0, 0), (0, 1), (0, 3)}
    assert [len(turn) for turn in credit[0, 0].advantage] == [0]
    assert credit[0, 3].advantage[0][0] in [pytest.approx(reward - 5 / 3) for reward in (0, 1, 4)]


def test_what_actions_earned_is_dealt_with_the_rest():
    first, second = group([0, 1]).trajectories
    (turn,) = first.turns
    paid = replace(first, turns=(replace(turn, rewards=(Reward(name="hint", value=0.25, level="action"),)),))
    seen = {
        tuple(each.reward for each in dealt(Group(trajectories=(paid, second)), np.random.default_rng(seed)).scored)
        for seed in range(20)
    }
    assert seen == {(0.25, 1.0), (1.0, 0.25)}
