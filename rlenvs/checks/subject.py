"""What `check_env` plays with: the environment, some of its tasks, and episodes written down as text."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rlenvs.env import TextEnv
from rlenvs.records import Task

NONSENSE = "I would rather not say."  # an answer that is right nowhere

Action = Callable[[TextEnv], str]
"""What to say in the environment's present state."""

Trace = list[str]
"""An episode as text, an entry per reset or step: equal traces are equal episodes, NaN rewards included."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is being checked: the environment and some of its tasks."""

    env: TextEnv
    tasks: tuple[Task, ...]
    seed: int
    has_answers: bool
    is_deterministic: bool

    @classmethod
    def of(cls, env: TextEnv, num_tasks: int, seed: int) -> "Subject":
        """Choose tasks: all of them if there are few, else drawn by the seed."""
        limit = env.num_tasks or 10**6
        rng = np.random.default_rng(seed)
        indices = range(limit) if limit <= num_tasks else sorted(rng.choice(limit, num_tasks, replace=False).tolist())
        tasks = tuple(env.task_at(index) for index in indices)
        try:
            env.reset(seed=seed, options={"task": tasks[0]})
            env.answer_message(tasks[0])
        except NotImplementedError:
            has_answers = False
        else:
            has_answers = True
        return cls(env, tasks, seed, has_answers, env.spec is None or not env.spec.nondeterministic)

    def good_action(self) -> Action:
        """What the environment would show if it can, and text that ends it somehow if it cannot."""
        rng = np.random.default_rng(self.seed)
        return (lambda env: env.demonstrate(rng)) if self.has_answers else saying(NONSENSE)

    def reset(self, task: Task, *, seed: int | None = None) -> None:
        """Start an episode of `task`, by default with the subject's seed."""
        self.env.reset(seed=self.seed if seed is None else seed, options={"task": task})


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
    for step, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            at = next((i for i, pair in enumerate(zip(a, b, strict=False)) if pair[0] != pair[1]), 0)
            return f"entry {step} is …{short(a[max(0, at - 20) :])} once and …{short(b[max(0, at - 20) :])} then"
    return f"{len(first)} steps once and {len(second)} then"


def short(text: str, limit: int = 60) -> str:
    return repr(text if len(text) <= limit else text[:limit] + "…")
