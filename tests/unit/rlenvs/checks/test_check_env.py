"""`check_env` as a whole: good environments pass, and everything wrong with a bad one is in one error."""

import dataclasses
import importlib.util
import random
import sys
import warnings
from pathlib import Path

import gymnasium
import pytest

from rlenvs import Part, RewardFunction, Rubric, TaskList, check_env
from rlenvs.envs.echo_pair import ECHOER, SPEAKER, EchoPair
from rlenvs.errors import CheckError
from rlenvs.registration import registered
from rlenvs.seats import SeatView

from .subjects import Broken, Good, assert_caught

EXAMPLE = Path(__file__).parents[4] / "examples" / "my_env.py"

broken = Broken()


@broken("it cannot be started: ValueError: task sum/")
class ObjectTarget(Good):
    def task_at(self, index):
        return dataclasses.replace(super().task_at(index), metadata={"kind": complex(1)})


@broken("it raised while checking that clones are independent: RuntimeError: closed already")
class ClosesOnce(Good):
    def close(self):
        if getattr(self, "is_closed", False):
            raise RuntimeError("closed already")
        self.is_closed = True


@broken("it cannot be started: OSError: no corpus")
class Unready(Good):
    def begin(self):
        raise OSError("no corpus")


@broken("it raised while checking that the seed chooses: KeyError: 'always'")
class Crashing(Good):
    def respond(self, action):
        raise KeyError("always")


@broken("it raised while checking that the seed chooses: ", "raised SystemExit: 0")
class Exiting(Good):
    def respond(self, action):
        raise SystemExit(0)


@broken("it cannot be started: ValueError: num_tasks is at least 1, or None for without end: got 0")
class Empty(Good):
    num_tasks = 0


@pytest.mark.parametrize("name", broken)
def test_a_broken_environment_is_caught(name):
    assert_caught(*broken[name])


class Tagged(Good):
    """The first sentence is the action, and complete as soon as it ends."""

    def complete(self, text):
        return text.index(".") + 1 if "." in text else None

    def respond(self, action):
        count = self.complete(action)
        return dataclasses.replace(super().respond(action[:count]), consumed=count)


class LeavingPair(EchoPair):
    """The speaker leaves with its last word, and is thanked for it by the echoer's."""

    def respond(self, seat, action):
        move = super().respond(seat, action)
        is_last = seat == SPEAKER and self.num_turns == self.max_turns - 2
        praise = {ECHOER: (Part(name="praise", value=0.25),)}
        return dataclasses.replace(move, endings={SPEAKER: "completed"} if is_last else {}, rewards=praise)


def test_a_good_environment_passes_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(Good())
        check_env(EchoPair())
        check_env(LeavingPair())
        check_env(Tagged())
        check_env(SeatView(EchoPair(rounds=3), ECHOER))


def test_an_environment_in_gymnasiums_wrappers_is_the_one_inside():
    check_env(gymnasium.make("rlenvs/Arithmetic-v0"), num_tasks=4)
    with pytest.raises(CheckError, match=r"^ObjectTarget fails"):
        check_env(gymnasium.wrappers.OrderEnforcing(ObjectTarget()), num_tasks=4)


@pytest.mark.parametrize("other", [gymnasium.Env(), Good, 3, None])
def test_what_is_no_environment_of_ours_is_refused_with_a_sentence(other):
    with pytest.raises(ValueError, match=r"^check_env checks a TextEnv, a MultiTextEnv or the id of one: got "):
        check_env(other)


def test_all_failures_are_collected_in_one_error_and_repeated_ones_are_counted():
    class Several(Good):
        rubric = Rubric((RewardFunction("accuracy", lambda task, transcript: 0.5),))

        def begin(self):
            super().begin()
            random.random()

    with pytest.raises(CheckError) as caught:
        check_env(Several())
    text = str(caught.value)
    assert "global random state of random" in text
    assert text.count("its own answer") == 3
    assert "… and 17 more like the last" in text


def test_a_fixed_list_of_one_task_is_fine():
    class Single(Good):
        tasks = TaskList([Good().task_at(0)])
        num_tasks = 1

        def task_at(self, index):
            return self.tasks[index]

    check_env(Single())


FIRST_OF_ITS_CLASS = {each.entry_point: each.id for each in reversed(registered())}  # 103 are of one class


@pytest.mark.parametrize("id", [*FIRST_OF_ITS_CLASS.values()])
def test_every_registered_environment_passes(id, monkeypatch, request):
    if id == "rlenvs/Math-v0":
        monkeypatch.setenv("RLENVS_DATA", request.getfixturevalue("data_folder"))
    check_env(id, num_tasks=8)


def test_a_strangers_environment_of_one_short_file_passes(monkeypatch):
    spec = importlib.util.spec_from_file_location("my_env", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "my_env", module)
    spec.loader.exec_module(module)
    registered = {}
    module.register_environments(registered.__setitem__)
    (cls,) = registered.values()
    check_env(cls())
    source = EXAMPLE.read_text().split('"""', 2)[2]
    assert sum(bool(line.strip()) for line in source.splitlines()) <= 30
