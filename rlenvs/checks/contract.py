"""The checks of form: tasks, seeds, options, what reset and step return, and the end of an episode.

Each gives a sentence per failure, and plays the environment through its public methods alone.
"""

from collections.abc import Iterator
from contextlib import closing
from typing import Any, get_args

import numpy as np

from rlenvs.checks.subject import NONSENSE, Subject, began, difference, played, saying
from rlenvs.env import TextEnv, joined
from rlenvs.errors import EpisodeOverError
from rlenvs.records import FAILURES, Ending, Message, Part, Verdict, as_count, value_of

INFO_KEYS = ("messages", "task_id", "ending", "verdict", "consumed", "rewards")


def tasks_are_stable(subject: Subject) -> Iterator[str]:
    """Ids unique, fingerprints stable."""
    env, count = subject.env, len(subject.tasks)
    for index in range(min(count, env.num_tasks or count)):
        with closing(env.clone()) as clone:
            first, again, copied = env.task_at(index), env.task_at(index), clone.task_at(index)
        if not first.fingerprint == again.fingerprint == copied.fingerprint:
            yield f"task_at({index}) gives another task at every call: siblings would not share a baseline"
            break
    ids = [task.id for task in subject.tasks]
    if len(set(ids)) != count:
        yield f"task ids are not unique: {count} tasks have {len(set(ids))} ids, and results are keyed by them"


def the_seed_chooses(subject: Subject) -> Iterator[str]:
    """The same seed leads to the same episode, and different seeds to different tasks."""
    if not subject.is_deterministic:
        return
    env = subject.env
    for seed in range(subject.seed, subject.seed + 3):
        traces = []
        for _ in range(2):
            opening = began(env, seed=seed)
            traces.append([opening, *played(env, subject.good_action())[1]])
        if traces[0] != traces[1]:
            yield f"seed {seed} does not lead to the same episode twice: {difference(*traces)}"
            break
    if len(subject.tasks) > 1 and len({env.reset(seed=seed)[1]["task_id"] for seed in range(12)}) == 1:
        yield "twelve seeds all lead to the same task: reset(seed=…) has to draw one"


def options_are_honoured(subject: Subject) -> Iterator[str]:
    """`options` with a task, or an index, choose the task."""
    env, task = subject.env, subject.tasks[-1]
    for seed in (subject.seed, None):
        _, info = env.reset(seed=seed, options={"task": task})
        if info["task_id"] != task.id or env.task != task:
            yield f"reset(options={{'task': …}}) started {info['task_id']!r} instead of {task.id!r}"
            break
    _, info = env.reset(options={"index": 0})
    if info["task_id"] != env.task_at(0).id:
        yield f"reset(options={{'index': 0}}) started {info['task_id']!r} instead of {env.task_at(0).id!r}"


def results_have_their_form(subject: Subject) -> Iterator[str]:
    """Observations, rewards, flags and infos say what `TextEnv` promises."""
    env = subject.env
    for task in subject.tasks[:3]:
        for action in (subject.good_action(), saying(NONSENSE)):
            observation, info = env.reset(seed=subject.seed, options={"task": task})
            yield from _info_problems("reset", observation, info, "")
            for _ in range(env.max_turns):
                text = action(env)
                observation, reward, terminated, truncated, info = env.step(text)
                yield from _info_problems("step", observation, info, text)
                yield from _end_problems(env, reward, terminated, truncated, info)
                if env.ending is not None:
                    break
            else:
                yield f"the episode is not over after max_turns = {env.max_turns} actions: step has to truncate it"


def _info_problems(where: str, observation: object, info: dict[str, Any], action: str) -> Iterator[str]:
    missing = [key for key in INFO_KEYS if key not in info]
    if missing:
        yield f"{where}: info lacks {', '.join(missing)}"
        return
    messages, consumed = info["messages"], info["consumed"]
    if not (isinstance(messages, tuple) and all(isinstance(message, Message) for message in messages)):
        yield f"{where}: info['messages'] is a tuple of Message, got {messages!r}"
    elif observation != joined(messages):
        yield f"{where}: the observation is the text of info['messages'], got {observation!r}"
    what = f"{where}: info['consumed'] counts characters of the action, 0 to {len(action)}"
    try:
        if not 0 <= as_count(consumed, what) <= len(action):
            yield f"{what}: got {consumed}"
    except ValueError as error:
        yield str(error)
    if not all(isinstance(part, Part) for part in info["rewards"]):
        yield f"{where}: info['rewards'] is a tuple of Part, got {info['rewards']!r}"


def _end_problems(
    env: TextEnv, reward: float, terminated: bool, truncated: bool, info: dict[str, Any]
) -> Iterator[str]:
    if set(INFO_KEYS) - info.keys() or not all(isinstance(part, Part) for part in info["rewards"]):
        return  # said already
    ending, verdict = info["ending"], info["verdict"]
    if terminated and truncated:
        yield "an episode is terminated (by the world) or truncated (by the turn limit): step said both"
    if (terminated or truncated) != (ending is not None):
        yield f"step said terminated={terminated}, truncated={truncated}, and info['ending'] is {ending!r}"
    if truncated != (ending == "max_turns"):
        yield f"truncated goes with the ending 'max_turns' and with no other: step said {truncated} with {ending!r}"
    if ending is not None and ending not in get_args(Ending):
        yield f"an ending is one of {', '.join(get_args(Ending))}: got {ending!r}"
    if (verdict is None) != (ending is None or ending in FAILURES):
        yield f"there is a verdict exactly at an end that is no failure: got {verdict!r} with ending {ending!r}"
    if verdict is not None and not isinstance(verdict, Verdict):
        yield f"info['verdict'] is a Verdict: got {verdict!r}"
    elif verdict is not None and not np.isclose(reward, verdict.reward + value_of(info["rewards"])):
        yield f"the last reward is the verdict's plus the action's: got {reward} with a verdict of {verdict.reward}"
    if env.ending != ending:
        yield f"env.ending is info['ending']: got {env.ending!r} and {ending!r}"


def the_end_is_the_end(subject: Subject) -> Iterator[str]:
    """A step after the end is an error."""
    subject.reset(subject.tasks[0])
    played(subject.env, subject.good_action())
    try:
        subject.env.step(NONSENSE)
    except EpisodeOverError:
        return
    yield "step() after the end of an episode has to raise EpisodeOverError: it took the action"


CHECKS = (
    tasks_are_stable,
    the_seed_chooses,
    options_are_honoured,
    results_have_their_form,
    the_end_is_the_end,
)
