"""A small pool of worker processes for comparing expressions: hard limits, any thread, lost workers replaced.

A worker is started when it is first needed, serves one request at a time and dies with its parent. Signals are not
used, so this works from any thread, in an event loop, and in a process that was forked (it starts its own workers).
What a worker computes is in `worker`.
"""

import atexit
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from rlenvs.verifiers.compare import Judgement

_PROGRAM = Path(__file__).with_name("worker.py")
_START_LIMIT_S = 60.0  # importing sympy on a busy machine


class _LostError(Exception):
    """The worker ended, or did not answer in time."""

    def __init__(self, why: str, *, by_request: bool) -> None:
        super().__init__(why)
        self.by_request = by_request  # the request used up its processor time, not: the machine is slow or broken


class _Worker:
    """One worker process, and its two pipes."""

    def __init__(self, cpu_s: int, memory_bytes: int) -> None:
        command = [sys.executable, "-P", str(_PROGRAM), str(cpu_s), str(memory_bytes)]
        self.cpu_s = cpu_s
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env={**os.environ, "PYTHONHASHSEED": "0"},  # sympy orders by hash: the same verdict in every worker
            start_new_session=True,  # an interrupt at the terminal is for the parent to handle
        )
        self.is_ready = False
        self._unread = b""

    def start(self) -> None:
        """Wait until it can serve."""
        if not self.is_ready:
            self._read_line(time.monotonic() + _START_LIMIT_S)
            self.is_ready = True

    def ask(self, request: dict[str, str], wall_s: float) -> dict[str, Any]:
        """The reply to one request.

        Raises:
            _LostError: no reply within `wall_s`, or the process ended. The worker is of no use any more.
        """
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
        except OSError as error:
            raise _LostError(f"the worker is gone ({error})", by_request=False) from error
        reply: dict[str, Any] = json.loads(self._read_line(time.monotonic() + wall_s))
        return reply

    def _read_line(self, deadline: float) -> bytes:
        assert self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        while b"\n" not in self._unread:
            if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                raise _LostError("the worker did not answer in time", by_request=False)
            received = os.read(descriptor, 65536)
            if not received:
                raise self._ended()
            self._unread += received
        line, _, self._unread = self._unread.partition(b"\n")
        return line

    def _ended(self) -> _LostError:
        code = self.process.wait()
        if code == -signal.SIGXCPU:
            return _LostError(f"more than {self.cpu_s} s of processor time", by_request=True)
        assert self.process.stderr is not None
        last = self.process.stderr.read().decode(errors="replace").strip().rpartition("\n")[2]
        return _LostError(f"the worker ended with code {code}: {last}", by_request=False)

    def close(self) -> None:
        """End the process and let go of its pipes."""
        self.process.kill()
        self.process.wait()
        self._close_pipes()

    def forget(self) -> None:
        """Let go of a worker that belongs to the parent of this forked process."""
        self.process.returncode = 0
        self._close_pipes()

    def _close_pipes(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()


class VerifierPool:
    """Worker processes that compare expressions.

    Args:
        size: how many at most; one per core, four at most, by default.
        cpu_s: processor time that one comparison may use; the kernel counts whole seconds, so up to one more.
        wall_s: how long to wait for an answer; only a busy machine makes this the limit that acts.
        memory_bytes: address space of a worker.
    """

    def __init__(
        self, size: int | None = None, *, cpu_s: int = 2, wall_s: float = 8.0, memory_bytes: int = 2**30
    ) -> None:
        self.size = size or min(4, os.cpu_count() or 1)
        self.cpu_s, self.wall_s, self.memory_bytes = cpu_s, wall_s, memory_bytes
        self._slots = threading.BoundedSemaphore(self.size)
        self._idle: list[_Worker] = []

    def algebra(self, gold: str, answer: str) -> Judgement:
        """Whether two LaTeX expressions are equal. Waits for a free worker as long as it takes."""
        with self._slots:
            worker = self._idle.pop() if self._idle else self._new_worker()
            try:
                worker.start()
                reply = worker.ask({"gold": gold, "answer": answer}, self.wall_s)
            except _LostError as lost:
                worker.close()
                self._idle.append(self._new_worker())  # starts while the caller goes on
                return Judgement("error", str(lost), lost.by_request)
            except BaseException:  # an interrupt: a reply is still to come, so the worker cannot serve another
                worker.close()
                raise
            if reply["verdict"] == "error":  # memory or stack ran out: a fresh process is the safe state
                worker.close()
                return Judgement("error", reply["reason"], True)
            self._idle.append(worker)
            return Judgement(reply["verdict"], reply["reason"])

    def _new_worker(self) -> _Worker:
        return _Worker(self.cpu_s, self.memory_bytes)

    def close(self) -> None:
        """End the idle workers; the next request starts new ones."""
        while self._idle:
            self._idle.pop().close()

    def forget(self) -> None:
        """After a fork, in the child: the workers are the parent's, and locks may have been held."""
        for worker in self._idle:
            worker.forget()
        self._idle = []
        self._slots = threading.BoundedSemaphore(self.size)


DEFAULT_POOL = VerifierPool()
"""The workers that `verify` and the environments share in this process."""

atexit.register(DEFAULT_POOL.close)
os.register_at_fork(after_in_child=DEFAULT_POOL.forget)
