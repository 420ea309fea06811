"""The check of references: every task's own answer is right, and what is known to be wrong is not.

Unlike `scores`, which tries much on a few tasks, this tries little on all of them.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, runtime_checkable

from rlenvs.checks.findings import Finding
from rlenvs.checks.subject import NONSENSE, Subject, saying
from rlenvs.records import Task, as_text


@runtime_checkable
class ReadsReferences(Protocol):
    """An environment that can say why a reference is unfit to be compared with."""

    def why_unreadable(self, task: Task) -> str:
        """A sentence; empty where the reference can be read."""


@runtime_checkable
class KnowsWrongAnswers(Protocol):
    """An environment that knows answers that are nearly right."""

    def wrong_answers(self, task: Task) -> Sequence[str]:
        """Messages in the form of `answer_message` that are not right, such as a number that is one too large."""


def gold_findings(subject: Subject, advance: Callable[[], None]) -> Iterator[Finding]:
    """What is wrong with references, and which answers score that are not the task's own.

    Answers of other tasks are those before and after the task's own in alphabetical order, which are likest to it.

    Args:
        advance: called after every task.
    """
    answers = [_answer(subject, task) for task in subject.tasks]
    neighbours = _Neighbours(subject.tasks, answers)
    for task, answer in zip(subject.tasks, answers, strict=True):
        unfit = _unfit(subject, task, answer)
        if unfit:
            yield unfit
        else:
            yield from _wrongly_accepted(subject, task)
            yield from neighbours.accepted(subject, task, answer)
        advance()


def _answer(subject: Subject, task: Task) -> str:
    subject.reset(task)
    return subject.answer(task)


def _unfit(subject: Subject, task: Task, answer: str) -> Finding | None:
    """What is wrong with a reference, if anything."""
    if isinstance(subject.env, ReadsReferences):
        why = as_text(subject.env.why_unreadable(task), "why_unreadable")
        if why:
            return Finding(kind="bad_gold", task_id=task.id, text=_target(task, answer), why=why)
    own = subject.score(task, saying(answer))
    if own.correct == 1.0:
        return None
    why = own.error or f"correct is {own.correct}, not 1"
    return Finding(kind="own_answer", task_id=task.id, text=_target(task, answer), why=why)


def _target(task: Task, answer: str) -> str:
    return task.target if isinstance(task.target, str) else answer


def _wrongly_accepted(subject: Subject, task: Task) -> Iterator[Finding]:
    wrong = {"": "an empty answer", NONSENSE: "no answer at all"}
    if isinstance(subject.env, KnowsWrongAnswers):
        for answer in subject.env.wrong_answers(task):
            wrong[as_text(answer, "wrong_answers")] = "nearly its own answer"
    for answer, what in wrong.items():
        if subject.score(task, saying(answer)).correct == 1.0:
            yield Finding(kind="wrong_answer", task_id=task.id, text=answer, why=f"{what}, beside {_shown(task)}")


def _shown(task: Task) -> str:
    return repr(task.target) if task.target is not None else "its own"


class _Neighbours:
    """The different answers of all tasks in alphabetical order, each with the first task that has it."""

    def __init__(self, tasks: Sequence[Task], answers: Sequence[str]) -> None:
        first: dict[str, Task] = {}
        for task, answer in zip(tasks, answers, strict=True):
            first.setdefault(answer, task)
        self._first, self._line = first, sorted(first)
        self._place = {answer: place for place, answer in enumerate(self._line)}

    def accepted(self, subject: Subject, task: Task, answer: str) -> Iterator[Finding]:
        """The answers next in line that score too."""
        place = self._place[answer]
        for other in (*self._line[max(0, place - 1) : place], *self._line[place + 1 : place + 2]):
            if subject.score(task, saying(other)).correct == 1.0:
                why = f"beside {_shown(task)}"
                yield Finding(kind="other_answer", task_id=task.id, other_id=self._first[other].id, text=other, why=why)
