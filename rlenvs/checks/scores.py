"""The checks of scores: the task's own answer gets full marks, and nothing else that is tried is right or worth more.

Each gives a sentence per failure. What is tried is played once per task and kept in the subject.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from rlenvs.checks.subject import LONG_TEXT, NONSENSE, Action, Score, Subject, saying, short
from rlenvs.env import TextEnv
from rlenvs.records import Task

OWN, EMPTY, LONG, SHOWN = "its own answer", "an empty answer", "a long row of digits", "a demonstration"
AMONG = "its own answer among those of other tasks"
_NUM_OTHERS = 3  # tasks whose answers are tried on each
_ROUNDING = 1e-9
_OTHER = "the answer of task "


def answers_score(subject: Subject) -> Iterator[str]:
    """The task's own answer is right."""
    if not subject.has_answers:
        subject.notes.append("answer_message is not there: what a right answer scores was not checked")
        return
    for task in subject.tasks:
        own = _tried(subject, task)[OWN]
        if own.error:
            yield f"task {task.id}: {OWN} {short(own.text)} made it raise {own.error}"
        elif own.correct != 1.0:
            yield f"task {task.id}: {OWN} {short(own.text)} scores correct = {own.correct}, not 1"


def wrong_answers_are_wrong(subject: Subject) -> Iterator[str]:
    """An empty text, nonsense and long rows of digits are not right; nor is whatever is right elsewhere."""
    num_right = num_tried = 0
    for task in subject.tasks:
        tried = _tried(subject, task)
        for what, score in tried.items():
            if score.error and what not in (OWN, SHOWN):  # these are right: other checks play them
                yield f"task {task.id}: {what} made it raise {score.error}"
            elif score.correct == 1.0 and what in (EMPTY, repr(NONSENSE), LONG):
                yield f"task {task.id}: {what} scores full marks"
        others = {what: score for what, score in tried.items() if what.startswith(_OTHER)}
        right = _right_elsewhere(tried)
        if right and len(right) == len(others):
            example = f"{short(others[right[0]].text)}, {right[0]},"
            yield f"task {task.id}: other tasks' answers score full marks: {example} and all others that were tried"
        num_right, num_tried = num_right + len(right), num_tried + len(others)
    if num_right:
        subject.notes.append(
            f"{num_right} of {num_tried} times another task's answer scores full marks: if it is not right there too,"
            " the grader accepts too much"
        )
    subject.notes.extend(_of_lists(subject))


def _of_lists(subject: Subject) -> Iterator[str]:
    """A note where a reply that lists guesses is right for having the right one among them; that may be meant."""
    scores = [tried for tried in map(partial(_tried, subject), subject.tasks) if AMONG in tried]
    num_right = sum(tried[AMONG].correct == 1.0 and not _right_elsewhere(tried) for tried in scores)
    if num_right:
        yield (
            f"{num_right} of {len(scores)} times a reply that lists the answers of several tasks, the right one among"
            " them, scores full marks: if it should not, the grader has to look for the one answer that is given"
        )


def _right_elsewhere(tried: Mapping[str, Score]) -> list[str]:
    """The answers of other tasks that are right for this one too."""
    return [what for what, score in tried.items() if what.startswith(_OTHER) and score.correct == 1.0]


def nothing_is_worth_more(subject: Subject) -> Iterator[str]:
    """No text earns a higher reward than the task's own answer."""
    for task in subject.tasks if subject.has_answers else ():
        tried = _tried(subject, task)
        what, best = max(tried.items(), key=lambda item: -math.inf if item[1].reward is None else item[1].reward)
        own = tried[OWN].reward
        if own is not None and best.reward is not None and best.reward > own + _ROUNDING and what != SHOWN:
            yield f"task {task.id}: {OWN} earns {own:g}, and {what} earns more: {best.reward:g}"


def full_marks_are_reached(subject: Subject) -> Iterator[str]:
    """Parts of the reward that are 0 or 1 are 1 for the task's own answer, or for what is shown of how to play."""
    if not subject.has_answers:
        return
    values: dict[str, set[float]] = defaultdict(set)
    for task in subject.tasks:
        for score in _tried(subject, task).values():
            for name, (value, _) in score.parts.items():
                values[name].add(value)
    marks = {name for name, seen in values.items() if seen <= {0.0, 1.0}}
    for task in subject.tasks:
        tried = _tried(subject, task)
        for name, (value, weight) in tried[OWN].parts.items():
            is_reached = value == 1.0 or tried[SHOWN].parts.get(name, (0.0, 0.0))[0] == 1.0
            if name in marks and weight > 0 and not is_reached and tried[OWN].correct == 1.0:
                yield (
                    f"task {task.id}: {OWN} {short(tried[OWN].text)} gets 0 for {name!r}, so that its reward is not"
                    f" the full one (what costs something has a negative weight; this one's is {weight:g})"
                )


def _tried(subject: Subject, task: Task) -> Mapping[str, Score]:
    """What each text scores on a task, by what it is."""
    if task.id not in subject.scores:
        actions: dict[str, Action] = {EMPTY: saying(""), repr(NONSENSE): saying(NONSENSE), LONG: saying(LONG_TEXT)}
        if subject.has_answers:
            actions |= {OWN: lambda _env: subject.answer(task), SHOWN: subject.good_action()}
            others = _others(subject, task)
            actions |= {f"{_OTHER}{each.id}": _answer_of(subject, each, task) for each in others}
            if len(others) > 1:
                actions[AMONG] = _answer_among(subject, task, others)
        subject.scores[task.id] = {what: subject.score(task, action) for what, action in actions.items()}
    return subject.scores[task.id]


def _others(subject: Subject, task: Task) -> list[Task]:
    """Tasks that want another answer, as far as can be seen: the next ones in line."""
    position = subject.tasks.index(task)
    line = (*subject.tasks[position + 1 :], *subject.tasks[:position])
    subject.reset(task)
    own = subject.answer(task)
    wanted = [each for each in line if each.target is None or each.target != task.target]
    return [each for each in wanted if subject.answer(each) != own][:_NUM_OTHERS]


def _answer_of(subject: Subject, other: Task, task: Task) -> Action:
    """Another task's answer, unless it is the answer to this one too."""

    def action(_env: TextEnv) -> str:
        answer = subject.answer(other)
        return NONSENSE if answer == subject.answer(task) else answer

    return action


def _answer_among(subject: Subject, task: Task, others: Sequence[Task]) -> Action:
    """Neither first nor last: a grader that takes one of these takes a wrong one."""

    def action(_env: TextEnv) -> str:
        first, *rest = (subject.answer(each) for each in others)
        return "\n".join((first, subject.answer(task), *rest))

    return action


CHECKS: tuple[Callable[[Subject], Iterator[str]], ...] = (
    answers_score,
    wrong_answers_are_wrong,
    nothing_is_worth_more,
    full_marks_are_reached,
)
