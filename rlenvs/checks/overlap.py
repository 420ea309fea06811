"""The check of questions: which are asked twice in a split, or in another split or data set too, and how answered.

How alike two questions are belongs to `likeness`. Questions that are worded alike and have other numbers, or another
answer, are two problems: those of a textbook share their stems.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rlenvs.checks.findings import Finding, Kind
from rlenvs.checks.likeness import Words, alike, without_numbers, words_of
from rlenvs.checks.subject import Subject, saying
from rlenvs.records import Task
from rlenvs.rewards import question_of

ALIKE = 0.5  # the resemblance from which two questions with the same numbers and the same answer are one question


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked:
    """A task as what it asks."""

    task: Task
    where: str  # its split or data set; empty: the one that is checked
    words: Words
    world: str  # what the prompt does not say, where an episode has several turns: of a game, all but its rules
    subject: Subject = field(repr=False)

    @property
    def key(self) -> tuple[Words, str]:
        """Equal for tasks that ask the same."""
        return self.words, self.world


def overlap_findings(own: Subject, others: Mapping[str, Subject]) -> Iterator[Finding]:
    """Which questions are asked twice, in other words or in the same, and whether the answers agree.

    Args:
        others: the splits and data sets to compare with, by how people call them.
    """
    asked = _asked(own, "")
    elsewhere = [each for name, subject in others.items() for each in _asked(subject, name)]
    same: dict[tuple[Words, str], list[Asked]] = defaultdict(list)
    for each in (*asked, *elsewhere):
        same[each.key].append(each)
    for each in asked:
        yield from _repeated(each, same[each.key])
    yield from _reworded(same)
    yield from _variants(asked, elsewhere)


def _asked(subject: Subject, where: str) -> list[Asked]:
    has_world = subject.env.max_turns > 1
    return [
        Asked(
            task=task,
            where=where,
            words=words_of(question_of(task)),
            world=_world(task) if has_world else "",
            subject=subject,
        )
        for task in subject.tasks
    ]


def _world(task: Task) -> str:
    return json.dumps(dict(task.metadata) if task.target is None else task.target, sort_keys=True)


def _repeated(asked: Asked, same: Sequence[Asked]) -> Iterator[Finding]:
    """A task beside the first one here, if that is another, and beside the first one in every other place."""
    for first in _firsts(same):
        if first is not asked:
            agree = _have_same_answer(asked, first)
            kind: Kind = "contradiction" if not agree else "leak" if first.where else "duplicate"
            yield _pair(kind, asked, first, "" if agree else f"{_target(asked)} here, {_target(first)} there")


def _firsts(same: Sequence[Asked]) -> list[Asked]:
    """The first one of every place."""
    found: dict[str, Asked] = {}
    for each in same:
        found.setdefault(each.where, each)
    return list(found.values())


def _reworded(same: Mapping[tuple[Words, str], Sequence[Asked]]) -> Iterator[Finding]:
    """Pairs with the same numbers, the same answer and much the same words."""
    different = sorted(
        (first for group in same.values() for first in _firsts(group)), key=lambda each: each.where != ""
    )
    num_own = sum(not each.where for each in different)
    for one, other, value in alike([each.words for each in different], num_own, ALIKE):
        first, second = different[one], different[other]
        if first.words != second.words and _have_same_answer(first, second):
            kind: Kind = "near_leak" if second.where else "near_duplicate"
            yield _pair(kind, first, second, f"resemblance {value:.2f}")


def _variants(asked: Sequence[Asked], elsewhere: Sequence[Asked]) -> Iterator[Finding]:
    """Tasks that are elsewhere with other numbers, beside the first such one of every place."""
    forms: dict[Words, list[Asked]] = defaultdict(list)
    for each in elsewhere:
        forms[without_numbers(each.words)].append(each)
    for each in asked:
        form = forms.get(without_numbers(each.words), ())
        known = {other.where for other in form if other.words == each.words}
        for first in _firsts([other for other in form if other.where not in known]):
            yield _pair("variant", each, first)


def _pair(kind: Kind, asked: Asked, other: Asked, why: str = "") -> Finding:
    question = question_of(asked.task)
    return Finding(kind=kind, task_id=asked.task.id, other_id=other.task.id, where=other.where, text=question, why=why)


def _have_same_answer(one: Asked, other: Asked) -> bool:
    """Whether the targets agree, or one's answer is right for the other."""
    if _target(one) == _target(other):
        return True
    return _is_right(one, other) or _is_right(other, one)


def _is_right(asked: Asked, other: Asked) -> bool:
    """Whether the other's answer is right here."""
    if not (asked.subject.has_answers and other.subject.has_answers):
        return False
    other.subject.reset(other.task)
    answer = other.subject.answer(other.task)
    return asked.subject.score(asked.task, saying(answer)).correct == 1.0


def _target(asked: Asked) -> str:
    return str(asked.task.target)
