"""Broken form: tasks, seeds, options, what reset and step return, and the end of an episode."""

import dataclasses

import pytest

import rlenvs
from rlenvs import EpisodeOverError, Task, check_env, user
from rlenvs.checks import contract

from .subjects import Broken, Good, assert_catches, assert_caught, calls

broken = Broken()


@broken("task_at(0) gives another task at every call")
class NewTasks(Good):
    def task_at(self, index):
        return Task(id=f"sum/{index}", prompt=(user(f"{next(calls)}?"),), target=1)


@broken("task ids are not unique: 20 tasks have 1 ids")
class OneId(Good):
    def task_at(self, index):
        return dataclasses.replace(super().task_at(index), id="sum")


@broken("seed 0 does not lead to the same episode twice")
class Moody(Good):
    def respond(self, action):
        response = super().respond(action)
        return dataclasses.replace(response, messages=(user(f"Mood {next(calls)}."),))


@broken("twelve seeds all lead to the same task")
class Unseeded(Good):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed, options=options or {"index": 5})


@broken("reset(options={'task': …}) started")
class OwnTask(Good):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed, options={"index": 1} if "task" in (options or {}) else options)


@broken("reset(options={'index': 0}) started")
class OwnIndex(Good):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed, options={"index": 1} if "index" in (options or {}) else options)


@broken("reset(options={'task': …}) started 'sum/")
class OtherWords(Good):
    """The right id, and another prompt."""

    def begin(self):
        super().begin()
        self.task = dataclasses.replace(self.task, prompt=(user("What is it?"),))


class Overriding(Good):
    """What a subclass can do to a step's result."""

    def step(self, action):
        return self.changed(action, *super().step(action))


@broken("step: info lacks verdict")
class NoVerdictKey(Overriding):
    def changed(self, action, observation, reward, terminated, truncated, info):
        del info["verdict"]
        return observation, reward, terminated, truncated, info


@broken("reset: the observation is the text of info['messages'], got 'Welcome'")
class OtherOpening(Good):
    def reset(self, *, seed=None, options=None):
        return "Welcome", super().reset(seed=seed, options=options)[1]


@broken("step: info['messages'] is a tuple of Message, got []")
class ListOfMessages(Overriding):
    def changed(self, action, observation, reward, terminated, truncated, info):
        return "", reward, terminated, truncated, info | {"messages": []}


@broken("step: info['consumed'] counts characters of the action, 0 to 4: got 5")
class Greedy(Overriding):
    def changed(self, action, observation, reward, terminated, truncated, info):
        return observation, reward, terminated, truncated, info | {"consumed": len(action) + 1}


@broken("step: info['rewards'] is a tuple of Part, got (0.5,)")
class BareRewards(Overriding):
    def changed(self, action, observation, reward, terminated, truncated, info):
        return observation, reward, terminated, truncated, info | {"rewards": (0.5,)}


@broken("step said both")
class TwiceOver(Overriding):
    def changed(self, action, observation, reward, terminated, truncated, info):
        return observation, reward, terminated or truncated, truncated, info


@broken("step said terminated=False, truncated=False, and info['ending'] is 'completed'")
class NeverTerminated(Overriding):
    def changed(self, action, observation, reward, terminated, truncated, info):
        return observation, reward, False, truncated, info


@broken("truncated goes with the ending 'max_turns' and with no other: step said False with 'max_turns'")
class TerminatedByTurns(Overriding):
    def changed(self, action, observation, reward, terminated, truncated, info):
        return observation, reward, terminated or truncated, False, info


@broken("got 'success'")
class OwnEnding(Overriding):
    def changed(self, action, observation, reward, terminated, truncated, info):
        return observation, reward, terminated, truncated, info | {"ending": "success" if terminated else None}


@broken("there is a verdict exactly at an end that is no failure: got None with ending 'completed'")
class Unjudged(Overriding):
    def changed(self, action, observation, reward, terminated, truncated, info):
        return observation, reward, terminated, truncated, info | {"verdict": None}


@broken("info['verdict'] is a Verdict: got 1.0")
class Marked(Overriding):
    def changed(self, action, observation, reward, terminated, truncated, info):
        verdict = info["verdict"] and info["verdict"].reward
        return observation, reward, terminated, truncated, info | {"verdict": verdict}


@broken("env.ending is info['ending']: got 'max_tokens' and 'completed'")
class TwoMinds(Overriding):
    def changed(self, action, observation, reward, terminated, truncated, info):
        self.ending = "max_tokens" if terminated else self.ending
        return observation, reward, terminated, truncated, info


@broken("the last reward is the verdict's plus the action's: got 2.5 with a verdict of 1.0")
class Generous(Overriding):
    def changed(self, action, observation, reward, terminated, truncated, info):
        return observation, reward + terminated, terminated, truncated, info


@broken("the episode is not over after max_turns = 3 actions")
class Endless(Good):
    def step(self, action):
        self.num_turns = 0
        return super().step(action)


@broken("step() after the end of an episode has to raise EpisodeOverError")
class Undead(Good):
    def step(self, action):
        try:
            return super().step(action)
        except EpisodeOverError:
            return "", 0.0, True, False, {}


@pytest.mark.parametrize("name", broken)
def test_a_broken_environment_is_caught(name):
    assert_caught(*broken[name])


@pytest.mark.parametrize("check", contract.CHECKS, ids=lambda check: check.__name__)
def test_every_check_has_an_environment_that_it_catches(check):
    assert_catches(check, broken)


def test_an_environment_that_says_that_it_is_not_deterministic_may_be_moody(registry):
    rlenvs.register("test/Moody-v0", Moody, nondeterministic=True)
    check_env("test/Moody-v0")
