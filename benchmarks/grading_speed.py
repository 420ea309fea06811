"""How many answers a second `rlenvs grade math` grades with one process and with several, in turn, in one run.

    python -m benchmarks.grading_speed [--data ../shared/data] [--processes 1 2] [--copies 8] [--rounds 3] [--programs]

Every round grades all graded replies anew, so many times over, once with each number of processes; starting them
counts, some seconds for each. The verdicts must be the same. Other work on the machine shows in its load, and hardly in
answers per second of processor time.

`--programs`: as many programs at a time, by `rlenvs grade code`; what they use of the processor is not this process'.
"""

import argparse
import json
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import graded_code, graded_math
from rlenvs.code.records import FunctionTests, Tests
from rlenvs.grading import grade_math
from rlenvs.grading.code import grade_code


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("RLENVS_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--programs", action="store_true", help="Reflexion's solutions of HumanEval's problems")
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--copies", type=int, default=8, help="how many times over they are graded")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    what, written = ("programs", program_rows) if options.programs else ("answers", answer_rows)
    rows = written(options.data) * options.copies
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{what}.jsonl"
        path.write_text("".join(json.dumps({"id": number, **row}) + "\n" for number, row in enumerate(rows)))
        print(f"{len(rows)} {what}; load of the machine before: {os.getloadavg()[0]:.1f}", flush=True)
        grade = grade_programs if options.programs else grade_answers
        show(measured(path, grade, options.processes, options.rounds), len(rows), what)
    print(f"\nload of the machine after: {os.getloadavg()[0]:.1f}")


def answer_rows(data: Path) -> list[dict[str, Any]]:
    """The graded replies as rows to grade."""
    graded = [row for read in graded_math.SOURCES.values() for row in read(data / "graded_math")]
    return [
        {"gold": row.gold, "answer": row.reply, "question": row.question, "form": "text" if row.is_reply else "bare"}
        for row in graded
    ]


def program_rows(data: Path) -> list[dict[str, Any]]:
    """Graded programs as rows to grade."""
    return [{"program": row.program, **_judged_by(row.tests)} for row in graded_code.reflexion_humaneval(data)]


def _judged_by(tests: Tests) -> dict[str, Any]:
    assert isinstance(tests, FunctionTests)
    return {"tests": tests.text, "entry_point": tests.entry_point, "check": tests.check}


def grade_answers(path: Path, out: Path, at_a_time: int) -> None:
    """As `rlenvs grade math --processes` does."""
    grade_math(path, out, num_processes=at_a_time)


def grade_programs(path: Path, out: Path, at_a_time: int) -> None:
    """As `rlenvs grade code --processes` does. The sandbox stays open from one time to the next."""
    grade_code(path, out, num_programs=at_a_time)


def measured(
    path: Path, grade: Callable[[Path, Path, int], None], processes: Sequence[int], rounds: int
) -> dict[int, list[tuple[float, float]]]:
    """(seconds, seconds of processor time) of each round, by the number of processes."""
    seconds: dict[int, list[tuple[float, float]]] = {number: [] for number in processes}
    verdicts = set()
    for turn in range(rounds):
        for number in processes:
            out = path.with_name(f"{turn}-{number}.jsonl")
            started, used = time.perf_counter(), processor_s()
            grade(path, out, number)
            seconds[number].append((time.perf_counter() - started, processor_s() - used))
            verdicts.add(tuple(json.loads(line)["verdict"] for line in out.open()))
    assert len(verdicts) == 1, "the number of processes changed verdicts"
    return seconds


def processor_s() -> float:
    """What this process and those that it has waited for have used so far."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def show(seconds: dict[int, list[tuple[float, float]]], num_rows: int, what: str) -> None:
    """Print rates, and ratios to the first."""
    medians = {
        number: [statistics.median(each) for each in zip(*taken, strict=True)] for number, taken in seconds.items()
    }
    first = next(iter(medians.values()))[0]
    print(f"\n| processes | {what}/s | of the first | {what} per s of processor time |\n| --- | --- | --- | --- |")
    for number, (taken, used) in medians.items():
        per_used = f"{num_rows / used:.0f}" if what == "answers" else "–"
        print(f"| {number} | {num_rows / taken:.0f} | {first / taken:.2f}× | {per_used} |")


if __name__ == "__main__":
    main()
