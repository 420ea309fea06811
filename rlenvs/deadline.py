"""`Workers`: blocking calls from an event loop, each with a deadline that frees what it held.

For environments and graders, which are foreign code that may never return. A thread cannot be killed: one that
hangs is left behind as a daemon, which keeps neither a slot nor the process from ending. Threads that do not hang are
used again: starting one costs more than most environments' steps.

What this cannot end: code that holds the interpreter's lock (a regular expression that backtracks, a power of large
integers, an extension that never lets go of it) stops the event loop too, and with it every deadline, until it is done.
`rlenvs.standstill` says so meanwhile; what may do that belongs into a worker process, see `rlenvs.isolation`.
"""

import asyncio
import os
import queue
import threading
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from rlenvs.errors import foreign_code
from rlenvs.standstill import watchdog

T = TypeVar("T")


class Workers:
    """Runs calls in daemon threads, a few at a time. For one event loop."""

    def __init__(self, num_threads: int | None = None) -> None:
        """`num_threads` calls run at once; by default two per processor, since graders wait for their own workers."""
        self._slots = asyncio.Semaphore(num_threads or 2 * (os.cpu_count() or 1))

    async def call(
        self,
        function: Callable[[], T],
        timeout_s: float,
        *,
        late: Callable[[T], object] | None = None,
        what: str = "a call of an environment",
    ) -> T:
        """What `function()` returns or raises. The clock starts when it does.

        Args:
            what: what it does, for people: said where Python stands still.
            late: given, in a thread, the result that nobody waits for any more, to free what it holds.

        Raises:
            TimeoutError: it took longer than `timeout_s` seconds. It may still run: touch nothing that it touches.
        """
        async with self._slots:
            with watchdog.during(what):
                future = _in_thread(function, late)
                try:
                    done, _ = await asyncio.wait([future], timeout=timeout_s)
                    if not done:
                        raise TimeoutError(f"no answer within {timeout_s:g} s")
                    return future.result()
                finally:
                    future.cancel()  # what it says later, nobody hears


def _in_thread(function: Callable[[], T], late: Callable[[T], object] | None) -> asyncio.Future[T]:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(set_value: Callable[[], None], missed: Callable[[], object]) -> None:
        if not future.done():
            set_value()
        else:
            _start(missed)

    def run() -> None:
        missed: Callable[[], object] = _nothing
        try:
            with foreign_code():
                result = function()
        except BaseException as error:  # handed on to who waits, whatever it is
            raised = error if not isinstance(error, StopIteration) else RuntimeError("raised StopIteration")
            report = partial(future.set_exception, raised)
        else:
            report = partial(future.set_result, result)
            missed = _nothing if late is None else partial(late, result)
        try:
            loop.call_soon_threadsafe(settle, report, missed)
        except RuntimeError:  # the loop is closed: nobody waits any more
            missed()

    _start(run)
    return future


def _start(function: Callable[[], object]) -> None:
    try:
        thread = _idle.pop()
    except IndexError:
        thread = _Thread()
    thread.functions.put(function)


class _Thread:
    """A daemon that waits for something to do. It is among the idle ones only while it does nothing."""

    def __init__(self) -> None:
        self.functions: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True, name="rlenvs-worker").start()

    def _run(self) -> None:
        while True:
            function = self.functions.get()
            function()
            del function  # and all that it refers to
            _idle.append(self)


_idle: list[_Thread] = []
os.register_at_fork(after_in_child=_idle.clear)  # a forked process has none of these threads


def _nothing() -> None:
    """Nobody asked for late results."""
