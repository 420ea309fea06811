"""A word where Python stands still: which calls of foreign code are in flight, and where they are.

Code that holds the interpreter's lock stops every thread of the process, so another process says the sentence
(`watch`), and has `faulthandler`, which needs no lock, print where each thread is. Neither can end it: that takes
`rlenvs.isolation`.
"""

import contextlib
import faulthandler
import mmap
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STILL_S = 30.0  # without a sign of life, until it is said
_BEAT_S = 1.0
_PROGRAM = Path(__file__).with_name("watch.py")
_NUM_CALLS, _WIDTH = 64, 200  # in flight, and bytes for what each does; of more calls nothing is said
_SHOW_WHERE = getattr(signal, "SIGRTMIN", 0) and signal.SIGRTMIN + 7  # nobody's; macOS has none of these


class Watchdog:
    """Gives signs of life, from a thread, and notes the calls in flight where the process that watches finds them."""

    def __init__(self, still_s: float = STILL_S) -> None:
        """`still_s`: how long Python may stand still during a call without a word."""
        self.still_s = still_s
        self._watch: subprocess.Popen[bytes] | None = None
        self._free: list[int] = []  # places in the file
        self._calls = mmap.mmap(-1, _NUM_CALLS * _WIDTH)

    @contextmanager
    def during(self, what: str) -> Iterator[None]:
        """The time in which foreign code may hold the interpreter's lock; `what` it is doing, for people."""
        if self._watch is None:
            with contextlib.suppress(OSError):  # no process or file can be had: then there is no word
                self._start()
        free, calls = self._free, self._calls
        place = free.pop() if free else None
        try:
            if place is not None:
                calls[place : place + _WIDTH] = (
                    " ".join(what.split()).encode(errors="replace")[:_WIDTH].ljust(_WIDTH, b"\0")
                )
            yield
        finally:
            if place is not None:
                calls[place : place + _WIDTH] = bytes(_WIDTH)
                free.append(place)

    def _start(self) -> None:
        """Begin to watch, before the first call can hold anything."""
        signal_number = self._register()
        with tempfile.TemporaryFile() as file:
            file.truncate(_NUM_CALLS * _WIDTH)
            self._calls = mmap.mmap(file.fileno(), _NUM_CALLS * _WIDTH)
            numbers = (self.still_s, file.fileno(), _WIDTH, signal_number)
            self._watch = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_PROGRAM), *map(str, numbers)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                pass_fds=[file.fileno()],
                bufsize=0,
            )
        self._free = list(range(0, _NUM_CALLS * _WIDTH, _WIDTH))
        threading.Thread(target=self._beat, args=[self._watch], daemon=True, name="rlenvs-watchdog").start()

    def _register(self) -> int:
        if sys.__stderr__ is None or not _SHOW_WHERE:
            return 0
        try:
            faulthandler.register(_SHOW_WHERE, file=sys.__stderr__)
        except (ValueError, OSError, RuntimeError):  # standard error is closed
            return 0
        return int(_SHOW_WHERE)

    def _beat(self, watch: "subprocess.Popen[bytes]") -> None:
        assert watch.stdin is not None
        os.set_blocking(watch.stdin.fileno(), False)
        with contextlib.suppress(OSError, ValueError):  # it has ended: nobody watches any more
            while True:
                watch.stdin.write(b".")
                time.sleep(_BEAT_S)

    def forget(self) -> None:
        """After a fork, in the child: the process that watches is the parent's, and the thread is not here."""
        if self._watch is not None:
            assert self._watch.stdin is not None
            self._watch.stdin.close()
            self._watch.returncode = 0
            self._watch = None


watchdog = Watchdog()
"""The one that `rlenvs.deadline` tells of its calls."""

os.register_at_fork(after_in_child=watchdog.forget)
