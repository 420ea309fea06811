"""PettingZoo's own check of our environments, and its conversion to the parallel contract."""

import pytest
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from rlenvs import Part
from rlenvs.checks.borrowed import pettingzoo_agrees
from rlenvs.envs.echo_pair import ECHOER, SPEAKER, EchoPair
from rlenvs.move import Move

from .markets import Auction, Haggling


class Counting(EchoPair):
    """The speaker leaves after its first word, the echoer after its second."""

    def respond(self, seat, action):
        move = super().respond(seat, action)
        mine = sum(message.role == "assistant" for message in self.transcripts[seat])
        leaves = seat == SPEAKER or mine == 1
        rewards = {ECHOER: (Part(name="company", value=1.0),)}
        return Move(messages=move.messages, endings={seat: "completed"} if leaves else {}, rewards=rewards)


@pytest.mark.parametrize("env", [EchoPair(), EchoPair(rounds=5), Haggling(), Auction(), Counting()])
def test_pettingzoos_own_check_passes(env):
    assert list(pettingzoo_agrees(env)) == []


def test_pettingzoos_conversion_gives_the_parallel_contract():
    env = turn_based_aec_to_parallel(EchoPair(rounds=1))
    env.reset(seed=0)
    word = env.unwrapped.task.target[0]
    _, rewards, *_ = env.step({SPEAKER: word, ECHOER: "not its turn"})
    assert rewards == {SPEAKER: 0.0, ECHOER: 0.0}
    _, rewards, terminated, truncated, _ = env.step({SPEAKER: "not its turn", ECHOER: word[::-1]})
    assert rewards == {SPEAKER: 1.0, ECHOER: 1.0}
    assert terminated == {SPEAKER: True, ECHOER: True}
    assert truncated == {SPEAKER: False, ECHOER: False}


def test_pettingzoos_conversion_lets_a_seat_leave_before_the_others():
    env = turn_based_aec_to_parallel(Auction())
    env.reset(seed=0)
    _, rewards, terminated, *_ = env.step(dict.fromkeys(env.agents, "pass"))
    assert (rewards["ann"], terminated) == (2.0, {"ann": True, "bob": False, "cid": False})
    assert env.agents == ["bob", "cid"]
    env.step(dict.fromkeys(env.agents, "pass"))
    env.step(dict.fromkeys(env.agents, "pass"))
    assert env.agents == []
