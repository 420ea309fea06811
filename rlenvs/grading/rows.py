"""The answers to grade, as JSON lines: checked as a whole before any work, then read one by one.

Of a row only its id and fingerprint stay in memory, so that a file of millions of replies can be graded.
"""

import hashlib
import json
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rlenvs.errors import RlenvsError

Id = str | int

_SHOWN = 5


class GradingError(RlenvsError):
    """Rows that cannot be graded, or an output file that belongs to something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GradingRow:
    """One answer to grade."""

    id: Id
    gold: str | int | float
    answer: str | None  # None: no answer was given
    question: str = ""
    form: Literal["bare", "text"] = "bare"  # text: a whole reply, from which the answer is extracted first

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of all that the verdict depends on: a verdict of another one is stale."""
        content = json.dumps([self.gold, self.answer, self.question, self.form])
        return hashlib.sha256(content.encode()).hexdigest()[:16]


class Answers:
    """A file of rows, every one of which can be graded."""

    def __init__(self, path: Path) -> None:
        """Read it once.

        Raises:
            GradingError: there is no such file, it cannot be read, or rows are malformed; it names their lines.
        """
        self.path = path
        self.places: dict[Id, int] = {}  # by id, from 0 on, in the order of the file
        self._fingerprints = array("Q")
        self._numbers = array("Q")  # of their lines
        wrong: list[str] = []  # the first of them
        num_wrong = 0
        for number, line in _lines(path):
            try:
                self._keep(_row(line), number)
            except (ValueError, RecursionError) as error:  # a JSONDecodeError is a ValueError
                num_wrong += 1
                wrong += [f"\n  line {number}: {error}"] if num_wrong <= _SHOWN else []
        if num_wrong:
            more = f"\n  … and {num_wrong - _SHOWN} more" if num_wrong > _SHOWN else ""
            raise GradingError(f"{path}: {num_wrong} rows cannot be graded{''.join(wrong)}{more}")

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[GradingRow]:
        """Read the rows once more.

        Raises:
            GradingError: the file cannot be read any more, or has other rows by now.
            ValueError: it has malformed ones.
        """
        for place, (_, line) in enumerate(_lines(self.path)):
            row = _row(line)
            if self.places.get(row.id) != place or not self.has(row.id, row.fingerprint):
                raise GradingError(f"{self.path} was changed while it was graded: run the same again")
            yield row

    def has(self, id: Id, fingerprint: str) -> bool:
        """Whether there is such a row."""
        place = self.places.get(id)
        return place is not None and self._fingerprints[place] == int(fingerprint, 16)

    def _keep(self, row: GradingRow, number: int) -> None:
        place = self.places.setdefault(row.id, len(self.places))
        if place != len(self._numbers):
            raise ValueError(f"the id {row.id!r} is that of line {self._numbers[place]}; results are keyed by it")
        self._fingerprints.append(int(row.fingerprint, 16))
        self._numbers.append(number)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The number and the text of each line that is not empty."""
    try:
        if not path.is_file():
            raise GradingError(f"no file {path} to grade")
        with path.open(encoding="utf-8") as file:
            yield from ((number, line) for number, line in enumerate(file, start=1) if line.strip())
    except OSError as error:
        raise GradingError(f"the answers {path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise GradingError(f"{path} is not text in UTF-8: {error}") from error


_FIELDS: dict[str, tuple[Any, str]] = {
    "id": (str | int, "text or a whole number"),
    "gold": (str | int | float, "text or a number"),
    "answer": (str | int | float | None, "text, a number, or null for none"),
    "question": (str | None, "text or null"),
}


def _row(line: str) -> GradingRow:
    record = json.loads(line)
    if not isinstance(record, dict):
        raise ValueError(f"expected an object, got {type(record).__name__}")
    missing = [name for name in ("id", "gold", "answer") if name not in record]
    if missing:
        raise ValueError(f"no {' and no '.join(missing)}; there is {', '.join(record) or 'nothing'}")
    for name, (types, words) in _FIELDS.items():
        value = record.get(name)
        if not isinstance(value, types) or isinstance(value, bool):
            raise ValueError(f"{name} is {words}: got {json.dumps(value)[:100]}")
    form = record.get("form", "bare")
    if form not in ("bare", "text"):
        raise ValueError(f"form is bare (the answer alone) or text (a whole reply): got {form!r}")
    question = record.get("question") or ""
    answer = record["answer"] if record["answer"] is None else str(record["answer"])
    return GradingRow(id=record["id"], gold=record["gold"], answer=answer, question=question, form=form)
