"""`TaskList`, the tasks of an environment that has a fixed number of them; and which task an episode starts.

Reading data sets is `rlenvs.data`'s.
"""

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, overload

import numpy as np

from rlenvs.records import Task, shown


class TaskList(Sequence[Task]):
    """Tasks in a fixed order, each with an id of its own.

    It never changes, so a copy is the list itself: cloning an environment does not copy its data set.
    """

    __slots__ = ("_tasks",)

    def __init__(self, tasks: Iterable[Task]) -> None:
        """Keep the tasks.

        Raises:
            ValueError: two of them have the same id.
        """
        self._tasks = tuple(tasks)
        positions: dict[str, int] = {}
        for position, task in enumerate(self._tasks):
            first = positions.setdefault(task.id, position)
            if first != position:
                raise ValueError(
                    f"two tasks have the id {task.id!r} (positions {first} and {position}): results are keyed by it"
                )

    def __len__(self) -> int:
        return len(self._tasks)

    @overload
    def __getitem__(self, index: int) -> Task: ...
    @overload
    def __getitem__(self, index: slice) -> "TaskList": ...
    def __getitem__(self, index: int | slice) -> "Task | TaskList":
        return TaskList(self._tasks[index]) if isinstance(index, slice) else self._tasks[index]

    def __copy__(self) -> "TaskList":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "TaskList":
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TaskList) and self._tasks == other._tasks

    def __repr__(self) -> str:
        return f"TaskList of {len(self)} tasks"


def chosen_task(
    options: dict[str, Any], task_at: Callable[[int], Task], num_tasks: int | None, rng: np.random.Generator
) -> Task:
    """The task that reset's options ask for, or one drawn by `rng`.

    Raises:
        ValueError: the options are not `task` (a Task) or `index` (an integer that is there).
    """
    if set(options) not in (set(), {"task"}, {"index"}):
        raise ValueError(f"reset options are 'task' (a Task) or 'index' (an integer): got {sorted(options)}")
    if "task" in options:
        if not isinstance(options["task"], Task):
            raise ValueError(f"options['task'] is a Task: got {shown(options['task'])}")
        return options["task"]
    if num_tasks == 0:
        raise ValueError("there are no tasks: num_tasks is 0 (None would be: without end)")
    if "index" not in options:
        return given_task(task_at, int(rng.integers(2**31 if num_tasks is None else num_tasks)))
    try:
        index = operator.index(options["index"])
    except TypeError:
        raise ValueError(f"options['index'] is an integer: got {options['index']!r}") from None
    if index < 0 or (num_tasks is not None and index >= num_tasks):
        there = "0, 1, 2 …" if num_tasks is None else f"0 to {num_tasks - 1}"
        raise ValueError(f"no task {index}: there are {there}")
    return given_task(task_at, index)


def given_task(task_at: Callable[[int], Task], index: int) -> Task:
    """What an environment says its task is.

    Raises:
        ValueError: that is no Task; or whatever `task_at` raises.
    """
    task = task_at(index)
    if not isinstance(task, Task):
        raise ValueError(f"task_at({index}) gives a Task: got {shown(task)}")
    return task
