"""`TaskList`: the tasks of an environment that has a fixed number of them. Reading data sets is `rlenvs.data`'s."""

from collections.abc import Iterable, Sequence
from typing import Any, overload

from rlenvs.records import Task


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
