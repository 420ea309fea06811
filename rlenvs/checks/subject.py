"""What `check_env` plays with: the environment, some of its tasks, and episodes written down as text."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rlenvs.env import TextEnv
from rlenvs.errors import foreign_code
from rlenvs.records import Task, as_text
from rlenvs.tasks import given_task

NONSENSE = "I would rather not say."  # an answer that is right nowhere
LONG_TEXT = "0123456789 " * 2000  # nor is this

Action = Callable[[TextEnv], str]
"""What to say in the environment's present state."""

Trace = list[str]
"""An episode as text, an entry per reset or step: equal traces are equal episodes, NaN rewards included."""


@dataclass(frozen=True, slots=True)
class Score:
    """What an episode came to; None where it was not scored."""

    text: str  # the first action
    correct: float | None
    reward: float | None  # of the whole episode
    parts: Mapping[str, tuple[float, float]]  # of the verdict: value and weight by name
    error: str = ""  # what was raised


@dataclass(frozen=True, slots=True)
class Subject:
    """What is being checked: the environment and some of its tasks."""

    env: TextEnv
    tasks: tuple[Task, ...]
    seed: int
    has_answers: bool
    is_deterministic: bool
    scores: dict[str, Mapping[str, Score]] = field(default_factory=dict)  # by task id: what `scores` has tried
    notes: list[str] = field(default_factory=list)  # what could not be checked, or is suspicious and may be meant

    @classmethod
    def of(cls, env: TextEnv, num_tasks: int, seed: int) -> "Subject":
        """Choose tasks: all of them if there are few, else drawn by the seed.

        Raises:
            ValueError: there are none, or its answer is no text.
        """
        limit = 10**6 if env.num_tasks is None else env.num_tasks
        if limit < 1:
            raise ValueError(f"num_tasks is at least 1, or None for without end: got {env.num_tasks}")
        rng = np.random.default_rng(seed)
        indices = range(limit) if limit <= num_tasks else sorted(rng.choice(limit, num_tasks, replace=False).tolist())
        return cls.playing(env, tuple(given_task(env.task_at, index) for index in indices), seed)

    @classmethod
    def playing(cls, env: TextEnv, tasks: tuple[Task, ...], seed: int) -> "Subject":
        """These tasks of it, one at least.

        Raises:
            ValueError: its answer is no text.
        """
        try:
            env.reset(seed=seed, options={"task": tasks[0]})
            as_text(env.answer_message(tasks[0]), "answer_message")
        except NotImplementedError:
            has_answers = False
        else:
            has_answers = True
        return cls(env, tasks, seed, has_answers, env.spec is None or not env.spec.nondeterministic)

    def good_action(self) -> Action:
        """What the environment would show if it can, and text that ends it somehow if it cannot."""
        rng = np.random.default_rng(self.seed)
        return (lambda env: as_text(env.demonstrate(rng), "demonstrate")) if self.has_answers else saying(NONSENSE)

    def answer(self, task: Task) -> str:
        """What the environment says is right for `task`."""
        return as_text(self.env.answer_message(task), "answer_message")

    def reset(self, task: Task, *, seed: int | None = None) -> None:
        """Start an episode of `task`, by default with the subject's seed."""
        self.env.reset(seed=self.seed if seed is None else seed, options={"task": task})

    def score(self, task: Task, action: Action) -> Score:
        """What an episode comes to in which every action is `action`."""
        texts: list[str] = []
        reward = 0.0
        try:
            with foreign_code():
                self.reset(task)
                while self.env.ending is None and len(texts) < self.env.max_turns:
                    texts.append(action(self.env))
                    reward += float(self.env.step(texts[-1])[1])
        except Exception as error:  # whatever an environment raises
            return Score("".join(texts[:1]), None, None, {}, error=f"{type(error).__name__}: {error}")
        verdict = self.env.verdict
        parts = {} if verdict is None else {part.name: (part.value, part.weight) for part in verdict.parts}
        is_scored = verdict is not None and np.isfinite(reward)
        return Score(texts[0], None if verdict is None else verdict.correct, reward if is_scored else None, parts)


def saying(text: str) -> Action:
    """The same text whatever the state."""
    return lambda _env: text


def began(env: TextEnv, **reset: Any) -> str:
    """Reset, as an entry of a trace."""
    observation, info = env.reset(**reset)
    return repr((observation, sorted(info.items())))


def stepped(env: TextEnv, action: str) -> str:
    """Step, as an entry of a trace."""
    *result, info = env.step(action)
    return repr((*result, sorted(info.items())))


def played(env: TextEnv, action: Action) -> tuple[list[str], Trace]:
    """Play on to the end: the actions and the trace."""
    actions: list[str] = []
    trace: Trace = []
    while env.ending is None and len(actions) < env.max_turns:
        actions.append(action(env))
        trace.append(stepped(env, actions[-1]))
    return actions, trace


def difference(first: Trace, second: Trace) -> str:
    """Where two traces part, in words."""
    for step, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            at = next((i for i, pair in enumerate(zip(a, b, strict=False)) if pair[0] != pair[1]), 0)
            return f"entry {step} is …{short(a[max(0, at - 20) :])} once and …{short(b[max(0, at - 20) :])} then"
    return f"{len(first)} steps once and {len(second)} then"


def short(text: str, limit: int = 60) -> str:
    """A text in quotes, cut off where it is long."""
    return repr(text if len(text) <= limit else text[:limit] + "…")
