"""The file of verdicts: JSON lines, appended as the verdicts come, and brought into the order of the rows at the end.

Of a line only its place and verdict stay in memory.
"""

import json
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, get_args

from rlenvs.errors import writing
from rlenvs.grading.processes import Graded
from rlenvs.grading.rows import Answers, GradingError, Id
from rlenvs.replacing import replace_content
from rlenvs.verifiers import Equality

_VERDICTS = ("", *get_args(Equality))  # by code; 0: there is none, or it is to be made again
_FINGERPRINT = re.compile(r"[0-9a-f]{16}")
_BEGINNING = b'{"id": '


class VerdictFile:
    """The verdicts on the rows of one file, those of earlier runs included. Of several on one row the last counts."""

    def __init__(self, path: Path, answers: Answers) -> None:
        """Read what is there. A last line that was cut off by a kill is removed.

        Raises:
            GradingError: it holds something else.
            RlenvsError: it cannot be written.
        """
        self._path, self._answers = path, answers
        self._codes = bytearray(len(answers))
        self._offsets = array("q", [-1]) * len(answers)
        self._others: dict[Id, int] = {}  # offsets of the lines of rows that are not among the answers
        self._num_lines = self._end = 0
        with writing(self._what):
            if path.exists():
                self._read()
                self._cut_off()
            path.parent.mkdir(parents=True, exist_ok=True)
            path.open("ab").close()  # it can be written, and is not touched where it is there

    @property
    def num_graded(self) -> int:
        """Rows that have a verdict which need not be made again."""
        return len(self._codes) - self._codes.count(0)

    def has(self, id: Id) -> bool:
        """Whether the row has a verdict which need not be made again."""
        return self._codes[self._answers.places[id]] != 0

    def append(self, graded: Iterable[Graded]) -> None:
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
        return Counter(_VERDICTS[code] for code in self._codes)

    def _read(self) -> None:
        with self._path.open("rb") as file:
            for number, text in enumerate(file, start=1):
                if not text.endswith(b"\n") and text.startswith(_BEGINNING[: len(text)]):
                    return
                try:
                    line = _parsed(text)
                except (ValueError, KeyError, TypeError, RecursionError) as error:
                    raise GradingError(
                        f"{self._path}, line {number}: not a line that grading wrote; name another file"
                    ) from error
                is_done = line["verdict"] != "error" and self._answers.has(line["id"], line["fingerprint"])
                self._note(line["id"], line["verdict"] if is_done else "", self._end)
                self._end += len(text)

    def _cut_off(self) -> None:
        if self._path.stat().st_size > self._end:
            with self._path.open("r+b") as file:
                file.truncate(self._end)

    def _note(self, id: Id, verdict: str, offset: int) -> None:
        self._num_lines += 1
        place = self._answers.places.get(id)
        if place is None:
            self._others[id] = offset
        else:
            self._codes[place], self._offsets[place] = _VERDICTS.index(verdict), offset

    @property
    def _what(self) -> str:
        return f"the file of verdicts {self._path}"


def _parsed(text: bytes) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(text)
    if line["verdict"] not in get_args(Equality) or not _FINGERPRINT.fullmatch(line["fingerprint"]):
        raise ValueError("another grader's")
    hash(line["id"])
    return line


def _lines_at(offsets: Iterable[int], file: IO[bytes]) -> Iterator[bytes]:
    for offset in offsets:
        file.seek(offset)
        yield file.readline()
