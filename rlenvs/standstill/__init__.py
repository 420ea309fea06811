"""A word where Python stands still: which call of foreign code holds the interpreter's lock, and where in it.

Such code stops every thread of the process, so another process says the sentence (`watch`), and `faulthandler`, which
needs no lock, prints where each thread is. Neither can end it: that takes `rlenvs.isolation`.
"""

import contextlib
import faulthandler
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STILL_S = 30.0  # without a sign of life, until it is said
_BEAT_S = 1.0
_PROGRAM = Path(__file__).with_name("watch.py")
_SHOWN = 3  # calls, and characters of each below: a line has to go through a pipe at once
_LONGEST = 200


class Watchdog:
    """Gives signs of life, from a thread, as long as calls are in flight."""

    def __init__(self, still_s: float = STILL_S) -> None:
        """`still_s`: how long Python may stand still without a word."""
        self.still_s = still_s
        self._watch: subprocess.Popen[bytes] | None = None
        self._begin()

    def _begin(self) -> None:
        self._calls: dict[object, str] = {}
        self._is_busy = threading.Event()
        self._arming = threading.Lock()
        self._thread: threading.Thread | None = None

    @contextmanager
    def during(self, what: str) -> Iterator[None]:
        """The time in which foreign code may hold the interpreter's lock; `what` it is doing, for people."""
        key = object()
        self._calls[key] = " ".join(what.split())[:_LONGEST]
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True, name="rlenvs-watchdog")
            self._thread.start()
        self._is_busy.set()
        try:
            yield
        finally:
            del self._calls[key]

    def _run(self) -> None:
        while self._is_busy.wait():
            calls = sorted(set(self._calls.copy().values()))
            if calls:
                self._show_where(sys.__stderr__)
                more = f" and {len(calls) - _SHOWN} more" if len(calls) > _SHOWN else ""
                self._beat(", ".join(calls[:_SHOWN]) + more)
            else:
                self._is_busy.clear()
                faulthandler.cancel_dump_traceback_later()
                self._beat("")
                if self._calls:  # one that began meanwhile
                    self._is_busy.set()
            time.sleep(_BEAT_S)

    def _show_where(self, file: object) -> None:
        # what is suppressed: there is no standard error with a descriptor
        with self._arming, contextlib.suppress(AttributeError, ValueError, OSError):
            faulthandler.dump_traceback_later(self.still_s + _BEAT_S, file=file)  # type: ignore[arg-type]

    def _beat(self, doing: str) -> None:
        if self._watch is None or self._watch.poll() is not None:
            self._watch = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_PROGRAM), str(self.still_s)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                bufsize=0,
            )
            assert self._watch.stdin is not None
            os.set_blocking(self._watch.stdin.fileno(), False)
        assert self._watch.stdin is not None
        with contextlib.suppress(OSError):  # it stands still itself, or has ended: the next beat starts another
            self._watch.stdin.write(doing.encode(errors="replace") + b"\n")

    def before_fork(self) -> None:
        """Let nothing be armed: in the child, faulthandler would wait for a thread that is not there."""
        self._arming.acquire()
        faulthandler.cancel_dump_traceback_later()

    def after_in_parent(self) -> None:
        """Go on."""
        self._arming.release()

    def after_in_child(self) -> None:
        """Begin anew: there is no thread, and the process that watches is the parent's."""
        if self._watch is not None:
            self._watch.returncode = 0
            assert self._watch.stdin is not None
            self._watch.stdin.close()
        self._watch = None
        self._begin()


watchdog = Watchdog()
"""The one that `rlenvs.deadline` tells of its calls."""

os.register_at_fork(
    before=watchdog.before_fork,
    after_in_parent=watchdog.after_in_parent,
    after_in_child=watchdog.after_in_child,
)
