"""A good environment, and how the broken ones made of it are kept with what has to be said of them."""

import itertools

import numpy as np
import pytest

from rlenvs import Part, Response, RewardFunction, Rubric, Task, TextEnv, check_env, user
from rlenvs.checks.subject import Subject
from rlenvs.errors import CheckError


def is_right(task, transcript):
    said = [message.content for message in transcript if message.role == "assistant"]
    return float(bool(said) and said[-1] == f"It is {task.target}.")


class Good(TextEnv):
    """Up to three guesses at the sum of two numbers, and the world's encouragement."""

    rubric = Rubric((RewardFunction("accuracy", is_right),))
    max_turns = 3

    def task_at(self, index):
        a, b = (int(x) for x in np.random.default_rng(index).integers(10, 99, 2))
        return Task(id=f"sum/{index}", prompt=(user(f"{a} + {b}?"),), target=a + b, metadata={"level": 1})

    def begin(self):
        self.heard = []

    def respond(self, action):
        self.heard.append(action)
        if action == f"It is {self.task.target}.":
            return Response(ending="completed", rewards=(Part(name="speed", value=0.5),))
        return Response(messages=(user(f"Try again, {self.np_random.integers(100)}."),), consumed=min(10, len(action)))

    def answer_message(self, task):
        return f"It is {task.target}."

    def demonstrate(self, rng):
        return "Hmm." if not self.heard else self.answer_message(self.task)


calls = itertools.count()


class Broken(dict):
    """Environments that have to fail, by name, each with what has to be said of it."""

    def __call__(self, *parts):
        """A decorator: keep a class with the parts of what has to be said."""

        def keep(cls):
            self[cls.__name__] = (cls, parts)
            return cls

        return keep


def assert_caught(cls, parts):
    with pytest.raises(CheckError) as caught:
        check_env(cls())
    said = str(caught.value)
    assert f"{cls.__name__} fails" in said, said
    assert [part for part in parts if part not in said] == [], said


def assert_catches(check, broken):
    """It says of at least one of these environments what has to be said."""
    caught = [
        text
        for cls, parts in broken.values()
        for text in check(Subject.of(cls(), 20, 0))
        if all(part in text for part in parts)
    ]
    assert caught
