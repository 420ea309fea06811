"""A small pool of worker processes: hard limits, any thread, lost workers replaced.

A worker is started when it is first needed, serves one request at a time and dies with its parent. Signals are not
used here, so this works from any thread, in an event loop, and in a process that was forked (it starts its own
workers). What a worker does is in `serve`, and in the file of its kind.
"""

import atexit
import contextlib
import fcntl
import json
import math
import os
import select
import signal
import subprocess
import sys
import termios
import threading
import time
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rlenvs.errors import RlenvsError
from rlenvs_sandbox import SandboxError

_PROGRAM = Path(__file__).with_name("serve.py")
_START_LIMIT_S = 60.0  # importing what is served on a busy machine


class StoppedError(RlenvsError):
    """The worker process was ended, or ended by itself, before it had answered.

    Args:
        by_request: the request used up its processor time, memory or stack; not: the machine is slow or broken.
    """

    def __init__(self, why: str, *, by_request: bool) -> None:
        super().__init__(why)
        self.by_request = by_request


class LateError(StoppedError):
    """The caller waited as long as it meant to: the machine is busy, or the call waits itself."""


class UnreadError(StoppedError):
    """The worker process had ended before it read anything of the request, which has therefore no part in it."""


class RaisedInWorkerError(RlenvsError):
    """What a worker process served raised: type, message and the last line of its traceback."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one call in a worker process may use. What goes beyond is ended by the kernel, or by killing the process.

    Args:
        wall_s: how long the caller waits for the answer, once there is a free worker.
        cpu_s: processor time; the kernel counts whole seconds, so up to one more.
        memory_bytes: address space of the process, its modules included.
    """

    wall_s: float = 10.0
    cpu_s: int = 5
    memory_bytes: int = 4 * 2**30

    def __post_init__(self) -> None:
        if not (0 < self.wall_s < math.inf and self.cpu_s >= 1 and self.memory_bytes >= 1):
            raise ValueError(f"limits are positive: got {self}")


