"""Grading answers that exist already: the core of `rlenvs grade math`, in many processes and resumable.

Rows go in and come out as JSON lines. Whether an answer is right belongs to `rlenvs.verifiers`.
"""

from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

from rlenvs.errors import writing
from rlenvs.grading import processes
from rlenvs.grading.processes import ROW_LIMITS
from rlenvs.grading.rows import Answers, GradingError
from rlenvs.grading.verdicts import VerdictFile
from rlenvs.isolation import Limits

__all__ = ["GradingError", "Progress", "grade_math"]

Progress = Callable[[int, int], None]
"""(rows done, rows in all), once at the start and whenever more are done."""


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
        path: JSON lines with `id`, `gold` and `answer` (text or numbers) and optionally `question`, `form` (bare or
            text).
        out: another file; JSON lines with `id`, `verdict` (equal, not_equal, bad_gold, error), `ms` and the row's
            `fingerprint`. A last line that was cut off by a kill is written anew; lines of other rows stay, at the end.
        num_processes: that grade at a time; by default one for each processor that may be used.
        limits: of one row; beyond them its verdict is `error`.
        progress: told how far it is.

    Returns:
        How many rows have each verdict, those of earlier runs included.

    Raises:
        GradingError: rows are malformed or cannot be read (all are read before any is graded), `out` holds something
            else, or no process can be started.
        RlenvsError: `out` cannot be written.
    """
    answers = Answers(path)
    _refuse_same(path, out)
    verdicts = VerdictFile(out, answers)
    num_left = len(answers) - verdicts.num_graded
    if progress:
        progress(verdicts.num_graded, len(answers))
    if num_left:
        left = (row for row in answers if not verdicts.has(row.id))
        cores = num_processes or processes.usable_cores()
        with closing(processes.graded(left, num_left, num_processes=cores, limits=limits)) as graded:
            for some in graded:
                verdicts.append(some)
                if progress:
                    progress(verdicts.num_graded, len(answers))
    return dict(verdicts.finish())


def _refuse_same(path: Path, out: Path) -> None:
    with writing(f"the file of verdicts {out}"):
        is_one_file = path.resolve() == out.resolve() or (out.exists() and path.samefile(out))
    if is_one_file:
        raise GradingError(
            f"the verdicts would replace the answers: {out} is the file {path}. Name another with --out."
        )
