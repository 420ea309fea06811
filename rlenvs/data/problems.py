"""What a problem is, and each data set's own way of writing the answer down.

A reader takes one row as published and gives a `Reading`. Files and the hub belong to `read`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from rlenvs.verifiers.replies.extract import last_box

Row = Mapping[str, Any]


class Reading(NamedTuple):
    """What a row says."""

    question: str
    gold: str
    working: str = ""  # empty where the data set has none
    options: tuple[str, ...] = ()  # of a choice, whose gold is a letter


Reader = Callable[[Row], Reading]
"""How a row is read. KeyError: a missing field. ValueError: what is there is not of the data set's kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A question and its right answer."""

    id: str  # data set, split and row number: gsm8k/test/0
    question: str
    gold: str  # empty where the data have none: no answer can be compared with it
    working: str = ""  # a worked solution, without the line that states the answer where there is one
    options: tuple[str, ...] = ()  # of a choice, whose gold is a letter; the question has them too

    def __post_init__(self) -> None:
        if not self.question.strip():
            raise ValueError(f"{self.id}: the question is empty")


_CALCULATOR = re.compile(r"<<[^<>]*>>")


def gsm8k(row: Row) -> Reading:
    """The answer is a number after `####`; `<<16-3=13>>` in the solution are marks for a calculator."""
    working, mark, gold = row["answer"].rpartition("####")
    if not mark:
        raise ValueError("a GSM8K answer ends in '#### number'")
    return Reading(row["question"], gold.strip().replace(",", ""), _CALCULATOR.sub("", working).strip())


def stated(row: Row) -> Reading:
    """Problem, solution and the answer by itself: MATH-500."""
    return Reading(row["problem"], row["answer"], row.get("solution") or "")


def boxed(row: Row) -> Reading:
    """The answer by itself if there is one, else in the solution's last box: MATH, Minerva."""
    solution = row.get("solution") or ""
    gold = row.get("answer") or last_box(solution)
    if not gold:
        raise ValueError("neither an answer nor a box in the solution")
    return Reading(_question(row), str(gold), solution)


def numeric(row: Row) -> Reading:
    r"""A number as integer, float or text: AIME, AMC. 27.0 and "027" are 27, and one AIME answer is "336^\circ"."""
    answer = str(row["answer"]).removesuffix(r"^\circ")
    value = Fraction(answer)
    gold = str(value.numerator) if value.denominator == 1 else answer
    return Reading(_question(row), gold, row.get("solution") or "")


def olympiadbench(row: Row) -> Reading:
    """Answers in a list, one per entry or several in one; a unit of its own, which an answer may leave out."""
    gold = ", ".join(answer.strip() for answer in row["final_answer"])
    unit = (row.get("unit") or "").strip("$ ")
    if unit and not row["is_multiple_answer"]:
        gold = gold.replace("$", "")
        gold += r"\%" if unit == "%" else unit if unit.startswith("^") else rf" \text{{{unit}}}"
    question = "\n\n".join(part for part in (row.get("context"), row["question"]) if part)
    return Reading(question, gold, "\n\n".join(row.get("solution") or ()))


def _question(row: Row) -> str:
    return str(row["problem"] if "problem" in row else row["question"])
