import itertools
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from rlenvs.grading.answers import GradingRow
from rlenvs.grading.processes import Graded, graded
from rlenvs.grading.resuming import usable_cores
from rlenvs.grading.rows import GradingError
from rlenvs.isolation import Limits

OBEDIENT = Path(__file__).with_name("obedient.py")
LIMITS = Limits(wall_s=2.0, cpu_s=2)


def rows_of(answers: list[str], gold: str = "1") -> list[GradingRow]:
    return [GradingRow(id=number, gold=gold, answer=answer) for number, answer in enumerate(answers)]


def verdicts(rows: list[GradingRow], num_processes: int = 2) -> dict[int | str, str]:
    found = [
        each
        for some in graded(rows, len(rows), num_processes=num_processes, limits=LIMITS, kind=OBEDIENT)
        for each in some
    ]
    assert Counter(each.id for each in found) == Counter(row.id for row in rows), "each of them, once"
    assert all(each.fingerprint == rows[int(each.id)].fingerprint for each in found)
    return {each.id: each.verdict for each in found}


def is_gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


@pytest.mark.parametrize("poison", ["dies", "sleeps", "allocates", "raises", "nests"])
def test_only_the_row_that_ends_its_process_is_an_error(poison: str) -> None:
    rows = rows_of(["fine"] * 50 + [poison] + ["fine"] * 150)
    assert verdicts(rows) == {number: "error" if number == 50 else "equal" for number in range(201)}


def test_a_process_that_was_killed_costs_no_row_its_verdict(tmp_path: Path) -> None:
    rows = rows_of(["fine"] * 10 + ["dies once"] + ["fine"] * 100, gold=str(tmp_path / "killed"))
    assert set(verdicts(rows).values()) == {"equal"}
    assert (tmp_path / "killed").exists()


def test_what_a_process_has_no_time_for_is_asked_again() -> None:
    assert verdicts(rows_of(["fine", "partly"] * 20), num_processes=1) == dict.fromkeys(range(40), "equal")


def test_rows_are_not_read_long_before_they_can_be_graded() -> None:
    read = 0

    def endless() -> Iterator[GradingRow]:
        nonlocal read
        for read in itertools.count(1):
            yield GradingRow(id=read, gold="1", answer="fine")

    with closing(graded(endless(), 10**6, num_processes=2, kind=OBEDIENT)) as chunks:
        for _ in range(100):
            done = len(next(chunks))
    assert done == 32
    assert 3200 <= read <= 3200 + 6 * 32


def test_one_who_stops_leaves_no_process_behind() -> None:
    before = set(psutil.Process().children())
    rows = iter(rows_of(["fine"] * 40 + ["sleeps"] * 400))
    chunks = graded(rows, 440, num_processes=2, limits=Limits(wall_s=60), kind=OBEDIENT)
    next(chunks)
    processes = set(psutil.Process().children()) - before
    assert processes
    started = time.monotonic()
    chunks.close()
    assert time.monotonic() - started < 10, "nobody waits for a row's deadline"
    assert all(is_gone(process.pid) for process in processes)
    assert set(psutil.Process().children()) <= before


def test_where_no_process_can_be_started_no_row_has_failed(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("def prepare(path):\n    raise ImportError('no verifier here')\n")
    with pytest.raises(GradingError, match="no grading process can be started: ImportError: no verifier here"):
        list(graded(rows_of(["fine"] * 9), 9, num_processes=2, kind=broken))


def test_the_verifier_itself_is_killed_at_work_and_every_row_has_its_verdict() -> None:
    rows = [GradingRow(id=number, gold=str(number), answer=str(number % 100)) for number in range(2000)]
    killed: set[int] = set()
    found: list[Graded] = []
    for some in graded(rows, len(rows), num_processes=2):
        found += some
        for process in psutil.Process().children():
            if len(killed) < 2 and process.pid not in killed and "worker.py" in " ".join(process.cmdline()):
                os.kill(process.pid, signal.SIGKILL)
                killed.add(process.pid)
    assert len(killed) == 2
    assert Counter(each.verdict for each in found) == {"equal": 100, "not_equal": 1900}
    assert Counter(each.id for each in found) == Counter(range(2000))


def test_the_cores_are_those_that_may_be_used() -> None:
    assert 1 <= usable_cores() <= (os.cpu_count() or 1)
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        assert usable_cores() == 1
    finally:
        os.sched_setaffinity(0, allowed)
