"""Runs two sides of a comparison in turn, each in a process of its own, and prints medians and their ratio.

A side is this interpreter with `-m MODULE --side NAME …`; it prints one JSON object per line, whose last is its result:
{"seconds": …, "peak_mib": …}. Peak memory is what the work added to the process, above what the loaded model took.
"""

import json
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

MIB = 1024  # ru_maxrss is in KiB on Linux


def compare(module: str, sides: Sequence[str], arguments: Sequence[str], rounds: int) -> dict[str, dict[str, float]]:
    """Run every side `rounds` times, in turn; the medians by side."""
    results: dict[str, list[dict[str, float]]] = {side: [] for side in sides}
    for number in range(rounds):
        for side in sides:
            results[side].append(_run(module, side, arguments))
            print(f"round {number + 1}/{rounds}  {side:14} {_figures(results[side][-1])}", flush=True)
    return {
        side: {name: statistics.median(run[name] for run in runs) for name in runs[0]} for side, runs in results.items()
    }


def show(title: str, medians: dict[str, dict[str, float]], ours: str, theirs: str) -> None:
    """The table that the README quotes."""
    print(f"\n{title}\n\n| | seconds | peak memory above the model, MiB |\n| --- | --- | --- |")
    for side in (ours, theirs):
        print(f"| {side} | {medians[side]['seconds']:.2f} | {medians[side]['peak_mib']:.0f} |")
    ratios = [medians[theirs][name] / medians[ours][name] for name in ("seconds", "peak_mib")]
    print(f"| {theirs} / {ours} | **{ratios[0]:.2f}×** | **{ratios[1]:.2f}×** |")


def measured(work: Callable[[], float]) -> None:
    """Print what a side found: `work` does it and gives the seconds that count."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = work()
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"seconds": seconds, "peak_mib": max(1.0, (after - before) / MIB)}))


def _run(module: str, side: str, arguments: Sequence[str]) -> dict[str, float]:
    command = [sys.executable, "-m", module, "--side", side, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-3000:]}")
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def _figures(result: dict[str, float]) -> str:
    return f"{result['seconds']:.2f} s, {result['peak_mib']:.0f} MiB"
