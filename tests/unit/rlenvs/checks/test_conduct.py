"""Broken conduct: what clones share, and harm that text and luck do."""

import dataclasses
import random

import numpy as np
import pytest
import torch

from rlenvs import RewardFunction, Rubric, check_env, user
from rlenvs.checks import conduct
from rlenvs.checks.subject import NONSENSE

from .subjects import Broken, Good, assert_catches, assert_caught

broken = Broken()


@broken("a demonstration does not complete the episode, it ends as 'max_turns'")
class Hesitant(Good):
    def demonstrate(self, rng):
        return "Hmm."


@broken("clone() gives a SelfClone of its own")
class SelfClone(Good):
    def clone(self):
        return self


@broken("goes on differently once the other one was played")
class SharedMood(Good):
    """A clone shares a mutable value with its original."""

    def begin(self):
        super().begin()
        self.mood = [0]

    def clone(self):
        clone = super().clone()
        clone.mood = self.mood
        return clone

    def respond(self, action):
        self.mood[0] += 1
        response = super().respond(action)
        return dataclasses.replace(response, messages=(user(f"Mood {self.mood[0]}."),))


@broken("playing the other one ended the original")
class SharedEnd(Good):
    """A clone ends its original."""

    def clone(self):
        clone = super().clone()
        clone.original = self
        return clone

    def step(self, action):
        result = super().step(action)
        original = getattr(self, "original", None)
        if original is not None:
            original.ending = self.ending
        return result


@broken("the clone goes on differently once the other one was played")
class Shadow(Good):
    """A clone does what its original would."""

    def clone(self):
        clone = super().clone()
        clone.original = self
        return clone

    def respond(self, action):
        heard = getattr(self, "original", self).heard
        return dataclasses.replace(super().respond(action), messages=(user(f"You said {len(heard)} things."),))


@broken("goes on differently once the other one was played")
class SharedLuck(Good):
    """A clone draws from its original's generator."""

    def clone(self):
        clone = super().clone()
        clone.np_random = self.np_random
        return clone


@broken("goes on differently once the other one was played")
class SharedSession(Good):
    """Closing a clone closes what the original answers with."""

    def begin(self):
        super().begin()
        self.is_open = [True]

    def clone(self):
        clone = super().clone()
        clone.is_open = self.is_open
        return clone

    def close(self):
        self.is_open[0] = False

    def respond(self, action):
        response = super().respond(action)
        return response if self.is_open[0] else dataclasses.replace(response, messages=(user("Closed."),))


@broken("the action '\\\\boxed{' made it raise IndexError")
class Fragile(Good):
    def respond(self, action):
        if action.endswith("{"):
            raise IndexError("unclosed brace")
        return super().respond(action)


@broken("an episode stopped before its first action cannot be judged: GraderError: task sum/")
class NeedsAnswer(Good):
    rubric = Rubric((RewardFunction("accuracy", lambda task, t: [m for m in t if m.role == "assistant"][-1] and 0.0),))


@broken("and what comes after changes the step")
class ReadsOn(Good):
    def complete(self, text):
        return text.index(".") + 1 if "." in text else None


@broken("complete() gives characters of the text, 1 to 28, or None: got 0")
class NothingIsWhole(Good):
    def complete(self, text):
        return 0


@broken("it changes the global random state of random")
class PythonsLuck(Good):
    def begin(self):
        super().begin()
        random.random()


@broken("it changes the global random state of random")
class WinnersLuck(Good):
    def respond(self, action):
        if action == self.answer_message(self.task):
            random.random()
        return super().respond(action)


@broken("it changes the global random state of random")
class LosersLuck(Good):
    def respond(self, action):
        if action == NONSENSE:
            random.random()
        return super().respond(action)


@broken("it changes the global random state of numpy")
class NumpysLuck(Good):
    def begin(self):
        super().begin()
        np.random.rand()  # noqa: NPY002


@broken("it changes the global random state of numpy")
class SeedsNumpy(Good):
    """What the checks before have left is what it finds."""

    def begin(self):
        super().begin()
        np.random.seed(0)  # noqa: NPY002


@broken("it changes the global random state of random")
class SeedsPython(Good):
    def respond(self, action):
        random.seed(self.task.target)
        return super().respond(action)


@broken("it changes the global random state of torch")
class TorchsLuck(Good):
    def begin(self):
        super().begin()
        torch.rand(1)


@pytest.mark.parametrize("name", broken)
def test_a_broken_environment_is_caught(name):
    assert_caught(*broken[name])


@pytest.mark.parametrize("check", conduct.CHECKS[:-1], ids=lambda check: check.__name__)
def test_every_check_has_an_environment_that_it_catches(check):
    assert_catches(check, broken)


def test_a_prompt_that_shows_its_target_is_only_a_warning():
    class Telling(Good):
        def task_at(self, index):
            task = super().task_at(index)
            return dataclasses.replace(task, prompt=(user(f"Is it {task.target} ?"),))

    with pytest.warns(UserWarning, match="20 of 20 prompts show their own target"):
        check_env(Telling())


def test_checking_leaves_global_randomness_as_it_was():
    def states():
        return random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()  # noqa: NPY002

    before = states()
    check_env(Good())
    assert states() == before
