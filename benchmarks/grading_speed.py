"""How many answers a second `rlenvs grade math` grades with one process and with several, in turn, in one run.

    python -m benchmarks.grading_speed [--data ../shared/data/graded_math] [--processes 1 2] [--copies 8] [--rounds 3]

Every round grades all graded replies anew, so many times over, once with each number of processes; starting them
counts, some seconds for each. The verdicts must be the same. Other work on the machine shows in its load, and hardly in
answers per second of processor time.
"""

import argparse
import json
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import graded_math
from rlenvs.grading import grade_math


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("RLENVS_DATA", "../shared/data")) / "graded_math"
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--copies", type=int, default=8, help="how many times over the replies are graded")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder) / "answers.jsonl"
        num_rows = write_answers(answers, options.data, options.copies)
        print(f"{num_rows} answers; load of the machine before: {os.getloadavg()[0]:.1f}", flush=True)
        show(measured(answers, options.processes, options.rounds), num_rows)
    print(f"\nload of the machine after: {os.getloadavg()[0]:.1f}")


def write_answers(path: Path, data: Path, copies: int) -> int:
    """The graded replies as rows to grade; how many they are."""
    graded = [row for read in graded_math.SOURCES.values() for row in read(data)]
    with path.open("w") as file:
        for number, row in enumerate(graded * copies):
            form = "text" if row.is_reply else "bare"
            line = {"id": number, "gold": row.gold, "answer": row.reply, "question": row.question, "form": form}
            file.write(json.dumps(line) + "\n")
    return len(graded) * copies


def measured(answers: Path, processes: Sequence[int], rounds: int) -> dict[int, list[tuple[float, float]]]:
    """(seconds, seconds of processor time) of each round, by the number of processes."""
    seconds: dict[int, list[tuple[float, float]]] = {number: [] for number in processes}
    verdicts = set()
    for turn in range(rounds):
        for number in processes:
            out = answers.with_name(f"{turn}-{number}.jsonl")
            started, used = time.perf_counter(), processor_s()
            grade_math(answers, out, num_processes=number)
            seconds[number].append((time.perf_counter() - started, processor_s() - used))
            verdicts.add(tuple(json.loads(line)["verdict"] for line in out.open()))
    assert len(verdicts) == 1, "the number of processes changed verdicts"
    return seconds


def processor_s() -> float:
    """What this process and those that it has waited for have used so far."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def show(seconds: dict[int, list[tuple[float, float]]], num_rows: int) -> None:
    """Print rates, and ratios to the first."""
    medians = {
        number: [statistics.median(each) for each in zip(*taken, strict=True)] for number, taken in seconds.items()
    }
    first = next(iter(medians.values()))[0]
    print("\n| processes | answers/s | of the first | answers per s of processor time |\n| --- | --- | --- | --- |")
    for number, (taken, used) in medians.items():
        print(f"| {number} | {num_rows / taken:.0f} | {first / taken:.2f}× | {num_rows / used:.0f} |")


if __name__ == "__main__":
    main()
