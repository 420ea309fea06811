"""The check that tasks are the same in another process, where Python's hashes of text are others."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gymnasium.envs.registration import load_env_creator

from rlenvs.env import TextEnv
from rlenvs.isolation import Limits, RaisedInWorkerError, StoppedError, once

_NUM_TASKS = 8
_LIMITS = Limits(wall_s=60, cpu_s=60)


def tasks_are_the_same_elsewhere(env: TextEnv, notes: list[str]) -> Iterator[str]:
    """Tasks keep their fingerprints in another process, where the environment is made as it was registered."""
    if env.spec is None:
        return
    indices = range(_NUM_TASKS if env.num_tasks is None else min(_NUM_TASKS, env.num_tasks))
    here = [env.task_at(index).fingerprint for index in indices]
    try:
        there = once(fingerprints, env.spec.entry_point, env.spec.kwargs, list(indices), limits=_LIMITS)
    except (StoppedError, RaisedInWorkerError, TimeoutError, TypeError, AttributeError, ValueError) as error:
        why = str(error).partition("\n")[0]
        notes.append(
            f"whether its tasks are the same in another process was not checked, it cannot be made there: {why}"
        )
        return
    for index, one, other in zip(indices, here, there, strict=True):
        if one != other:
            yield (
                f"task_at({index}) gives another task in another process: results could not be resumed or compared."
                " hash() of text, and the order of a set, change from process to process"
            )
            break


def fingerprints(entry_point: Any, kwargs: Mapping[str, Any], indices: Sequence[int]) -> list[str]:
    """Those of an environment's tasks, made anew: what the other process does."""
    create = load_env_creator(entry_point) if isinstance(entry_point, str) else entry_point
    env: Any = create(**kwargs)
    return [env.task_at(index).fingerprint for index in indices]
