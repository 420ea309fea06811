"""Broken conduct: what answers score, what clones share, and harm that text and luck do."""

import dataclasses
import random

import numpy as np
import pytest
import torch

from rlenvs import Response, RewardFunction, Rubric, check_env, user
from rlenvs.checks import conduct
from rlenvs.checks.subject import NONSENSE

from .subjects import Broken, Good, assert_catches, assert_caught, is_right

broken = Broken()


@broken("its own answer 'It is ")
class WrongKey(Good):
    rubric = Rubric((RewardFunction("accuracy", lambda task, transcript: 0.5 * is_right(task, transcript)),))


@broken("an empty answer scores full marks")
class EmptyIsRight(Good):
    rubric = Rubric((RewardFunction("accuracy", lambda task, t: is_right(task, t) or t[-2].content == ""),))


@broken("'I would rather not say.' scores full marks")
class NonsenseIsRight(Good):
    rubric = Rubric((RewardFunction("accuracy", lambda task, t: is_right(task, t) or t[-2].content == "I would r"),))

    def respond(self, action):
        return dataclasses.replace(super().respond(action), consumed=min(9, len(action)))


@broken("the answers of other tasks score full marks on all of 20 tasks")
class FormIsRight(Good):
    rubric = Rubric((RewardFunction("accuracy", lambda task, t: t[-1].content.startswith("It is ")),))

    def respond(self, action):
        return Response(ending="completed")


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


def test_an_environment_that_does_not_know_its_answers_is_checked_without_them():
    class Open(Good):
        rubric = Rubric((RewardFunction("length", lambda task, transcript: len(transcript[-1].content) / 100),))

        def answer_message(self, task):
            raise NotImplementedError

        def demonstrate(self, rng):
            raise NotImplementedError

    with pytest.warns(UserWarning, match="answer_message is not there"):
        check_env(Open())


def test_checking_leaves_global_randomness_as_it_was():
    def states():
        return random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()  # noqa: NPY002

    before = states()
    check_env(Good())
    assert states() == before
