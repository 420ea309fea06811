"""`rlenvs grade math` that is interrupted or killed: no process stays, no row is lost, none is graded twice."""

import json
import signal
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

ROWS = [
    {"id": number, "gold": str(number % 7), "answer": f"So the answer is ${number % 5}$.", "form": "text"}
    for number in range(8_000)
]
RIGHT = sum(number % 7 == number % 5 for number in range(8_000))


def graded(path: Path) -> list[dict[str, object]]:
    """The whole lines of the file of verdicts."""
    return [json.loads(line) for line in path.read_text().split("\n")[:-1]]


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def begun(start, out):
    """The command, with some rows graded, and the processes that it started."""
    child = start("grade", "math", "answers.jsonl", "--out", out, "--processes", 2)
    child.wait_for(lambda: out.exists() and out.stat().st_size > 8_000)
    return child, psutil.Process(child.process.pid).children(recursive=True)


def assert_none_left(processes):
    assert len(processes) >= 2
    _, alive = psutil.wait_procs(processes, timeout=20)
    assert not alive


def assert_resumed(rlenvs, out):
    """Run again, it goes on: what was there stays, and every row has one verdict, in order."""
    before = {line["id"]: line for line in graded(out)}
    assert 0 < len(before) < len(ROWS)
    done = rlenvs("grade", "math", "answers.jsonl", "--out", out, "--json")
    assert (done.code, json.loads(done.out)["verdicts"]) == (0, {"equal": RIGHT, "not_equal": len(ROWS) - RIGHT})
    after = graded(out)
    assert [line["id"] for line in after] == [row["id"] for row in ROWS]
    assert all(after[number] == line for number, line in before.items())


def test_killed_in_the_middle_it_goes_on_where_it_was(answers, start, rlenvs):
    out = answers.with_name("verdicts.jsonl")
    child, processes = begun(start, out)
    assert child.kill() == 137
    assert_none_left(processes)
    assert_resumed(rlenvs, out)


def test_ctrl_c_leaves_no_process_and_a_file_that_goes_on(answers, start, rlenvs):
    out = answers.with_name("verdicts.jsonl")
    child, processes = begun(start, out)
    started = time.monotonic()
    child.signal(signal.SIGINT)
    done = child.wait()
    assert (done.code, done.out, done.err) == (130, "", "")
    assert time.monotonic() - started < 10
    assert_none_left(processes)
    assert_resumed(rlenvs, out)


def test_a_process_that_is_killed_is_replaced_and_no_row_is_lost(answers, start):
    out = answers.with_name("verdicts.jsonl")
    child, processes = begun(start, out)
    processes[0].kill()
    assert child.wait().code == 0
    lines = graded(out)
    assert [line["id"] for line in lines] == [row["id"] for row in ROWS]
    assert Counter(line["verdict"] for line in lines) == {"equal": RIGHT, "not_equal": len(ROWS) - RIGHT}
