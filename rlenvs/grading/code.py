"""`grade_code`: grades programs in a sandbox, each by its tests."""

from collections.abc import Generator, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import get_args

from rlenvs.code.sandboxes import Sandbox
from rlenvs.grading.programs import ProgramRow, program_row
from rlenvs.grading.resuming import Progress, graded_file, usable_cores
from rlenvs.grading.rows import RowFile
from rlenvs.grading.threads import GradedProgram, judged_rows
from rlenvs.grading.verdicts import Verdicts
from rlenvs_sandbox import Status

VERDICTS = Verdicts(all=get_args(Status), again="sandbox_error")
DEFAULT_SANDBOX = Sandbox()


def grade_code(
    path: Path,
    out: Path,
    *,
    sandbox: Sandbox = DEFAULT_SANDBOX,
    num_programs: int | None = None,
    data: str = "",
    progress: Progress | None = None,
) -> Mapping[str, int]:
    """Write a verdict for every row of `path` to `out`, in the same order.

    Rows that are there already are not graded again, unless they have changed since or their verdict was
    `sandbox_error`. While it runs, verdicts stand in `out` in the order in which they came.

    Args:
        path: JSON lines with `id`, `program` or `reply` (which gives one), and what it is judged by: `tests` (Python,
            with `entry_point` and `check` if need be), `cases` (`stdin`, `expected_stdout`), one case without a list,
            or `problem`, the id of one of `rlenvs.code.data`. Optionally `language`, `stub` (that a reply continues),
            `limits`, and of what is printed `comparison`, `float_tol`, `checker`; compressed if its name ends in .gz.
        out: another file; JSON lines with the fields of `threads.GradedProgram`. A last line that was cut off by a kill
            is written anew; lines of other rows stay, at the end.
        sandbox: opened when there is something to grade.
        num_programs: that are graded at a time; at most, and by default, one for each processor that may be used.
        data: where problems are that rows name: a folder, or "hub"; empty for the folder named by RLENVS_DATA.
        progress: told how far it is.

    Returns:
        How many rows have each verdict, those of earlier runs included.

    Raises:
        GradingError: rows are malformed or cannot be read (all are read before any is graded), or `out` holds something
            else, is no regular file or is another run's at the moment.
        MakingError: the sandbox is unknown, cannot be opened, or does not hold what it has to.
        RlenvsError: `out` cannot be written.
    """

    def graded(rows: Iterator[ProgramRow], _num_rows: int) -> Generator[list[GradedProgram]]:
        sandbox.check()
        cores = usable_cores()  # as many as the sandbox runs at a time: more would wait, and count that as their time
        return judged_rows(rows, sandbox.runner(), num_threads=min(num_programs or cores, cores))

    return graded_file(
        RowFile(path, partial(program_row, data=data, sandbox=sandbox.name), what="programs"),
        out,
        VERDICTS,
        graded,
        progress,
    )
