"""An environment as far as its references can be read; one that cannot is a fault of the data, which `golds` tells."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from rlenvs.checks.golds import ReadsReferences
from rlenvs.checks.subject import Subject
from rlenvs.env import TextEnv
from rlenvs.errors import CheckError
from rlenvs.records import Task, as_text

_MOST = 1000  # tasks that are tried where there is no end of them


class NothingReadableError(CheckError):
    """Not one reference can be read, so that nothing can be played."""


@contextmanager
def readable(subject: Subject) -> Iterator[Subject]:
    """The subject without the tasks whose reference cannot be read; while it lasts, its seeds lead to none of them.

    Raises:
        NothingReadableError: there are no others.
    """
    env = subject.env
    if not isinstance(env, ReadsReferences):
        yield subject
        return
    tasks = tuple(task for task in subject.tasks if not _why(env, task))
    original = type(env)
    env.__class__ = _skipping(original)  # type: ignore[assignment]  # a subclass of the environment's own
    try:
        yield replace(subject, tasks=tasks or (env.task_at(0),))
    finally:
        env.__class__ = original


def _skipping(cls: type[TextEnv]) -> type[TextEnv]:
    """The class, with the next task whose reference can be read in the place of one whose cannot."""

    class Skipping(cls):  # type: ignore[misc, valid-type]  # the class is only known now
        def task_at(self, index: int) -> Task:
            why = ""
            end = index + _MOST if self.num_tasks is None else self.num_tasks
            for place in (*range(index, end), *range(index if self.num_tasks is not None else 0)):
                task: Task = super().task_at(place)
                if not (reason := _why(self, task)):
                    return task
                why = why or f"{task.id}: {reason}"
            raise NothingReadableError(f"not one of its references can be read; {why}")

    Skipping.__name__, Skipping.__qualname__ = cls.__name__, cls.__qualname__
    return Skipping


def _why(env: ReadsReferences, task: Task) -> str:
    return as_text(env.why_unreadable(task), "why_unreadable")
