"""Verdicts on programs, a few at a time: each waits in a thread of its own, while its program runs in the sandbox."""

import itertools
import time
from collections.abc import Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, cast

from rlenvs.code.judging import judged
from rlenvs.code.records import OutputTests
from rlenvs.grading.programs import ProgramRow
from rlenvs.grading.rows import Id
from rlenvs_sandbox import Outcome, Runner, SandboxError, Status

_AHEAD = 2  # rows for each thread that are read before they can be graded
_DETAIL = 300  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedProgram:
    """The verdict on one row."""

    id: Id
    verdict: Status
    passed: int  # tests
    total: int
    ms: float  # that the verdict took
    detail: str  # why it is no pass, for people; at most so many characters
    fingerprint: str  # of the row


def judged_rows(rows: Iterable[ProgramRow], runner: Runner, *, num_threads: int) -> Generator[list[GradedProgram]]:
    """A verdict on every row, as they come: not in the order of the rows.

    Closing the iterator waits for the programs that run, and begins no other one.
    """
    executor = ThreadPoolExecutor(num_threads, thread_name_prefix="grading")
    until_closed = _UntilClosed(runner)
    unread = iter(rows)
    running: set[Future[GradedProgram]] = set()
    try:
        while True:
            for row in itertools.islice(unread, _AHEAD * num_threads - len(running)):
                running.add(executor.submit(_graded, row, cast(Runner, until_closed)))
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            yield [future.result() for future in done]
    finally:
        until_closed.is_closed = True
        executor.shutdown(cancel_futures=True)


class _ClosedError(Exception):
    """Nobody waits for the verdict any more."""


class _UntilClosed:
    """A runner, until nobody wants verdicts any more: a program may have many cases to run yet."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self.is_closed = False

    def __getattr__(self, name: str) -> Any:
        if self.is_closed:
            raise _ClosedError
        return getattr(self._runner, name)


def _graded(row: ProgramRow, runner: Runner) -> GradedProgram:
    started = time.perf_counter()
    outcome = _outcome(row, runner)
    ms = round((time.perf_counter() - started) * 1000, 3)
    is_of_cases = isinstance(row.tests, OutputTests) and outcome.failures
    return GradedProgram(
        id=row.id,
        verdict=outcome.status,
        passed=outcome.passed,
        total=outcome.total,
        ms=ms,
        detail=_short(outcome.failures[0] if is_of_cases else outcome.detail),  # the former says which case it was
        fingerprint=row.fingerprint,
    )


def _outcome(row: ProgramRow, runner: Runner) -> Outcome:
    program = row.program()
    if program is None:
        total = len(row.tests.cases) if isinstance(row.tests, OutputTests) else 0
        given = "the reply gives no program" if row.text is not None else "no program was given"
        return Outcome(status="fail", total=total, detail=given)
    try:
        return judged(program, row.tests, runner, row.limits, language=row.language)
    except SandboxError as error:
        return Outcome(status="sandbox_error", detail=str(error))


def _short(detail: str) -> str:
    return detail if len(detail) <= _DETAIL else f"{detail[: _DETAIL - 1]}…"
