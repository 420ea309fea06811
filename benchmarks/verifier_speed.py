"""How fast verdicts come: ours against math-verify's, on the graded replies, on the same cores, in one run.

    python -m benchmarks.verifier_speed [--data ../shared/data/graded_math] [--calls 50000]

Both sides take whole replies or answers as they are, extraction included, one after another in one process. Then so
many calls of ours, every twentieth of computer algebra too, with the memory of this process and its workers on the way.
"""

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from benchmarks import graded_math
from benchmarks.graded_math import Graded
from rlenvs.verifiers import verify

MIB = 2**20
FOR_WORKERS = [
    (r"\sum_{k=1}^{n} k", r"\frac{n(n+1)}{2}"),
    (r"\int_0^1 x^2 dx", r"\frac{1}{3}"),
    (r"\lim_{x\to0}\frac{\sin x}{x}", "1"),
    (r"\prod_{i=1}^{5} i", "121"),
]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("RLENVS_DATA", "../shared/data")) / "graded_math"
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--calls", type=int, default=50_000)
    options = parser.parse_args()
    rows = [row for read in graded_math.SOURCES.values() for row in read(options.data)]
    print(
        f"{len(rows)} graded answers\n\n| | answers/s | p50, ms | p99, ms | max, ms |\n| --- | --- | --- | --- | --- |"
    )
    rates = {}
    for name, verdict in (("rlenvs", graded_math.ours), ("math-verify", graded_math.math_verify)):
        verdict(rows[0])  # what starts on first use has started
        rates[name] = show(name, timed(rows, verdict))
    print(f"| rlenvs / math-verify | **{rates['rlenvs'] / rates['math-verify']:.1f}×** | | | |")
    watch_memory(rows, options.calls)


def timed(rows: list[Graded], verdict: Callable[[Graded], bool]) -> list[float]:
    """Seconds of each verdict."""
    taken = []
    for row in rows:
        started = time.perf_counter()
        verdict(row)
        taken.append(time.perf_counter() - started)
    return taken


def show(name: str, seconds: list[float]) -> float:
    """Print a row; answers per second."""
    rate = len(seconds) / sum(seconds)
    ordered = sorted(seconds)
    p50, p99, most = (1000 * ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.99, 1.0))
    print(f"| {name} | {rate:.0f} | {p50:.3f} | {p99:.2f} | {most:.0f} |", flush=True)
    return rate


def watch_memory(rows: list[Graded], calls: int) -> None:
    """Print the memory of this process and of its workers at five points of so many calls."""
    print("\n| calls | this process, MiB | workers, MiB |\n| --- | --- | --- |")
    process = psutil.Process()
    for done in range(calls):
        graded_math.ours(rows[done % len(rows)])
        if done % 20 == 0:  # what the workers are for: few of the graded references need them
            gold, answer = FOR_WORKERS[done // 20 % len(FOR_WORKERS)]
            verify(gold, answer)
        if (done + 1) % (calls // 5) == 0:
            workers = sum(child.memory_info().rss for child in process.children(recursive=True))
            print(f"| {done + 1} | {process.memory_info().rss / MIB:.0f} | {workers / MIB:.0f} |", flush=True)


if __name__ == "__main__":
    main()
