"""`TextEnv`: the one base class of our single-agent environments, Gymnasium's contract over text.

It keeps the conversation, counts turns, lets the rubric end the episode and copies itself. Token limits belong to
the trainers; loading tasks belongs to `rlenvs.tasks`.
"""

import copy
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import gymnasium
import numpy as np

from rlenvs.errors import EpisodeOverError
from rlenvs.records import Ending, Message, Part, Task, Verdict, assistant
from rlenvs.rubric import Rubric
from rlenvs.spaces import Unicode


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What the world answers to one action."""

    messages: tuple[Message, ...] = ()  # what the policy reads before its next action
    ending: Ending | None = None  # why the episode is over, or None while it goes on
    consumed: int | None = None  # characters of the action that were used, from its start; None: all of them
    rewards: tuple[Part, ...] = ()  # named rewards for this action alone


class TextEnv(gymnasium.Env[str, str]):
    """An environment whose observations and actions are text.

    A subclass gives `rubric` and `task_at`; one with several turns overrides `respond`; one that knows its answers
    overrides `answer_message`. Observations are the new messages' text; the messages themselves, with their roles,
    are in `info["messages"]`.

    Every `info` has: `messages` (tuple of Message), `task_id`, `ending` (None while the episode goes on), `verdict`
    (a Verdict at the end, None before and where nothing could be judged), `consumed` (characters of the action that
    were used), `rewards` (tuple of Part for this action alone).
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"]}
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

    def respond(self, action: str) -> Response:
        """What the world answers to `action`. By default nothing: the episode is over and the rubric judges it."""
        return Response(ending="completed")

    def answer_message(self, task: Task) -> str:
        """How an answer to `task` would look if it were given now, and were right."""
        raise NotImplementedError(f"{type(self).__name__} does not say how its answers look")

    def demonstrate(self, rng: np.random.Generator) -> str:
        """A good next message in the present state: what supervised warm start imitates. By default, the answer."""
        assert self.task is not None
        return self.answer_message(self.task)

    def judge(self) -> Verdict | None:
        """The verdict on the conversation so far; None where it cannot be scored."""
        assert self.task is not None
        return self.rubric.judge(self.task, tuple(self.transcript))

    # Gymnasium's contract.

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Start an episode on a task drawn by `seed`, or on `options["task"]` (a Task) or `options["index"]`."""
        super().reset(seed=seed)
        self.task = self._chosen_task(options or {})
        self.transcript = list(self.task.prompt)
        self.num_turns, self.ending, self.verdict = 0, None, None
        self.begin()
        return self._text(self.task.prompt), self._info(self.task.prompt)

    def begin(self) -> None:
        """Set up a subclass's own state for `self.task`. Called at the end of every reset."""

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take the policy's message.

        Returns:
            The reply's text, the reward (NaN where the episode cannot be scored, never a 0 by accident),
            whether the environment ended the episode, whether the turn limit did, and the info.

        Raises:
            EpisodeOverError: the episode is over, or was never started.
            GraderError: a reward function broke; the episode is over with ending "grader_error".
        """
        if self.task is None or self.ending is not None:
            why = "has not been reset" if self.task is None else f"is over ({self.ending})"
            raise EpisodeOverError(f"step() on an episode that {why}: call reset() first")
        if not isinstance(action, str):
            raise ValueError(f"an action is text: got {type(action).__name__}")
        response = self.respond(action)
        consumed = len(action) if response.consumed is None else response.consumed
        self.transcript += [assistant(action[:consumed]), *response.messages]
        self.num_turns += 1
        truncated = response.ending is None and self.num_turns >= self.max_turns
        ending: Ending | None = "max_turns" if truncated else response.ending
        reward = float(sum(part.value * part.weight for part in response.rewards))
        if ending is not None:
            reward += self._end(ending)
        info = self._info(response.messages, consumed=consumed, rewards=response.rewards)
        return self._text(response.messages), reward, ending is not None and not truncated, truncated, info

    def stop(self, ending: Ending) -> Verdict | None:
        """End the episode from outside (out of tokens, out of context) and judge what there is.

        An action that was cut off is not part of it: the world never received it.
        """
        if self.task is None or self.ending is not None:
            raise EpisodeOverError(f"stop({ending!r}) on an episode that is over or was never started")
        self._end(ending)
        return self.verdict

    def clone(self) -> Self:
        """An independent copy in the same state: the same actions lead to the same episode, and neither sees the other.

        Task lists and other shared values that never change copy to themselves (`__deepcopy__`).
        """
        return copy.deepcopy(self)

    def render(self) -> str | None:  # type: ignore[override]
        """The conversation so far as text."""
        if self.render_mode != "ansi":
            return None
        return "\n\n".join(f"[{message.role}]\n{message.content}" for message in self.transcript)

    def _chosen_task(self, options: dict[str, Any]) -> Task:
        unknown = set(options) - {"task", "index"}
        if unknown:
            raise ValueError(f"reset options are 'task' (a Task) or 'index' (an integer): got {sorted(unknown)}")
        if "task" in options:
            task = options["task"]
            if not isinstance(task, Task):
                raise ValueError(f"options['task'] is a Task: got {type(task).__name__}")
            return task
        if "index" in options:
            return self.task_at(int(options["index"]))
        return self.task_at(int(self.np_random.integers(self.num_tasks or 2**31)))

    def _end(self, ending: Ending) -> float:
        """Judge, record the ending, and give the verdict's reward."""
        self.ending = "grader_error"  # stands if the rubric raises
        self.verdict = self.judge()
        self.ending = ending if self.verdict is not None else "unscored"
        return self.verdict.reward if self.verdict is not None else float("nan")

    def _info(
        self, messages: tuple[Message, ...], consumed: int | None = None, rewards: tuple[Part, ...] = ()
    ) -> dict[str, Any]:
        assert self.task is not None
        return {
            "messages": messages,
            "task_id": self.task.id,
            "ending": self.ending,
            "verdict": self.verdict,
            "consumed": consumed,
            "rewards": rewards,
        }

    @staticmethod
    def _text(messages: tuple[Message, ...]) -> str:
        return "\n\n".join(message.content for message in messages)
