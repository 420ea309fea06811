"""`check_env` lets good environments pass and catches each kind of bad one."""

import dataclasses
import importlib.util
import itertools
import random
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

import rlenvs
from rlenvs import EpisodeOverError, Part, Response, RewardFunction, Rubric, Task, TaskList, TextEnv, check_env, user
from rlenvs.checks import conduct, contract
from rlenvs.checks.subject import Subject
from rlenvs.envs.echo_pair import ECHOER, SPEAKER, EchoPair
from rlenvs.errors import CheckError
from rlenvs.seats import SeatView

REPOSITORY = Path(__file__).resolve().parents[3]
EXAMPLE = REPOSITORY / "examples" / "my_env.py"


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
BROKEN = {}


def broken(sentence):
    """Keep a class with the sentence that has to be said of it."""

    def keep(cls):
        BROKEN[cls.__name__] = (cls, sentence)
        return cls

    return keep


@broken("task_at(0) gives another task at every call")
class NewTasks(Good):
    def task_at(self, index):
        return Task(id=f"sum/{index}", prompt=(user(f"{next(calls)}?"),), target=1)


@broken("task ids are not unique: 20 tasks have 1 ids")
class OneId(Good):
    def task_at(self, index):
        return dataclasses.replace(super().task_at(index), id="sum")


@broken("it cannot be started: ValueError: task sum/")
class ObjectTarget(Good):
    def task_at(self, index):
        return dataclasses.replace(super().task_at(index), metadata={"kind": complex(1)})


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


@broken("step: info['consumed'] counts characters of the action, 0 to 4, got 5")
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


@broken("the last reward is the verdict's plus the action's: got 2.5 with a verdict of 1.0")
class Generous(Overriding):
    def changed(self, action, observation, reward, terminated, truncated, info):
        return observation, reward + terminated, terminated, truncated, info


@broken("the episode is not over after max_turns = 3 actions")
class Endless(Good):
    def step(self, action):
        self.num_turns = 0
        return super().step(action)


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

    def answer_message(self, task):
        return f"It is {task.target}."


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


@broken("it raised while checking that clones are independent: RuntimeError: closed already")
class ClosesOnce(Good):
    def close(self):
        if getattr(self, "is_closed", False):
            raise RuntimeError("closed already")
        self.is_closed = True


@broken("step() after the end of an episode has to raise EpisodeOverError")
class Undead(Good):
    def step(self, action):
        try:
            return super().step(action)
        except EpisodeOverError:
            return "", 0.0, True, False, {}


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


@broken("gymnasium's check_env: ")
class NoSpace(Good):
    def __init__(self):
        super().__init__()
        del self.action_space


@broken("it cannot be started: OSError: no corpus")
class Unready(Good):
    def begin(self):
        raise OSError("no corpus")


@broken("it raised while checking that")
class Crashing(Good):
    def respond(self, action):
        raise KeyError("always")


class BrokenPair(EchoPair):
    def __init__(self):
        super().__init__()


@broken("seat 'echoer': task echo/2x4/")
class UnfairPair(BrokenPair):
    def answer_message(self, task, seat):
        return "wrong" if seat == ECHOER else super().answer_message(task, seat)


@broken("pettingzoo's api_test: AssertionError")
class LateToDie(BrokenPair):
    def _refresh(self, consumed, rewards):
        super()._refresh(consumed, rewards)
        self.infos = {seat: {} for seat in self.seats} | self.infos
        self.infos["nobody"] = {}


@broken("at the end every seat has an ending: ['speaker'] have none")
class HalfEnded(BrokenPair):
    def _leave(self, leaving):
        super()._leave({seat: ending for seat, ending in leaving.items() if seat != SPEAKER})


@broken("at the end 'speaker' is terminated or truncated: got True for both")
class BothFlags(BrokenPair):
    def _refresh(self, consumed, rewards):
        super()._refresh(consumed, rewards)
        self.truncations = dict(self.terminations)


@broken("step() after the end of an episode has to raise EpisodeOverError")
class UndeadPair(BrokenPair):
    def step(self, action):
        if not self.endings or action is None:
            super().step(action)


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


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_environment_is_caught(name):
    cls, sentence = BROKEN[name]
    with pytest.raises(CheckError) as caught:
        check_env(cls())
    assert f"{name} fails" in str(caught.value)
    assert sentence in str(caught.value)


@pytest.mark.parametrize("check", [*contract.CHECKS, *conduct.CHECKS[:-1]], ids=lambda check: check.__name__)
def test_every_check_has_an_environment_that_it_catches(check):
    caught = []
    for cls, sentence in BROKEN.values():
        if issubclass(cls, TextEnv) and cls.__name__ not in ("Unready", "Crashing", "ObjectTarget", "ClosesOnce"):
            caught += [text for text in check(Subject.of(cls(), 20, 0)) if sentence in text]
    assert caught


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


def test_a_fixed_list_of_one_task_is_fine():
    class Single(Good):
        tasks = TaskList([Good().task_at(0)])
        num_tasks = 1

        def task_at(self, index):
            return self.tasks[index]

    check_env(Single())


def test_an_environment_that_says_that_it_is_not_deterministic_may_be_moody(monkeypatch):
    registry = dict(rlenvs.registration.registry)
    monkeypatch.setattr(rlenvs.registration, "_registered", dict(rlenvs.registration._registered))
    try:
        rlenvs.register("test/Moody-v0", BROKEN["Moody"][0], nondeterministic=True)
        check_env("test/Moody-v0")
    finally:
        rlenvs.registration.registry.clear()
        rlenvs.registration.registry.update(registry)


def test_checking_leaves_global_randomness_as_it_was():
    before = random.getstate(), torch.get_rng_state().tolist()
    check_env(Good())
    assert (random.getstate(), torch.get_rng_state().tolist()) == before


@pytest.mark.parametrize("id", rlenvs.registered_ids())
def test_every_registered_environment_passes(id, monkeypatch, request):
    if id == "rlenvs/Math-v0":
        monkeypatch.setenv("RLENVS_DATA", request.getfixturevalue("data_folder"))
    check_env(id, num_tasks=8)


def test_a_strangers_environment_of_one_short_file_passes():
    spec = importlib.util.spec_from_file_location("my_env", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    sys.modules["my_env"] = module
    spec.loader.exec_module(module)
    registered = {}
    module.register_environments(registered.__setitem__)
    (cls,) = registered.values()
    check_env(cls())
    source = EXAMPLE.read_text().split('"""', 2)[2]
    assert sum(bool(line.strip()) for line in source.splitlines()) <= 30
