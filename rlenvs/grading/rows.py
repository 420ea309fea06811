"""The rows to grade, as JSON lines: checked as a whole before any work, then read one by one.

Of a row only its id and fingerprint stay in memory, so that a file of millions of replies can be graded. What a row
holds belongs to its kind: `answers`, `programs`.
"""

import gzip
import json
import zlib
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from rlenvs.errors import RlenvsError

Id = str | int

_SHOWN = 5


class GradingError(RlenvsError):
    """Rows that cannot be graded, or an output file that belongs to something else."""


class Row(Protocol):
    """Something to grade."""

    @property
    def id(self) -> Id:
        """Which no other row of the file has."""

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of all that the verdict depends on: a verdict of another one is stale."""


R = TypeVar("R", bound=Row)


class RowFile(Generic[R]):
    """A file of rows, every one of which can be graded; it may be compressed, and then ends in .gz."""

    def __init__(self, path: Path, parse: Callable[[Mapping[str, Any]], R], *, what: str) -> None:
        """Read it once.

        Args:
            parse: makes a row of a line's object; a ValueError says what is wrong with it.
            what: they are, for people: answers.

        Raises:
            GradingError: there is no such file, it cannot be read, or rows are malformed; it names their lines.
        """
        self.path, self.what, self._parse = path, what, parse
        self.places: dict[Id, int] = {}  # by id, from 0 on, in the order of the file
        self._fingerprints = array("Q")
        self._numbers = array("Q")  # of their lines
        wrong: list[str] = []  # the first of them
        num_wrong = 0
        for number, line in self._lines():
            try:
                self._keep(self._row(line), number)
            except (ValueError, RecursionError) as error:  # a JSONDecodeError is a ValueError
                num_wrong += 1
                wrong += [f"\n  line {number}: {error}"] if num_wrong <= _SHOWN else []
        if num_wrong:
            more = f"\n  … and {num_wrong - _SHOWN} more" if num_wrong > _SHOWN else ""
            raise GradingError(f"{path}: {num_wrong} rows cannot be graded{''.join(wrong)}{more}")

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[R]:
        """Read the rows once more.

        Raises:
            GradingError: the file cannot be read any more, or has other rows by now.
            ValueError: it has malformed ones.
        """
        for place, (_, line) in enumerate(self._lines()):
            row = self._row(line)
            if self.places.get(row.id) != place or not self.has(row.id, row.fingerprint):
                raise GradingError(f"{self.path} was changed while it was graded: run the same again")
            yield row

    def has(self, id: Id, fingerprint: str) -> bool:
        """Whether there is such a row."""
        place = self.places.get(id)
        return place is not None and self._fingerprints[place] == int(fingerprint, 16)

    def _keep(self, row: R, number: int) -> None:
        place = self.places.setdefault(row.id, len(self.places))
        if place != len(self._numbers):
            raise ValueError(f"the id {row.id!r} is that of line {self._numbers[place]}; results are keyed by it")
        self._fingerprints.append(int(row.fingerprint, 16))
        self._numbers.append(number)

    def _row(self, line: str) -> R:
        record = json.loads(line)
        if not isinstance(record, dict):
            raise ValueError(f"expected an object, got {type(record).__name__}")
        return self._parse(record)

    def _lines(self) -> Iterator[tuple[int, str]]:
        """The number and the text of each line that is not empty."""
        path = self.path
        opened = gzip.open if path.suffix == ".gz" else open
        try:
            if not path.is_file():
                raise GradingError(self._no_file())
            with opened(path, "rt", encoding="utf-8-sig") as file:
                yield from ((number, line) for number, line in enumerate(file, start=1) if line.strip())
        except (OSError, EOFError, zlib.error) as error:  # the latter two of a compressed file, cut off or damaged
            why = getattr(error, "strerror", "") or error
            raise GradingError(f"the {self.what} {path} cannot be read: {why}") from error
        except UnicodeDecodeError as error:
            raise GradingError(f"{path} is not text in UTF-8: {error}") from error

    def _no_file(self) -> str:
        if not self.path.exists() or self.path.is_dir():
            return f"no file {self.path} to grade"
        return f"the {self.what} are read twice, and {self.path} is no regular file: write them to one first"


Field = tuple[Any, str]
"""The types of a field's values, and what they are in words."""

ID: Field = (str | int, "text or a whole number")
TEXT: Field = (str | None, "text or null")


def check_fields(record: Mapping[str, Any], required: Sequence[str], fields: Mapping[str, Field]) -> None:
    """Whether a line's object has what it needs, and fields hold what they should; one that is missing is null.

    Raises:
        ValueError: not so.
    """
    missing = [name for name in required if name not in record]
    if missing:
        raise ValueError(f"no {' and no '.join(missing)}; there is {', '.join(record) or 'nothing'}")
    for name, (types, words) in fields.items():
        value = record.get(name)
        if not isinstance(value, types) or isinstance(value, bool):
            raise ValueError(f"{name} is {words}: got {shown(value)}")


def shown(value: Any) -> str:
    """A value as its file has it, the beginning of it."""
    return json.dumps(value)[:100]
