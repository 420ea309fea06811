"""`Workers`: blocking calls from an event loop, each with a deadline that frees what it held.

For environments and graders, which are foreign code that may never return. A thread cannot be killed: one that
hangs is left behind as a daemon, which keeps neither a slot nor the process from ending.
"""

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable
from functools import partial
from typing import TypeVar

T = TypeVar("T")


class Workers:
    """Runs calls in daemon threads, a few at a time. For one event loop."""

    def __init__(self, num_threads: int | None = None) -> None:
        """`num_threads` calls run at once; by default two per processor, since graders wait for their own workers."""
        self._slots = asyncio.Semaphore(num_threads or 2 * (os.cpu_count() or 1))

    async def call(self, function: Callable[[], T], timeout_s: float) -> T:
        """What `function()` returns or raises. The clock starts when it does.

        Raises:
            TimeoutError: it took longer than `timeout_s` seconds. It may still run: touch nothing that it touches.
        """
        async with self._slots:
            future = _in_thread(function)
            try:
                done, _ = await asyncio.wait([future], timeout=timeout_s)
                if not done:
                    raise TimeoutError(f"no answer within {timeout_s:g} s")
                return future.result()
            finally:
                future.cancel()  # what it says later, nobody hears


def _in_thread(function: Callable[[], T]) -> asyncio.Future[T]:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(set_value: Callable[[], None]) -> None:
        if not future.done():
            set_value()

    def run() -> None:
        try:
            result = function()
        except BaseException as error:  # handed on to who waits, whatever it is
            raised = error if not isinstance(error, StopIteration) else RuntimeError("raised StopIteration")
            report = partial(future.set_exception, raised)
        else:
            report = partial(future.set_result, result)
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, report)

    threading.Thread(target=run, daemon=True, name="rlenvs-worker").start()
    return future
