"""The file of verdicts: JSON lines, appended as the verdicts come, and brought into the order of the rows at the end.

Of a line only its place and verdict stay in memory.
"""

import fcntl
import json
import os
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, ClassVar, Protocol

from rlenvs.errors import writing
from rlenvs.grading.rows import GradingError, Id, RowFile
from rlenvs.replacing import replace_content

_FINGERPRINT = re.compile(r"[0-9a-f]{16}")
_BEGINNING = b'{"id": '


class Verdict(Protocol):
    """The verdict on one row: a dataclass whose fields are those of its line, the id first."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def id(self) -> Id:
        """Of the row."""

    @property
    def verdict(self) -> str:
        """One word."""

    @property
    def fingerprint(self) -> str:
        """Of the row."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The verdicts that one kind of grading can give."""

    all: tuple[str, ...]
    again: str  # the one that says nothing about the row: the next run tries again


class VerdictFile:
    """The verdicts on the rows of one file, those of earlier runs included. Of several on one row the last counts.

    Until it is closed no other run can have it.
    """

    def __init__(self, path: Path, rows: RowFile[Any], verdicts: Verdicts) -> None:
        """Read what is there. A last line that was cut off by a kill is removed.

        Raises:
            GradingError: it holds something else, it is no regular file, or another run is writing it.
            RlenvsError: it cannot be written.
        """
        self._path, self._rows = path, rows
        self._verdicts, self._again = ("", *verdicts.all), verdicts.again
        self._codes = bytearray(len(rows))  # places in `_verdicts`; 0: there is none, or it is to be made again
        self._offsets = array("q", [-1]) * len(rows)
        self._others: dict[Id, int] = {}  # offsets of the lines of rows that are not among these
        self._num_lines = self._end = 0
        with writing(self._what):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(path)
            try:
                self._read()
                self._cut_off()
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        """Let other runs have it."""
        fcntl.flock(self._lock, fcntl.LOCK_UN)  # a process that was forked meanwhile has the file open, too
        self._lock.close()

    @property
    def num_graded(self) -> int:
        """Rows that have a verdict which need not be made again."""
        return len(self._codes) - self._codes.count(0)

    def has(self, id: Id) -> bool:
        """Whether the row has a verdict which need not be made again."""
        return self._codes[self._rows.places[id]] != 0

    def append(self, graded: Iterable[Verdict]) -> None:
        """Write verdicts at the end, at once.

        Raises:
            RlenvsError: they cannot be written.
        """
        with writing(self._what), self._path.open("ab") as file:
            for each in graded:
                line = json.dumps(asdict(each)).encode() + b"\n"
                file.write(line)
                self._note(each.id, each.verdict, self._end)
                self._end += len(line)

    def finish(self) -> Counter[str]:
        """Bring the lines into the order of the rows, those of other rows at the end. How many rows have each verdict.

        Raises:
            RlenvsError: they cannot be written.
        """
        offsets = self._offsets + array("q", self._others.values())
        is_ordered = len(offsets) == self._num_lines and all(a < b for a, b in pairwise(offsets))
        if not is_ordered:  # whoever watches the file need not see a change where there is none
            with writing(self._what), self._path.open("rb") as file:
                replace_content(self._path, _lines_at(offsets, file))
        return Counter(self._verdicts[code] for code in self._codes)

    def _read(self) -> None:
        with self._path.open("rb") as file:
            for number, text in enumerate(file, start=1):
                if not text.endswith(b"\n") and text.startswith(_BEGINNING[: len(text)]):
                    return
                try:
                    line = _parsed(text, self._verdicts[1:])
                except (ValueError, KeyError, TypeError, RecursionError) as error:
                    raise GradingError(
                        f"{self._path}, line {number}: not a line that grading wrote; name another file"
                    ) from error
                is_done = line["verdict"] != self._again and self._rows.has(line["id"], line["fingerprint"])
                self._note(line["id"], line["verdict"] if is_done else "", self._end)
                self._end += len(text)

    def _cut_off(self) -> None:
        if self._path.stat().st_size > self._end:
            with self._path.open("r+b") as file:
                file.truncate(self._end)

    def _note(self, id: Id, verdict: str, offset: int) -> None:
        self._num_lines += 1
        place = self._rows.places.get(id)
        if place is None:
            self._others[id] = offset
        else:
            self._codes[place], self._offsets[place] = self._verdicts.index(verdict), offset

    @property
    def _what(self) -> str:
        return f"the file of verdicts {self._path}"


def _locked(path: Path) -> IO[bytes]:
    """The file, made where it is missing: nobody else's until it is closed or its process ends, however it ends.

    Not `rlenvs.locked`'s lock, which is lost when this process opens the file once more and closes it.
    """
    if path.exists() and not path.is_file():
        raise GradingError(
            f"the verdicts are read and replaced, and {path} is no regular file: name another with --out"
        )
    while True:
        file = path.open("ab")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(path, file):
                return file
        except BlockingIOError as error:
            file.close()
            why = "wait for its end, or name another file with --out"
            raise GradingError(f"another run is writing the verdicts {path}: {why}") from error
        file.close()  # a run that ended meanwhile has replaced it


def _is_at(path: Path, file: IO[bytes]) -> bool:
    """Whether the file that is open is the one that has this name now."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def _parsed(text: bytes, verdicts: tuple[str, ...]) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(text)
    if line["verdict"] not in verdicts or not _FINGERPRINT.fullmatch(line["fingerprint"]):
        raise ValueError("another grader's")
    hash(line["id"])
    return line


def _lines_at(offsets: Iterable[int], file: IO[bytes]) -> Iterator[bytes]:
    for offset in offsets:
        file.seek(offset)
        yield file.readline()
