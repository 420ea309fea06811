"""`Closing`: closes what an episode holds once, also while a call of its environment hangs in another thread."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from rlenvs.errors import foreign_code


class Closing:
    """What is to be closed, and whether somebody is inside."""

    def __init__(self, close: Callable[[], object]) -> None:
        """Keep `close` for later. What it raises is dropped: nothing can be done about it by then."""
        self._close = close
        self._lock = threading.Lock()
        self._num_inside = 0
        self._is_closed = False

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Around a call of the environment, which may hang: one that comes back late closes what it opened late.

        What the environment raises comes out as `foreign_code` has it.
        """
        with self._lock:
            self._num_inside += 1
        try:
            with foreign_code():
                yield
        finally:
            with self._lock:
                self._num_inside -= 1
                is_late = self._is_closed
            if is_late:
                self._attempt()

    def close(self) -> None:
        """Close it, the first time. While a call hangs this returns at once and closes in another thread.

        That is often what lets the call come back, but the two may also wait for each other.
        """
        with self._lock:
            is_first, is_busy = not self._is_closed, self._num_inside > 0
            self._is_closed = True
        if is_first and is_busy:
            threading.Thread(target=self._attempt, daemon=True, name="rlenvs-closing").start()
        elif is_first:
            self._attempt()

    def _attempt(self) -> None:
        with suppress(Exception), foreign_code():
            self._close()
