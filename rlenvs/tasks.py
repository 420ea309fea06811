"""`TaskList`: the tasks of an environment that has a fixed number of them. Reading data sets is `rlenvs.data`'s."""

from collections.abc import Iterable, Sequence
from typing import Any, overload

from rlenvs.records import Task


class TaskList(Sequence[Task]):
    """Tasks in a fixed order, each with an id of its own.

    It never changes, so a copy is the list itself: cloning an environment does not copy its data set.
    """

    __slots__ = ("_by_id", "_tasks")

    def __init__(self, tasks: Iterable[Task]) -> None:
        """Keep the tasks.

        Raises:
            ValueError: two of them have the same id.
        """
        self._tasks = tuple(tasks)
        self._by_id: dict[str, Task] = {}
        for position, task in enumerate(self._tasks):
            if task.id in self._by_id:
                first = next(i for i, other in enumerate(self._tasks) if other.id == task.id)
                raise ValueError(
                    f"two tasks have the id {task.id!r} (positions {first} and {position}): results are keyed by it"
                )
            self._by_id[task.id] = task

    def __len__(self) -> int:
        return len(self._tasks)

    @overload
    def __getitem__(self, index: int) -> Task: ...
    @overload
    def __getitem__(self, index: slice) -> "TaskList": ...
    def __getitem__(self, index: int | slice) -> "Task | TaskList":
        return TaskList(self._tasks[index]) if isinstance(index, slice) else self._tasks[index]

    def by_id(self, task_id: str) -> Task:
        """The task with that id; KeyError if there is none."""
        return self._by_id[task_id]

    def __copy__(self) -> "TaskList":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "TaskList":
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TaskList) and self._tasks == other._tasks

    def __repr__(self) -> str:
        return f"TaskList of {len(self)} tasks"
