"""`rlenvs grade code` that is interrupted or killed: nothing keeps running, no program is lost, none is run twice."""

import json
import signal
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

NUM_ROWS = 120
ROWS = [
    {
        "id": number,
        "program": f"import time\ntime.sleep(0.02)\nprint({number % 3})\n",
        "expected_stdout": "1\n",
    }
    for number in range(NUM_ROWS)
]
COUNTS = {"pass": NUM_ROWS // 3, "fail": NUM_ROWS - NUM_ROWS // 3}


def graded(path: Path) -> list[dict[str, object]]:
    """The whole lines of the file of verdicts."""
    return [json.loads(line) for line in path.read_text().split("\n")[:-1]]


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    path = tmp_path / "programs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def begun(start, programs, out):
    """The command, with some programs graded, and the processes that it started."""
    child = start("grade", "code", programs.name, "--out", out, "--processes", 2)
    child.wait_for(lambda: out.exists() and out.stat().st_size > 1_500)
    return child, psutil.Process(child.process.pid).children(recursive=True)


def assert_none_left(processes):
    assert len(processes) >= 2
    _, alive = psutil.wait_procs(processes, timeout=20)
    assert not alive


def assert_resumed(rlenvs, programs, out):
    """Run again, it goes on: what was there stays, and every row has one verdict, in order."""
    before = {line["id"]: line for line in graded(out)}
    assert 0 < len(before) < NUM_ROWS
    done = rlenvs("grade", "code", programs.name, "--out", out, "--json")
    assert (done.code, json.loads(done.out)["verdicts"]) == (0, COUNTS)
    after = graded(out)
    assert [line["id"] for line in after] == [row["id"] for row in ROWS]
    assert all(after[number] == line for number, line in before.items())


def test_killed_in_the_middle_it_goes_on_where_it_was(programs, start, rlenvs):
    out = programs.with_name("verdicts.jsonl")
    child, processes = begun(start, programs, out)
    assert child.kill() == 137
    assert_none_left(processes)
    assert_resumed(rlenvs, programs, out)


def test_ctrl_c_leaves_no_process_and_a_file_that_goes_on(programs, start, rlenvs):
    out = programs.with_name("verdicts.jsonl")
    child, processes = begun(start, programs, out)
    started = time.monotonic()
    child.signal(signal.SIGINT)
    done = child.wait()
    assert (done.code, done.out, done.err) == (130, "", "")
    assert time.monotonic() - started < 10
    assert_none_left(processes)
    assert_resumed(rlenvs, programs, out)


def test_a_worker_of_the_sandbox_that_is_killed_costs_no_program_its_verdict(programs, start):
    out = programs.with_name("verdicts.jsonl")
    child, processes = begun(start, programs, out)
    assert "rlenvs_sandbox" in " ".join(processes[0].cmdline())
    processes[0].kill()
    assert child.wait().code == 0
    lines = graded(out)
    assert [line["id"] for line in lines] == [row["id"] for row in ROWS]
    assert Counter(line["verdict"] for line in lines) == COUNTS
