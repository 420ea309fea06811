"""The check that no single answer is right nearly everywhere: a policy would learn to say it, whatever is asked."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from rlenvs.checks.subject import Subject, saying, short
from rlenvs.records import Task

CONSTANTS = ("0", "1", "yes", "no", "A")
ENOUGH = 20  # tasks from which the share that an answer is right for tells something


def one_answer_is_not_enough(subject: Subject) -> Iterator[str]:
    """A note for each answer that is right for most tasks; where questions have few answers, that may be meant."""
    if subject.has_answers and len(subject.tasks) >= ENOUGH:
        subject.notes.extend(_enough(subject))
    return iter(())


def _enough(subject: Subject) -> Iterator[str]:
    """A sentence where a constant, or the most frequent answer, is right for more than half of the tasks."""
    messages = {task.id: _own_message(subject, task) for task in subject.tasks}
    tried = {
        repr(constant): [_said_instead(messages[task.id], task, constant) for task in subject.tasks]
        for constant in CONSTANTS
    }
    [(frequent, _)] = Counter(messages.values()).most_common(1)
    tried[f"the most frequent answer, {short(frequent)},"] = [frequent] * len(subject.tasks)
    counted = {what: _times_right(subject, said) for what, said in tried.items()}
    what, num_right = max(counted.items(), key=lambda item: item[1])
    if 2 * num_right > len(subject.tasks):
        yield (
            f"{what} scores full marks on {num_right} of {len(subject.tasks)} tasks: if it is not right there, the"
            " grader accepts too much, and if it is, a policy may learn to say nothing else"
        )


def _own_message(subject: Subject, task: Task) -> str:
    subject.reset(task)
    return subject.answer(task)


def _said_instead(message: str, task: Task, constant: str) -> str:
    """The task's own message with the constant for its target; the constant alone where no target is to be seen."""
    target = "" if task.target is None else str(task.target)
    found = [*re.finditer(rf"(?<!\w){re.escape(target)}(?!\w)", message)] if target else []
    return f"{message[: found[-1].start()]}{constant}{message[found[-1].end() :]}" if found else constant


def _times_right(subject: Subject, messages: Sequence[str]) -> int:
    """For how many tasks their message is right; given up, at 0, once it is wrong for half of them."""
    num_right = num_wrong = 0
    for task, message in zip(subject.tasks, messages, strict=True):
        is_right = subject.score(task, saying(message)).correct == 1.0
        num_right, num_wrong = num_right + is_right, num_wrong + (not is_right)
        if 2 * num_wrong >= len(subject.tasks):
            return 0
    return num_right
