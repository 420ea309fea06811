"""`TextEnv`: the one base class of our single-agent environments, Gymnasium's contract over text.

It keeps the conversation, counts turns, lets the rubric end the episode and copies itself. Token limits belong to
the trainers, loading tasks to `rlenvs.tasks`, several seats to `rlenvs.multi`.
"""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self, get_args

import gymnasium
import numpy as np

from rlenvs.errors import EpisodeOverError, NoAnswerError, ending_of, foreign_code
from rlenvs.records import (
    FAILURES,
    Ending,
    Message,
    Part,
    Task,
    Verdict,
    as_count,
    as_messages,
    as_parts,
    assistant,
    shown,
    value_of,
)
from rlenvs.rubric import Rubric, checked_verdict
from rlenvs.spaces import Unicode
from rlenvs.tasks import chosen_task


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What the world answers to one action.

    Raises:
        ValueError: the ending is none of ours, or another field is not of its kind. (A list is as good as a tuple.)
    """

    messages: tuple[Message, ...] = ()  # what the policy reads before its next action
    # Why the episode is over (terminated; "max_turns": truncated), None while it goes on. A failure ("sandbox_error",
    # "unscored" …) is not judged: the messages say what happened.
    ending: Ending | None = None
    consumed: int | None = None  # characters of the action that were used, from its start; None: all of them
    rewards: tuple[Part, ...] = ()  # named rewards for this action alone

    def __post_init__(self) -> None:
        check_ending(self.ending)
        object.__setattr__(self, "consumed", as_consumed(self.consumed))
        object.__setattr__(self, "messages", as_messages(self.messages, "messages of a Response"))
        object.__setattr__(self, "rewards", as_parts(self.rewards, "rewards of a Response"))


class TextEnv(gymnasium.Env[str, str]):
    """An environment whose observations and actions are text.

    A subclass gives `rubric` and `task_at`; one with several turns overrides `respond`; one that knows its answers
    overrides `answer_message`. What a subclass keeps of an episode it sets in `begin`. Observations are the new
    messages' text; the messages themselves, with their roles, are in `info["messages"]`.

    Every `info` has: `messages` (tuple of Message), `task_id`, `ending` (None while the episode goes on), `verdict`
    (a Verdict at the end, None before and where nothing could be judged), `consumed` (characters of the action that
    were used, an integer always: vector environments keep it in an array), `rewards` (tuple of Part for this action).
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012  # as Gymnasium declares it
    rubric: Rubric
    max_turns: int = 1  # the episode is truncated after this many actions
    num_tasks: int | None = None  # None: unlimited, every index >= 0 is a task

    def __init__(self, *, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.observation_space = Unicode()
        self.action_space = Unicode()
        self.task: Task | None = None
        self.transcript: list[Message] = []
        self.num_turns = 0
        self.ending: Ending | None = None
        self.verdict: Verdict | None = None

    # What a subclass says of itself.

    def task_at(self, index: int) -> Task:
        """Task number `index`: the same one at every call, on every machine."""
        raise NotImplementedError(f"{type(self).__name__} needs task_at(index) -> Task")

    def respond(self, action: str) -> Response:  # noqa: ARG002
        """What the world answers to `action`. By default nothing: the episode is over and the rubric judges it."""
        return Response(ending="completed")

    def complete(self, text: str) -> int | None:  # noqa: ARG002
        """How many characters the first whole action in `text` takes, from its start; None while there is none.

        Asked when the policy ran into its token limit: with tags that close an action, say, the action may be whole
        although more was being written. By default it never is, and what was cut off never reaches the environment.
        """
        return None

    def answer_message(self, task: Task) -> str:  # noqa: ARG002
        """How an answer to `task` would look if it were given now, and were right."""
        raise NoAnswerError(type(self).__name__)

    def demonstrate(self, rng: np.random.Generator) -> str:  # noqa: ARG002
        """A good next message in the present state: what supervised warm start imitates. By default, the answer."""
        assert self.task is not None
        return self.answer_message(self.task)

    def judge(self) -> Verdict | None:
        """The verdict on the conversation so far; None where it cannot be scored."""
        assert self.task is not None
        return self.rubric.judge(self.task, tuple(self.transcript))

    def begin(self) -> None:
        """Set up a subclass's own state for `self.task`. Called at every reset, before `opening`."""

    def opening(self) -> tuple[Message, ...]:
        """What the policy reads before its first action. By default, the task's prompt."""
        assert self.task is not None
        return self.task.prompt

    # Gymnasium's contract.

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Start an episode on a task drawn by `seed`, or on `options["task"]` (a Task) or `options["index"]`."""
        super().reset(seed=seed)
        self.task = None  # stands if choosing raises: no step without a task
        task = chosen_task(options or {}, self.task_at, self.num_tasks, self.np_random)
        self.task, self.transcript, self.num_turns, self.verdict = task, [], 0, None
        with self._failing():
            self.begin()
            opening = as_messages(self.opening(), f"what {type(self).__name__}.opening() gives")
            if not opening:
                raise ValueError(f"{type(self).__name__}.opening() gave no message: the policy has to read something")
        self.ending = None
        self.transcript = list(opening)
        return joined(opening), self._info(opening)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take the policy's message.

        Returns:
            The reply's text, the reward (NaN where the episode cannot be scored, never a 0 by accident),
            whether the environment ended the episode, whether the turn limit did, and the info.

        Raises:
            EpisodeOverError: the episode is over, or was never started.
            GraderError: a reward function broke. After this or any other failure the episode is over, its ending
                says what happened, and it has no verdict.
        """
        if self.task is None or self.ending is not None:
            why = "has not been reset" if self.task is None else f"is over ({self.ending})"
            raise EpisodeOverError(f"step() on an episode that {why}: call reset() first")
        if not isinstance(action, str):
            raise ValueError(f"an action is text: got {type(action).__name__}")
        with self._failing():
            response = self.respond(action)
            if not isinstance(response, Response):
                raise ValueError(f"{type(self).__name__}.respond() gives a Response: got {shown(response)}")
            consumed = consumed_characters(response.consumed, action)
            self.transcript += [assistant(action[:consumed]), *response.messages]
            self.num_turns += 1
            ending = response.ending or ("max_turns" if self.num_turns >= self.max_turns else None)
            reward = value_of(response.rewards)
        if ending is not None:
            reward += self._end(ending)
        truncated = ending == "max_turns"
        info = self._info(response.messages, consumed=consumed, rewards=response.rewards)
        return joined(response.messages), reward, ending is not None and not truncated, truncated, info

    def stop(self, ending: Ending) -> Verdict | None:
        """End the episode from outside (out of tokens, out of context) and judge what there is.

        An action that was cut off is not part of it: the world never received it. An ending that is a failure
        ("timeout", "pruned" …) is not judged.
        """
        if self.task is None or self.ending is not None:
            raise EpisodeOverError(f"stop({ending!r}) on an episode that is over or was never started")
        self._end(ending)
        return self.verdict

    def clone(self) -> Self:
        """An independent copy in the same state: the same actions lead to the same episode, and neither sees the other.

        Records never change and are shared; so is what copies to itself (`__deepcopy__`), like a `TaskList`.
        """
        records = [self.task, self.verdict, *self.transcript]
        return copy.deepcopy(self, {id(record): record for record in records})

    def render(self) -> str | None:
        """The conversation so far as text."""
        if self.render_mode != "ansi":
            return None
        return "\n\n".join(f"[{message.role}]\n{message.content}" for message in self.transcript)

    def close(self) -> None:
        """Free what this copy holds (a session, a process), not what copies share. By default nothing is held.

        It comes at the end of every episode; it may come twice, and from another thread while a step hangs.
        """

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """What raises here ends the episode, and the ending says how."""
        try:
            with foreign_code():
                yield
        except Exception as error:
            self.ending = ending_of(error)
            raise

    def _end(self, ending: Ending) -> float:
        """Record the ending, judge unless it is a failure, and give the verdict's reward."""
        if ending not in FAILURES:
            assert self.task is not None
            with self._failing():
                self.verdict = checked_verdict(self.judge(), self.task)
            ending = ending if self.verdict is not None else "unscored"
        self.ending = ending
        return self.verdict.reward if self.verdict is not None else float("nan")

    def _info(self, messages: tuple[Message, ...], consumed: int = 0, rewards: tuple[Part, ...] = ()) -> dict[str, Any]:
        assert self.task is not None
        return {
            "messages": messages,
            "task_id": self.task.id,
            "ending": self.ending,
            "verdict": self.verdict,
            "consumed": consumed,
            "rewards": rewards,
        }


def check_ending(ending: str | None) -> None:
    """Raise ValueError unless it is an ending, or None."""
    if ending is not None and ending not in get_args(Ending):
        raise ValueError(f"an ending is one of {', '.join(get_args(Ending))}: got {shown(ending)}")


def as_consumed(count: Any) -> int | None:
    """A number of characters as an int, or None.

    Raises:
        ValueError: it is something else.
    """
    return None if count is None else as_count(count, "consumed counts characters of the action, an int, or is None")


def joined(messages: tuple[Message, ...]) -> str:
    """Messages as one observation."""
    return "\n\n".join(message.content for message in messages)


def complete_characters(complete: int | None, text: str) -> int | None:
    """What an environment said of the first whole action in `text`, checked: None, or 1 to all of its characters."""
    if complete is None:
        return None
    what = f"complete() gives characters of the text, 1 to {len(text)}, or None"
    count = as_count(complete, what)
    if not 1 <= count <= len(text):
        raise ValueError(f"{what}: got {count}")
    return count


def consumed_characters(consumed: int | None, action: str) -> int:
    """How much of the action was used; an environment that says None used all of it."""
    count = as_consumed(consumed)
    if count is None:
        return len(action)
    if not 0 <= count <= len(action):
        raise ValueError(f"consumed counts characters of the action, 0 to {len(action)}: got {count}")
    return count
