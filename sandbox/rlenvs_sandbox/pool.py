"""Warm workers: as many as are wanted at a time, each started when it is first needed, and anew when it is lost."""

import os
import threading
import weakref
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from rlenvs_sandbox.errors import SandboxError
from rlenvs_sandbox.records import Limits
from rlenvs_sandbox.worker import Launcher, Worker


class Pool:
    """Workers of one kind, for any number of threads."""

    def __init__(self, launcher: Launcher, size: int, *, num_spare: int = 0) -> None:
        """Args:
        size: how many at a time.
        num_spare: 0: a worker that is alive is used again. Else each is used once, and so many stand ready, started
            beside the work.

        Raises:
            ValueError: not one at a time.
        """
        if size < 1:
            raise ValueError(f"a sandbox has at least one worker: got {size}")
        self._launcher = launcher
        self._num_spare = num_spare
        self._starter = ThreadPoolExecutor(1, "sandbox") if num_spare else None
        self._places = threading.BoundedSemaphore(size)
        self._idle: deque[Worker] = deque()
        self._lock = threading.Lock()
        self._is_closed = False
        self._size = size
        _POOLS.add(self)

    def forget(self) -> None:
        """After a fork, in the child: the workers are the parent's, and locks may have been held."""
        for worker in self._idle:
            worker.forget()
        self._idle = deque()
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(self._size)
        self._starter = ThreadPoolExecutor(1, "sandbox") if self._num_spare else None

    @contextmanager
    def worker(self, limits: Limits) -> Iterator[Worker]:
        """A worker that nobody else uses meanwhile; kept for the next one if it is alive then.

        Raises:
            SandboxError: none can be started, or the pool is closed.
        """
        with self._places:
            worker = self._taken(limits)
            try:
                yield worker
            except BaseException:
                worker.kill()  # nobody knows what it is doing
                raise
            finally:
                self._give_back(worker)

    def _taken(self, limits: Limits) -> Worker:
        with self._lock:
            if self._is_closed:
                raise SandboxError("the sandbox is closed")
            found = self._idle.pop() if self._idle else None
        if self._starter is not None:
            self._starter.submit(self._stock_up, limits)
        if found is not None and found.suits(limits):
            return found
        if found is not None:
            found.kill()
        return Worker(self._launcher, limits)

    def _stock_up(self, limits: Limits) -> None:
        """Start the workers that are missing."""
        while not self._is_closed and len(self._idle) < self._num_spare:
            try:
                worker = Worker(self._launcher, limits)
            except SandboxError:  # whoever needs one next is told
                return
            self._keep(worker)

    def _give_back(self, worker: Worker) -> None:
        if self._num_spare and worker.is_alive:
            worker.kill()
        if worker.is_alive:
            self._keep(worker)

    def _keep(self, worker: Worker) -> None:
        with self._lock:
            if not self._is_closed:
                self._idle.append(worker)
                return
        worker.kill()

    def close(self) -> None:
        """End the workers that are idle, and each other one when its program has ended."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = list(self._idle), deque()
        if self._starter is not None:
            self._starter.shutdown()
        for worker in idle:
            worker.kill()


_POOLS: "weakref.WeakSet[Pool]" = weakref.WeakSet()


def _forget_all() -> None:
    for pool in list(_POOLS):
        pool.forget()


os.register_at_fork(after_in_child=_forget_all)
