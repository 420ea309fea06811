"""One run of a program in a worker, seen from outside.

The clock is here, and so is the count of what a program writes: nothing inside is trusted with either.
"""

import json
import os
import re
import time
from typing import Any

from rlenvs_sandbox.inside.execute import OUT_OF_MEMORY
from rlenvs_sandbox.records import Limits, Outcome, Status
from rlenvs_sandbox.requests import Request
from rlenvs_sandbox.waiting import wait_for
from rlenvs_sandbox.worker import Worker

_DRAIN_S = 0.5  # for what is still in the pipes when a program has ended
_READ = 1 << 16
_LOOK_S = 0.02
_MOMENT_S = 0.02
_CORES = os.cpu_count() or 1


class Run:
    """One program in one worker, from its start to its end."""

    def __init__(self, worker: Worker, request: Request, limits: Limits, deadline: float | None = None) -> None:
        """Start it.

        Args:
            worker: one that runs nothing else.
            deadline: of `time.monotonic`, by which it has ended or is killed; None: by its own limit.

        Raises:
            LostError: the worker is gone.
        """
        self._worker = worker
        self._own_limits = limits
        self._is_compiling = request.kind == "compile"
        self._is_command = request.command is not None
        self._told: dict[str, Any] | None = None  # by the agent, at the end
        self._killed: Status | None = None
        self._used_s: float | None = None  # when it was killed
        self.is_lost = False  # whether its worker ended before it did, and nobody here ended that
        self._parts: dict[str, list[bytes]] = {"stdout": [], "stderr": []}
        self._sizes = {"stdout": 0, "stderr": 0}
        self._hold_to(request.limits_at_first(limits), deadline)
        self._pipes = request.send(limits, worker.control)

    def _hold_to(self, limits: Limits, deadline: float | None = None) -> None:
        """Count from now on, up to these limits."""
        self._limits = limits
        self._worker.launched.prepare(limits)
        self._started = time.monotonic()
        self._deadline = self._started + limits.wall_s if deadline is None else deadline
        self._cpu_s = limits.cpu_s or limits.wall_s
        self._next_look = self._started + self._cpu_s / _CORES

    @property
    def is_over(self) -> bool:
        """Whether it has ended, or was killed."""
        return self._told is not None or self._killed is not None

    def files(self) -> list[int]:
        """The descriptors that say something when they can be read."""
        return [self._worker.control.fileno(), *self._pipes.values()]

    def wait(self) -> Outcome:
        """Until it has ended, or has to be."""
        self._wait_for_report()
        while not self.is_over:
            wait_for(self.files(), self.until_next_look_s())
            self.take()
        return self.outcome()

    def _wait_for_report(self) -> None:
        """Wait a moment for the end alone: most programs are over by then, and their output waits in the pipes."""
        wait_for([self._worker.control.fileno()], min(_MOMENT_S, self.until_next_look_s()))
        self.take()

    def until_next_look_s(self) -> float:
        """Seconds until it may be out of time, and `take` has to be called whether there is something or not."""
        return max(0.0, min(self._next_look, self._deadline) - time.monotonic())

    def take(self) -> None:
        """Take what there is to read; end the program if it is out of time."""
        self._take_output()
        self._take_report()
        if not self.is_over and self.until_next_look_s() == 0:
            self._look()

    def _look(self) -> None:
        """How much of its time is left: as much processor time as there is, no matter how many processes share it."""
        now = time.monotonic()
        used_s = self._worker.launched.cpu_s()
        left_s = float("inf") if used_s is None else self._cpu_s - used_s
        if now >= self._deadline or left_s <= 0:
            self.kill("timeout")
        self._next_look = now + max(left_s / _CORES, _LOOK_S)

    def _take_report(self) -> None:
        try:
            packet = self._worker.control.recv(_READ)
        except BlockingIOError:
            return
        except OSError:
            packet = b""
        if packet:
            told = json.loads(packet)
            if "is_compiled" in told:
                self._is_compiling = False
                self._hold_to(self._own_limits)
                self._take_report()
            else:
                self._told = told
        elif not self.is_over:
            self.is_lost = not self._worker.launched.has_run_out_of_memory()
            self.kill("sandbox_error" if self.is_lost else "memory")

    def _take_output(self) -> None:
        for name, pipe in list(self._pipes.items()):
            try:
                while part := os.read(pipe, _READ):
                    self._keep(name, part)
                os.close(self._pipes.pop(name))
            except BlockingIOError:
                continue

    def _keep(self, name: str, part: bytes) -> None:
        room = self._limits.output_bytes - self._sizes[name]
        self._sizes[name] += len(part)
        if room > 0:
            self._parts[name].append(part[:room])
        if self._sizes[name] > self._limits.output_bytes and not self.is_over:
            self.kill("output_limit")

    def kill(self, why: Status) -> None:
        """End the program by ending its worker."""
        if self._killed is None:
            self._killed = why
            self._used_s = self._worker.launched.cpu_s()
        self._worker.kill()

    def outcome(self) -> Outcome:
        """What became of it."""
        if self._told is not None:
            self._drain()
        self.close()
        status = self._status()
        told = self._told or {}
        code = told.get("exit_code")
        stdout, stderr = (b"".join(self._parts[name]) for name in ("stdout", "stderr"))
        return Outcome(
            status=status,
            stdout=stdout,
            stderr=stderr,
            exit_code=code,
            wall_s=told.get("wall_s", time.monotonic() - self._started),
            cpu_s=told.get("cpu_s", self._used_s or 0.0),
            detail=told.get("failed") or self._detail(status, code, stderr),
        )

    def close(self) -> None:
        """Read nothing more of what it writes. May be called twice."""
        for pipe in self._pipes.values():
            os.close(pipe)
        self._pipes = {}

    def _drain(self) -> None:
        """Read what is left in the pipes: every process that could write to them is dead."""
        until = time.monotonic() + _DRAIN_S
        while self._pipes and not self._killed and time.monotonic() < until:
            wait_for(self._pipes.values(), until - time.monotonic())
            self._take_output()

    def _status(self) -> Status:
        if any(size > self._limits.output_bytes for size in self._sizes.values()):
            return "output_limit"
        if self._killed is not None:
            return self._killed
        assert self._told is not None
        code = self._told.get("exit_code")
        if "failed" in self._told:
            return "sandbox_error"
        if code == OUT_OF_MEMORY or (code and self._worker.launched.has_run_out_of_memory()):
            return "memory"
        if code in _OUT_OF_TIME and self._told["cpu_s"] >= self._cpu_s * _NEARLY:
            return "timeout"
        return "runtime_error" if code else "pass"

    def _detail(self, status: Status, code: int | None, stderr: bytes) -> str:
        limits = self._limits
        who = "its compiler" if self._is_compiling else "it"
        match status:
            case "timeout" if self._killed and time.monotonic() >= self._deadline:
                return f"{who} did not end within {limits.wall_s:g} s"
            case "timeout":
                return f"{who} used more than {limits.cpu_s or limits.wall_s:g} s of processor time"
            case "memory":
                return f"{who} used more than {limits.mem_mb} MiB"
            case "output_limit":
                return f"it wrote more than {limits.output_bytes} bytes"
            case "sandbox_error":
                return "the sandbox was lost"
            case "runtime_error":
                text = stderr.decode(errors="replace").strip()
                refused = _COMPLAINT.search(text) if self._is_command else None
                last = refused[0] if refused else text.rpartition("\n")[2]
                ended = f"it was ended by signal {-code}" if code and code < 0 else f"it exited with {code}"
                return last[:300] or ended
        return ""


_COMPLAINT = re.compile(
    r"^(?:.*\berror\b(?:\[\w+\])?: |.*undefined reference to |\w*Error: |Exception in |thread '.*' panicked ).*$",
    re.MULTILINE,
)
"""What other languages' compilers and runtimes say is wrong: their last lines say where, or nothing."""
_OUT_OF_TIME = (-24, -9)  # SIGXCPU, SIGKILL
_NEARLY = 0.95
