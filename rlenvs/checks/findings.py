"""What the checks of data find: one record for each fault or coincidence, and the report of all of them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

Kind = Literal[
    "bad_gold",
    "own_answer",
    "wrong_answer",
    "contradiction",
    "other_answer",
    "duplicate",
    "near_duplicate",
    "leak",
    "near_leak",
    "variant",
]
"""What was found, the errors first."""

MEANING: Mapping[Kind, str] = {
    "bad_gold": "the reference cannot be read",
    "own_answer": "its own answer does not score",
    "wrong_answer": "a wrong answer scores",
    "contradiction": "the same question with another answer",
    "other_answer": "another task's answer scores too",
    "duplicate": "the same question twice",
    "near_duplicate": "the same question in other words",
    "leak": "the question is in another split too",
    "near_leak": "in another split too, in other words",
    "variant": "in another split with other numbers",
}
"""Each kind in words."""

ERRORS: frozenset[Kind] = frozenset({"bad_gold", "own_answer", "wrong_answer", "contradiction"})
"""What is wrong with the data or with the grader. The others may be meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was found."""

    kind: Kind
    task_id: str
    other_id: str = ""  # the other task of a pair
    where: str = ""  # the split or data set of the other task; empty: the one that is checked
    text: str = ""  # the reference, or the answer that scores
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataReport:
    """What was found in all tasks of an environment."""

    num_tasks: int
    has_answers: bool  # False: nothing could be said of references, only of questions
    against: Mapping[str, int]  # tasks of every other split or data set that was compared
    findings: tuple[Finding, ...]  # by kind, the errors first, then by task
    notes: tuple[str, ...] = ()  # what could not be compared

    def __post_init__(self) -> None:
        order = {kind: place for place, kind in enumerate(get_args(Kind))}
        ordered = sorted(self.findings, key=lambda finding: order[finding.kind])  # which keeps the order of tasks
        object.__setattr__(self, "findings", tuple(ordered))

    @property
    def counts(self) -> dict[Kind, int]:
        """How many findings there are of every kind."""
        counted = Counter(finding.kind for finding in self.findings)
        return {kind: counted[kind] for kind in get_args(Kind)}

    @property
    def errors(self) -> tuple[Finding, ...]:
        """What is wrong, whatever was meant."""
        return tuple(finding for finding in self.findings if finding.kind in ERRORS)

    def of(self, kind: Kind) -> tuple[Finding, ...]:
        """The findings of one kind."""
        return tuple(finding for finding in self.findings if finding.kind == kind)

    def as_json(self) -> dict[str, Any]:
        """All of it, as JSON has it."""
        fields = Finding.__dataclass_fields__
        found = [{name: getattr(finding, name) for name in fields} for finding in self.findings]
        return {
            "num_tasks": self.num_tasks,
            "has_answers": self.has_answers,
            "against": dict(self.against),
            "counts": self.counts,
            "notes": list(self.notes),
            "findings": found,
        }
