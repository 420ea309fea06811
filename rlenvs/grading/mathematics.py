"""`grade_math`: grades mathematical answers, each against its reference, in many processes."""

from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import get_args

from rlenvs.grading import processes
from rlenvs.grading.answers import GradingRow, answer_row
from rlenvs.grading.processes import ROW_LIMITS, Graded
from rlenvs.grading.resuming import Progress, graded_file, usable_cores
from rlenvs.grading.rows import RowFile
from rlenvs.grading.verdicts import Verdicts
from rlenvs.isolation import Limits
from rlenvs.verifiers import Equality

VERDICTS = Verdicts(all=get_args(Equality), again="error")


def grade_math(
    path: Path,
    out: Path,
    *,
    num_processes: int | None = None,
    limits: Limits = ROW_LIMITS,
    progress: Progress | None = None,
) -> Mapping[str, int]:
    """Write a verdict for every row of `path` to `out`, in the same order.

    Rows that are there already are not graded again, unless they have changed since or their verdict was `error`.
    While it runs, verdicts stand in `out` in the order in which they came.

    Args:
        path: JSON lines with `id`, `gold` and `answer` (text, numbers or null) and optionally `question`, `form` (bare
            or text); compressed if its name ends in .gz.
        out: another file; JSON lines with `id`, `verdict` (equal, not_equal, bad_gold, error), `ms` and the row's
            `fingerprint`. A last line that was cut off by a kill is written anew; lines of other rows stay, at the end.
        num_processes: that grade at a time; by default one for each processor that may be used.
        limits: of one row; beyond them its verdict is `error`.
        progress: told how far it is.

    Returns:
        How many rows have each verdict, those of earlier runs included.

    Raises:
        GradingError: rows are malformed or cannot be read (all are read before any is graded), `out` holds something
            else, is no regular file or is another run's at the moment, or no process can be started.
        RlenvsError: `out` cannot be written.
    """

    def graded(rows: Iterator[GradingRow], num_rows: int) -> Generator[list[Graded]]:
        return processes.graded(rows, num_rows, num_processes=num_processes or usable_cores(), limits=limits)

    return graded_file(RowFile(path, answer_row, what="answers"), out, VERDICTS, graded, progress)
