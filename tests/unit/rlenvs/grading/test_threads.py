"""Programs at a time: how many, how far ahead rows are read, and what becomes of them when nobody wants verdicts."""

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from rlenvs.grading.programs import ProgramRow, program_row
from rlenvs.grading.threads import judged_rows
from rlenvs_sandbox import Limits, Outcome, Program, SandboxError


class Runner:
    """Runs nothing: what becomes of a program is what `text` says."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.num_runs = self.num_now = self.most = 0
        self.can_end = threading.Event()

    def run(self, program: Program, limits: Limits) -> Outcome:
        with self.lock:
            self.num_runs += 1
            self.num_now += 1
            self.most = max(self.most, self.num_now)
        try:
            if program.text == "broken":
                raise SandboxError("no sandbox is left")
            if program.text == "bug":
                raise KeyError("of ours")
            if program.text == "long":
                self.can_end.wait(10)
            time.sleep(0.005)
            return Outcome(status="pass", stdout=b"1")
        finally:
            with self.lock:
                self.num_now -= 1


def rows(texts: list[str], num_cases: int = 1) -> list[ProgramRow]:
    cases = [{"expected_stdout": "1"}] * num_cases
    return [program_row({"id": id, "program": text, "cases": cases}) for id, text in enumerate(texts)]


def verdicts(runner: Any, given: list[ProgramRow], num_threads: int = 2) -> dict[Any, str]:
    return {each.id: each.verdict for some in judged_rows(given, runner, num_threads=num_threads) for each in some}


@pytest.mark.parametrize("num_threads", [1, 3])
def test_so_many_run_at_a_time_and_no_more(num_threads: int) -> None:
    runner = Runner()
    assert verdicts(runner, rows(["fine"] * 30), num_threads) == dict.fromkeys(range(30), "pass")
    assert (runner.most, runner.num_runs) == (num_threads, 30)


def test_a_sandbox_that_breaks_is_no_wrong_answer_and_no_end() -> None:
    given = rows(["fine", "broken", "fine"])
    assert verdicts(Runner(), given) == {0: "pass", 1: "sandbox_error", 2: "pass"}


def test_a_bug_of_ours_is_no_verdict() -> None:
    with pytest.raises(KeyError, match="of ours"):
        verdicts(Runner(), rows(["fine"] * 3 + ["bug"]))


def test_rows_are_not_read_long_before_they_can_be_graded() -> None:
    read = 0

    def endless() -> Iterator[ProgramRow]:
        nonlocal read
        while True:
            read += 1
            yield rows(["fine"])[0]

    num_graded = 0
    with closing(judged_rows(endless(), Runner(), num_threads=2)) as graded:  # type: ignore[arg-type]
        while num_graded < 50:
            num_graded += len(next(graded))
    assert num_graded <= read <= num_graded + 4


def test_who_stops_waits_for_what_runs_and_begins_no_other_case() -> None:
    runner = Runner()
    graded = judged_rows(rows(["fine", "long"] + ["fine"] * 9, num_cases=50), runner, num_threads=2)  # type: ignore[arg-type]
    next(graded)
    threading.Timer(0.2, runner.can_end.set).start()
    started = time.monotonic()
    graded.close()
    assert 0.1 < time.monotonic() - started < 5
    num_runs = runner.num_runs
    assert runner.num_now == 0
    assert num_runs < 2 * 50 + 2, "the long one has run one case, and the third program hardly any"
    time.sleep(0.05)
    assert runner.num_runs == num_runs
