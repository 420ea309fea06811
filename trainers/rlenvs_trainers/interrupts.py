"""SIGINT and SIGTERM: the first asks the loop to finish its step and save, the second stops at once."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN_S = 0.01  # until an interrupt that was lost comes again
ASKED_TO_STOP = b"\nrlenvs: stopping after this step. Again, and it stops at once.\n"


class StopRequest:
    """Set by the first signal; the loop reads it between steps."""

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None

    def __bool__(self) -> bool:
        return self.signal is not None

    @property
    def exit_code(self) -> int:
        """The shell's convention, 128 + the signal's number; 0 without one."""
        return 0 if self.signal is None else 128 + self.signal


@contextmanager
def stop_on_signal() -> Iterator[StopRequest]:
    """Handle SIGINT and SIGTERM while the block runs.

    Outside of the main thread signals cannot be handled: the request is then never set. An interrupt that comes where
    Python drops exceptions (in `__del__`, in the callback of a weak reference) comes again a moment later.
    """
    request, tell = StopRequest(), sys.unraisablehook

    def handle(number: int, _frame: FrameType | None) -> None:
        is_second, request.signal = bool(request), signal.Signals(number)
        if is_second:
            raise KeyboardInterrupt
        os.write(2, ASKED_TO_STOP)  # unbuffered: the signal may have come in the middle of a print

    def heed(dropped: "sys.UnraisableHookArgs") -> None:
        if request.signal is None or not issubclass(dropped.exc_type, KeyboardInterrupt):
            tell(dropped)
            return
        again = threading.Timer(AGAIN_S, signal.pthread_kill, (threading.main_thread().ident, request.signal))
        again.daemon = True
        again.start()

    if threading.current_thread() is not threading.main_thread():
        yield request
        return
    previous = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    sys.unraisablehook = heed
    try:
        yield request
    finally:
        sys.unraisablehook = tell
        for number, handler in previous.items():
            signal.signal(number, handler)
