"""A run of grading, of whatever kind: rows that have a verdict are left out, and the rest are written as they come."""

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from rlenvs.errors import writing
from rlenvs.grading.rows import GradingError, Row, RowFile
from rlenvs.grading.verdicts import Verdict, VerdictFile, Verdicts

Progress = Callable[[int, int], None]
"""(rows done, rows in all), once at the start and whenever more are done."""

R = TypeVar("R", bound=Row)


def usable_cores() -> int:
    """How many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # macOS has none
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def graded_file(
    rows: RowFile[R],
    out: Path,
    verdicts: Verdicts,
    grade: Callable[[Iterator[R], int], Generator[Sequence[Verdict]]],
    progress: Progress | None = None,
) -> Mapping[str, int]:
    """Write a verdict for every row to `out`, in their order. While it runs they stand there as they came.

    Args:
        verdicts: that this kind of grading gives.
        grade: gives the verdicts on rows, of which it is told the number, in any order; called if there are rows left.
        progress: told how far it is.

    Returns:
        How many rows have each verdict, those of earlier runs included.

    Raises:
        GradingError: `out` holds something else, is no regular file, is the rows' own or another run's at the moment.
        RlenvsError: `out` cannot be written.
    """
    _refuse_same(rows, out)
    with closing(VerdictFile(out, rows, verdicts)) as file:
        num_left = len(rows) - file.num_graded
        if progress:
            progress(file.num_graded, len(rows))
        if num_left:
            with closing(grade(_left(rows, file), num_left)) as graded:
                for some in graded:
                    file.append(some)
                    if progress:
                        progress(file.num_graded, len(rows))
        return dict(file.finish())


def _left(rows: Iterable[R], file: VerdictFile) -> Iterator[R]:
    return (row for row in rows if not file.has(row.id))


def _refuse_same(rows: RowFile[R], out: Path) -> None:
    path = rows.path
    with writing(f"the file of verdicts {out}"):
        is_one_file = path.resolve() == out.resolve() or (out.exists() and path.samefile(out))
    if is_one_file:
        raise GradingError(
            f"the verdicts would replace the {rows.what}: {out} is the file {path}. Name another with --out."
        )
