"""Environments travel: to the workers of a vector environment, or of somebody's own pool."""

import pickle

import pytest

import rlenvs
from rlenvs.registration import registered

FIRST_OF_ITS_CLASS = {each.entry_point: each.id for each in reversed(registered())}  # 103 are of one class


@pytest.mark.parametrize("id", [*FIRST_OF_ITS_CLASS.values()])
def test_every_registered_environment_can_be_pickled_in_the_middle_of_an_episode(id, monkeypatch, request):
    if id == "rlenvs/Math-v0":
        monkeypatch.setenv("RLENVS_DATA", request.getfixturevalue("data_folder"))
    env = rlenvs.make(id)
    env.reset(seed=0)
    again = pickle.loads(pickle.dumps(env))
    answer = env.answer_message(env.task)
    assert (again.task, again.transcript) == (env.task, env.transcript)
    assert again.step(answer)[:4] == env.step(answer)[:4]