class _Worker:
    """One worker process, and its two pipes."""

    def __init__(self, kind: Path, limits: Limits, setup: Any, hash_seed: int | None) -> None:
        numbers = (limits.memory_bytes, limits.cpu_s, limits.wall_s)
        self.limits = limits
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(_PROGRAM), str(kind), *map(str, numbers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env={**os.environ, "PYTHONHASHSEED": _other_hash_seed() if hash_seed is None else str(hash_seed)},
            start_new_session=True,  # an interrupt at the terminal is for the parent to handle
        )
        assert self.process.stdin is not None
        os.set_blocking(self.process.stdin.fileno(), False)
        self._setup: Any = setup
        self._is_ready = False
        self._unread = b""
        self._is_interrupted = False

    def start(self) -> None:
        """Wait until it can serve.

        Raises:
            StoppedError: it ended, or was not ready in time.
            RaisedInWorkerError: what it should serve cannot be imported.
        """
        if not self._is_ready:
            _value(self._asked(self._setup, time.monotonic() + _START_LIMIT_S))
            self._is_ready = True

    def ask(self, request: Any) -> Any:
        """The answer to one request.

        Raises:
            StoppedError: there is none within the limits. The worker is of no use any more.
            RaisedInWorkerError, SandboxError, TimeoutError: that is what answering it raised.
        """
        return _value(self._asked(request, time.monotonic() + self.limits.wall_s))

    @property
    def has_ended(self) -> bool:
        """Whether an idle worker is of no use any more: it says nothing while it is asked nothing, and has not now."""
        assert self.process.stdout is not None
        poll = select.poll()
        poll.register(self.process.stdout.fileno(), select.POLLIN)
        return bool(poll.poll(0))

    def _asked(self, message: Any, deadline: float) -> dict[str, Any]:
        data = json.dumps(message).encode() + b"\n"
        self._write(data, deadline)
        reply: dict[str, Any] = json.loads(self._read_line(deadline, len(data)))
        return reply

    def _write(self, data: bytes, deadline: float) -> None:
        assert self.process.stdin is not None
        descriptor, left = self.process.stdin.fileno(), memoryview(data)
        while left:
            self._wait(descriptor, select.POLLOUT, deadline)
            try:
                left = left[os.write(descriptor, left) :]
            except BlockingIOError:  # less room than poll promised
                continue
            except OSError:  # it is a whole line that a worker acts on, and this one has not been written
                raise self._ended(is_unread=True) from None

    def _read_line(self, deadline: float, num_asked: int) -> bytes:
        assert self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        while b"\n" not in self._unread:
            self._wait(descriptor, select.POLLIN, deadline)
            received = os.read(descriptor, 65536)
            if not received:
                raise self._ended(is_unread=self._num_left() == num_asked)
            self._unread += received
        line, _, self._unread = self._unread.partition(b"\n")
        return line

    def _wait(self, descriptor: int, event: int, deadline: float) -> None:
        poll = select.poll()
        poll.register(descriptor, event)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            limit_s = self.limits.wall_s if self._is_ready else _START_LIMIT_S
            raise LateError(f"no answer within {limit_s:g} s: its process was ended", by_request=False)

    def _num_left(self) -> int:
        """How many bytes of what was written it has not read; 0 where the system does not tell."""
        assert self.process.stdin is not None
        try:
            return int.from_bytes(fcntl.ioctl(self.process.stdin, termios.FIONREAD, bytes(4)), sys.byteorder)
        except OSError:
            return 0

    def _ended(self, *, is_unread: bool) -> StoppedError:
        self.end()
        code = self.process.wait()
        if is_unread and not self._is_interrupted:
            return UnreadError(f"the worker process ended with code {code} before it was asked", by_request=False)
        if code == -signal.SIGXCPU:
            return StoppedError(
                f"more than {self.limits.cpu_s} s of processor time: its process was ended", by_request=True
            )
        return StoppedError(f"the worker process ended with code {code}", by_request=False)

    def end(self) -> None:
        """End the process and those that it started, before its number can be another's."""
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def interrupt(self) -> None:
        """End it from another thread; what it was asked is not to be asked again."""
        self._is_interrupted = True
        self.end()

    def close(self) -> None:
        """End the process and let go of its pipes."""
        self.end()
        self.process.wait()
        self._close_pipes()

    def forget(self) -> None:
        """Let go of a worker that belongs to the parent of this forked process."""
        self.process.returncode = 0
        self._close_pipes()

    def _close_pipes(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()


def _value(reply: dict[str, Any]) -> Any:
    if "spent" in reply:
        raise StoppedError(reply["spent"], by_request=True)
    if "raised" not in reply:
        return reply["value"]
    if "SandboxError" in reply["types"]:
        raise SandboxError(reply["raised"])
    raise (TimeoutError if "TimeoutError" in reply["types"] else RaisedInWorkerError)(reply["raised"])


def _other_hash_seed() -> str:
    """The same in every worker, so that their answers agree, and not ours, so that what depends on it is seen."""
    return "0" if os.environ.get("PYTHONHASHSEED") != "0" else "1"


class ProcessPool:
    """Worker processes of one kind.

    Args:
        kind: the file of what they serve, see `serve`.
        limits: of one request.
        setup: JSON values that each worker is prepared with.
        size: how many at most; one per core by default.
        hash_seed: of Python's hashes of text in the workers, where what is served depends on them and has to be the
            same on every machine; None: another one than ours.
    """

    def __init__(
        self, kind: Path, limits: Limits, *, setup: Any = None, size: int | None = None, hash_seed: int | None = None
    ) -> None:
        self.kind, self.limits, self.setup, self.hash_seed = kind, limits, setup, hash_seed
        self.size = size or os.cpu_count() or 1
        self.idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._slots = threading.BoundedSemaphore(self.size)
        self._waiting: set[object] = set()  # one for each call that waits for a slot
        _pools.add(self)

    def ask(self, request: Any) -> Any:
        """What a worker answers to the request, both JSON values.

        Waits for a free worker as long as all that wait may take one after another. A worker that was lost while it
        had nothing to do costs the request nothing.

        Raises:
            StoppedError: there is no answer within the limits, or no free worker. The worker is replaced.
            RaisedInWorkerError, SandboxError, TimeoutError: that is what answering it raised.
        """
        with self._slot():
            try:
                return self._answer(self._free_worker(), request)
            except UnreadError:
                return self._answer(self._free_worker(), request)

    @contextlib.contextmanager
    def _slot(self) -> Iterator[None]:
        slots, waiting = self._slots, object()  # a fork replaces the slots
        self._waiting.add(waiting)
        limit_s = _START_LIMIT_S + self.limits.wall_s * len(self._waiting)
        try:
            is_free = slots.acquire(timeout=limit_s)
        finally:
            self._waiting.discard(waiting)
        if not is_free:
            raise LateError(f"none of {self.size} worker processes was free within {limit_s:g} s", by_request=False)
        try:
            yield
        finally:
            slots.release()

    def _free_worker(self) -> _Worker:
        """An idle worker that is alive, else a new one."""
        while self.idle:
            worker = self.idle.pop()
            if not worker.has_ended:
                return worker
            worker.close()
        return self._new_worker()

    def _answer(self, worker: _Worker, request: Any) -> Any:
        try:
            value = self._asked(worker, request)
        except StoppedError:
            worker.close()
            self.idle.append(self._new_worker())  # starts while the caller goes on
            raise
        except (RaisedInWorkerError, SandboxError, TimeoutError):
            self.idle.append(worker)
            raise
        except BaseException:  # an interrupt: a reply is still to come, so the worker cannot serve another
            worker.close()
            raise
        self.idle.append(worker)
        return value

    def _asked(self, worker: _Worker, request: Any) -> Any:
        self._busy.add(worker)
        try:
            worker.start()
            return worker.ask(request)
        finally:
            self._busy.discard(worker)

    def _new_worker(self) -> _Worker:
        return _Worker(self.kind, self.limits, self.setup, self.hash_seed)

    def interrupt(self) -> None:
        """End the workers that are at work, from another thread: whoever asked them gets a StoppedError."""
        for worker in tuple(self._busy):
            worker.interrupt()

    def close(self) -> None:
        """End the idle workers; the next request starts new ones."""
        while self.idle:
            self.idle.pop().close()

    def forget(self) -> None:
        """After a fork, in the child: the workers are the parent's, and locks may have been held."""
        for worker in self.idle:
            worker.forget()
        self.idle = []
        self._busy = set()
        self._slots = threading.BoundedSemaphore(self.size)
        self._waiting = set()


_pools: weakref.WeakSet[ProcessPool] = weakref.WeakSet()


def _close_all() -> None:
    for pool in list(_pools):
        pool.close()


def _forget_all() -> None:
    for pool in list(_pools):
        pool.forget()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_forget_all)
