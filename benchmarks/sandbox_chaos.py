"""Programs run while workers, runners and containers are killed at random: each gets one verdict, the right one.

    python -m benchmarks.sandbox_chaos [--sandbox bubblewrap] [--programs 10000] [--seed 0]

A process with a sandbox runs programs, four at a time. Meanwhile its workers are killed (an agent, what encloses it, a
container), and every few seconds the process itself, whole; another one then takes up what has no verdict yet. At the
end nothing may be left: no process, mount, cgroup, container or folder. The last process is not killed but watched: it
has to end with the descriptors that it had at its start, and with about the memory that it had after a quarter.

Exits with 1 where something is wrong. `benchmarks/sandbox_victim.py` is the process that is killed.
"""

import argparse
import json
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.sandbox_leftovers import Seen
from benchmarks.sandbox_victim import expected

MEAN_S = {"bubblewrap": 0.1, "process": 0.1, "docker": 1.0}
"""Between two kills of a worker."""
LIFE_S = {"bubblewrap": (2.0, 6.0), "process": (2.0, 6.0), "docker": (15.0, 30.0)}
"""Of a process, until the part of the programs that the last one gets."""
IN_FLIGHT = 8
LAST_PART = 0.4


@dataclass
class Tally:
    """What came of all programs."""

    verdicts: dict[int, list[str]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    num_lost: int = 0  # whose worker was killed three times
    kills: Counter[str] = field(default_factory=Counter)
    stats: list[dict[str, int]] = field(default_factory=list)  # of the last process

    def take(self, report: dict[str, Any]) -> None:
        """Count one verdict, and see whether it is right."""
        number = report["number"]
        self.verdicts.setdefault(number, []).append(report["status"])
        if "sandboxes were lost" in report["detail"]:
            self.num_lost += 1
        elif report["status"] != expected(number)[1]:
            self.wrong.append(f"{number}: {expected(number)[1]} expected, got {report['status']} ({report['detail']})")


class Victim:
    """A process that runs programs."""

    def __init__(self, sandbox: str) -> None:
        """Start it, and wait until its sandbox is open."""
        command = [sys.executable, "-m", "benchmarks.sandbox_victim", sandbox]
        root = Path(__file__).parents[1]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root)
        self.hello = self.receive()
        self.born = time.monotonic()

    def send(self, message: dict[str, Any]) -> None:
        """Ask it for something; it may be dead."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def receive(self) -> dict[str, Any] | None:
        """What it says next; None where it has ended."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        return json.loads(line) if line.endswith("\n") else None  # half a line of one that was killed says nothing

    def kill(self) -> None:
        """End it at once, with nobody to clean up behind it."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


class Killer(threading.Thread):
    """Kills workers of whatever process is there."""

    def __init__(self, sandbox: str, seed: int, seen: Seen, tally: Tally) -> None:
        super().__init__(daemon=True)
        self._mean_s = MEAN_S[sandbox]
        self._random = random.Random(seed)
        self._seen = seen
        self._tally = tally
        self._is_over = threading.Event()
        self.victim: Victim | None = None

    def run(self) -> None:
        """Kill until it is stopped."""
        while not self._is_over.wait(self._random.expovariate(1 / self._mean_s)):
            victim = self.victim
            if victim is not None:
                workers = self._seen.workers_of(victim.process.pid)
                if workers:
                    self._tally.kills[self._seen.kill(self._random.choice(workers))] += 1

    def stop(self) -> None:
        """Kill nothing any more."""
        self._is_over.set()
        self.join()


def chaos(sandbox: str, count: int, seed: int) -> tuple[Tally, list[str]]:
    """Run all of it.

    Returns:
        What came of the programs, and what is wrong, in words.
    """
    tally, seen = Tally(), Seen(sandbox)
    killer = Killer(sandbox, seed, seen, tally)
    killer.start()
    chance = random.Random(seed + 1)
    left = list(range(count))
    try:
        while left:
            is_last = len(left) <= count * LAST_PART
            victim = Victim(sandbox)
            assert victim.hello is not None, "the process with the sandbox did not start"
            seen.owners.add(victim.hello["owner"])
            killer.victim = victim
            end = float("inf") if is_last else victim.born + chance.uniform(*LIFE_S[sandbox])
            _serve(victim, left, tally, end, count * LAST_PART if not is_last else 0)
            killer.victim = None
            if is_last and not left:
                _end(victim, tally)
            else:
                if victim.process.poll() is not None:
                    tally.wrong.append(f"a process with a sandbox ended by itself, with {victim.process.returncode}")
                victim.kill()
                tally.kills["runner"] += 1
    finally:
        killer.stop()
    _open_and_close(sandbox, seen)
    return tally, _wrong(tally, count) + seen.leftovers()


def _serve(victim: Victim, left: list[int], tally: Tally, end: float, until_left: float) -> None:
    """Give a process programs until its end has come, or as few are left as wanted."""
    in_flight: set[int] = set()
    at_start = len(left)
    waiting = iter(list(left))
    is_measured = False
    while left:
        while len(in_flight) < IN_FLIGHT and (number := next(waiting, None)) is not None:
            in_flight.add(number)
            victim.send({"number": number})
        report = victim.receive()
        if report is None:
            return
        in_flight.discard(report["number"])
        left.remove(report["number"])
        tally.take(report)
        if time.monotonic() > end or (until_left and len(left) <= until_left):
            return
        if not until_left and not is_measured and len(left) < 0.75 * at_start:
            is_measured = True
            tally.stats = [report["stats"]]


def _end(victim: Victim, tally: Tally) -> None:
    """Let a process end by itself, and keep what it says last: its figures before and after its sandbox was closed."""
    victim.send({"end": True})
    last = victim.receive()
    assert last is not None
    assert victim.hello is not None
    tally.stats += [last["stats"], last["closed"], victim.hello["stats"]]
    victim.process.wait()


def _open_and_close(sandbox: str, seen: Seen) -> None:
    """What a killed process has left is swept when the next one opens a sandbox."""
    victim = Victim(sandbox)
    assert victim.hello is not None
    seen.owners.add(victim.hello["owner"])
    victim.send({"end": True})
    victim.receive()
    victim.process.wait()


def _wrong(tally: Tally, count: int) -> list[str]:
    wrong = list(tally.wrong)
    if sorted(tally.verdicts) != list(range(count)):
        wrong.append(f"{count - len(tally.verdicts)} programs have no verdict")
    wrong += [f"{number} has the verdicts {all_}" for number, all_ in tally.verdicts.items() if len(all_) != 1]
    if tally.num_lost > 3 + sum(tally.kills.values()) / 30:  # few of the kills hit one program three times
        wrong.append(f"{tally.num_lost} programs lost three workers each")
    early, late, closed, fresh = tally.stats
    if closed["files"] != fresh["files"]:
        wrong.append(f"{closed['files']} descriptors at the end, {fresh['files']} at the start")
    if closed["threads"] > fresh["threads"]:
        wrong.append(f"{closed['threads']} threads at the end, {fresh['threads']} at the start")
    if late["kb"] > early["kb"] + 10_000:
        wrong.append(f"{late['kb']} KiB at the end, {early['kb']} after a quarter")
    return wrong


def main() -> None:
    """Print a summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sandbox", default="bubblewrap", choices=list(MEAN_S))
    parser.add_argument("--programs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    started = time.perf_counter()
    tally, wrong = chaos(options.sandbox, options.programs, options.seed)
    print(f"{options.programs} programs on {options.sandbox} in {time.perf_counter() - started:.0f} s")
    print("killed: " + ", ".join(f"{count} × {what}" for what, count in sorted(tally.kills.items())))
    print("verdicts: " + ", ".join(f"{n} {s}" for s, n in Counter(v[0] for v in tally.verdicts.values()).most_common()))
    print(f"programs that lost three workers, and are runtime errors therefore: {tally.num_lost}")
    early, late, closed, fresh = tally.stats
    print(f"the last process: {early['kb']} KiB after a quarter, {late['kb']} at its end;")
    print(f"  descriptors {fresh['files']} before, {late['files']} while it ran, {closed['files']} after it was closed")
    print("\n".join(wrong) or "nothing is wrong, nothing is left")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
