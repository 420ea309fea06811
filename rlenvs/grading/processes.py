"""Verdicts from many processes: rows are handed out in chunks, and a process that is lost costs no other row anything.

The processes are `rlenvs.isolation`'s, each with its own verifier: they can be ended one by one, at a deadline or where
memory runs out, and are replaced. concurrent.futures has neither: one process that dies breaks its whole pool.
"""

import itertools
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rlenvs.errors import RlenvsError
from rlenvs.grading.answers import GradingRow
from rlenvs.grading.rows import GradingError, Id
from rlenvs.isolation.pool import LateError, Limits, ProcessPool, StoppedError
from rlenvs.verifiers import Equality

ROW_LIMITS = Limits(wall_s=120.0, cpu_s=30)
"""Of one row: above what the verifier allows itself, whose own limits decide on answers. Beyond them it is broken."""

_KIND = Path(__file__).with_name("worker.py")
_CHUNK = (4, 32)  # rows of one request, at least and at most: a request costs 0.1 ms, a row 0.7
_AHEAD = 2  # chunks for each process that are read before they can be graded


@dataclass(frozen=True, slots=True)
class Graded:
    """The verdict on one row."""

    id: Id
    verdict: Equality
    ms: float  # that the verdict took; 0 where there is none
    fingerprint: str  # of the row


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What came of one chunk: verdicts, and chunks that are to be graded yet."""

    graded: list[Graded]
    left: list[list[GradingRow]]


def graded(
    rows: Iterable[GradingRow],
    num_rows: int,
    *,
    num_processes: int,
    limits: Limits = ROW_LIMITS,
    kind: Path = _KIND,
) -> Generator[list[Graded]]:
    """A verdict on every row, as they come: not in the order of the rows.

    A row whose process goes beyond the limits, or is lost, has the verdict `error`; the other rows of its chunk are
    graded once more, each by itself. Closing the iterator ends the processes.

    Args:
        num_rows: how many they are.
        num_processes: at most; each is started when there is a chunk for it.
        kind: what a process serves, see `worker`.

    Raises:
        GradingError: a process cannot be started.
    """
    pool = ProcessPool(kind, limits, setup=sys.path, size=num_processes)
    executor = ThreadPoolExecutor(num_processes, thread_name_prefix="grading")
    size = min(max(_CHUNK[0], num_rows // (4 * num_processes)), _CHUNK[1])
    chunks = iter(partial(_next, iter(rows), size), [])
    try:
        yield from _all(chunks, pool, executor)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        pool.interrupt()
        executor.shutdown()
        pool.close()


def _next(rows: Iterator[GradingRow], size: int) -> list[GradingRow]:
    return list(itertools.islice(rows, size))


def _all(unread: Iterator[list[GradingRow]], pool: ProcessPool, executor: ThreadPoolExecutor) -> Iterator[list[Graded]]:
    first = executor.submit(pool.ask, [])
    again: deque[list[GradingRow]] = deque()
    running: set[Future[_Outcome]] = set()
    while True:
        while len(running) < _AHEAD * pool.size and (chunk := again.popleft() if again else next(unread, None)):
            running.add(executor.submit(_outcome, chunk, pool))
        if not running:
            return
        _check(first)
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            outcome = future.result()
            again.extend(outcome.left)
            if outcome.graded:
                yield outcome.graded


def _check(first: Future[Any]) -> None:
    """That a process can be started at all: where none can, rows have not failed."""
    try:
        first.result()
    except RlenvsError as error:
        raise GradingError(f"no grading process can be started: {error}") from error


def _outcome(rows: list[GradingRow], pool: ProcessPool) -> _Outcome:
    try:
        answers = _asked(rows, pool)
    except (RlenvsError, TimeoutError):  # whatever became of the process: rows are what it was given
        if len(rows) > 1:
            return _Outcome([], [[row] for row in rows])
        answers = [("error", 0.0)]
    verdicts = [Graded(row.id, verdict, ms, row.fingerprint) for row, (verdict, ms) in zip(rows, answers, strict=False)]
    left = rows[len(verdicts) :]
    return _Outcome(verdicts, [left] if left else [])


def _asked(rows: list[GradingRow], pool: ProcessPool) -> list[tuple[Equality, float]]:
    request = [(row.gold, row.answer, row.question, row.form) for row in rows]
    try:
        answers: list[tuple[Equality, float]] = pool.ask(request)
    except StoppedError as stopped:
        if len(rows) > 1 or stopped.by_request or isinstance(stopped, LateError):
            raise
        answers = pool.ask(request)  # the process may have been killed before it was asked
    return answers
