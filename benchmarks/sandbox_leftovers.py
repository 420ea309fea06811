"""What `sandbox_chaos` finds of workers while processes run, and what is left when they have ended."""

import contextlib
import os
import signal
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

_WAIT_S = 10.0


class Target(NamedTuple):
    """Something to kill."""

    what: str
    process: int = 0
    container: Any = None


class Seen:
    """Workers of a sandbox that were there at some time, and the surroundings as they were before."""

    def __init__(self, sandbox: str) -> None:
        self.owners: set[str] = set()  # of the processes that had a sandbox
        self._processes: set[tuple[int, str]] = set()  # with their starts
        self._mounts = _mounts()
        self._client: Any = None
        if sandbox == "docker":
            from rlenvs_sandbox.docker import connected

            self._client = connected()

    def workers_of(self, process: int) -> list[Target]:
        """What can be killed of a process: the agents, what encloses them, containers."""
        found = []
        for child in _children(process):
            is_bwrap = _name(child) in ("bwrap", "sh")
            found.append(Target("bwrap" if is_bwrap else "agent", child))
            if is_bwrap:
                found += [Target("agent", each) for each in _children(child)]
        self._processes |= {(each.process, _start(each.process)) for each in found}
        if self._client is not None:
            found += [Target("container", container=each) for each in self._containers()]
        return found

    def kill(self, target: Target) -> str:
        """Kill one; what it was."""
        if target.container is not None:
            with contextlib.suppress(Exception):  # it has ended by itself
                target.container.kill()
        else:
            with contextlib.suppress(ProcessLookupError):
                os.kill(target.process, signal.SIGKILL)
        return target.what

    def _containers(self) -> list[Any]:
        from rlenvs_sandbox.docker import LABEL

        with contextlib.suppress(Exception):  # one of them goes while it is looked at
            found = self._client.containers.list(all=True, filters={"label": LABEL}, ignore_removed=True)
            return [each for each in found if each.labels.get(LABEL) in self.owners]
        return []

    def leftovers(self) -> list[str]:
        """What is left, in words; what is about to end gets some seconds for it."""
        until = time.monotonic() + _WAIT_S
        while (found := self._left()) and time.monotonic() < until:
            time.sleep(0.2)
        return found

    def _left(self) -> list[str]:
        found = [
            f"process {process} is left" for process, start in self._processes if start and _start(process) == start
        ]
        found += [
            f"mount {mount} is left" for mount in _mounts() - self._mounts if "rlenvs" in mount or "bwrap" in mount
        ]
        places = [*Path("/sys/fs/cgroup").glob("*/rlenvs-*"), *Path("/sys/fs/cgroup").glob("rlenvs/rlenvs-*")]
        places += Path(tempfile.gettempdir()).glob("rlenvs-*")
        found += [f"{place} is left" for place in places if any(owner in place.name for owner in self.owners)]
        if self._client is not None:
            found += [f"container {each.id} is left" for each in self._containers()]
        return found


def _mounts() -> set[str]:
    return set(Path("/proc/self/mounts").read_text().splitlines())


def _children(process: int) -> list[int]:
    with contextlib.suppress(OSError):
        tasks = Path(f"/proc/{process}/task").iterdir()
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    return []


def _name(process: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/comm").read_text().strip()
    return ""


def _start(process: int) -> str:
    with contextlib.suppress(OSError, IndexError):
        state, *rest = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return "" if state in "ZX" else rest[18]
    return ""
