"""What Gymnasium's and PettingZoo's own checks catch, and seats that end badly."""

import pytest

from rlenvs.envs.echo_pair import ECHOER, SPEAKER, EchoPair

from .subjects import Broken, Good, assert_caught

broken = Broken()


@broken("gymnasium's check_env: ")
class NoSpace(Good):
    def __init__(self):
        super().__init__()
        del self.action_space


@broken("seat 'echoer': task echo/2x4/", "its own answer 'wrong' scores correct = 0.0, not 1")
class UnfairPair(EchoPair):
    def answer_message(self, task, seat):
        return "wrong" if seat == ECHOER else super().answer_message(task, seat)


@broken("pettingzoo's api_test: AssertionError")
class LateToDie(EchoPair):
    def _refresh(self, consumed, rewards):
        super()._refresh(consumed, rewards)
        self.infos = {seat: {} for seat in self.seats} | self.infos
        self.infos["nobody"] = {}


@broken("at the end every seat has an ending: ['speaker'] have none")
class HalfEnded(EchoPair):
    def _leave(self, leaving):
        super()._leave({seat: ending for seat, ending in leaving.items() if seat != SPEAKER})


@broken("at the end 'speaker' is terminated or truncated: got True for both")
class BothFlags(EchoPair):
    def _refresh(self, consumed, rewards):
        super()._refresh(consumed, rewards)
        self.truncations = dict(self.terminations)


@broken("step() after the end of an episode has to raise EpisodeOverError")
class UndeadPair(EchoPair):
    def step(self, action):
        if not self.endings or action is None:
            super().step(action)


@pytest.mark.parametrize("name", broken)
def test_a_broken_environment_is_caught(name):
    assert_caught(*broken[name])
