"""`Progress`: how far a long job is, how fast it goes, how long it still takes.

On a terminal a live line on standard error; elsewhere a plain line now and then. Results are printed by the caller.
"""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

SPARSE_S = 30.0  # seconds between two lines where nobody watches


class Progress:
    """Counts units of work done. Use as a context manager, and `advance` as the work goes on."""

    def __init__(self, what: str, total: int | None, unit: str = "", *, done: int = 0) -> None:
        """`what` is being done, `total` times of which `done` were done before (a resumed run); None: nobody knows."""
        self.what, self.total, self.unit = what, total, unit
        self.done, self._done_before = done, done
        self.note = ""  # the latest: a reward, a loss
        self._live: RichProgress | None = None

    def __enter__(self) -> Self:
        self._started_s = self._told_s = time.monotonic()
        if sys.stderr.isatty():
            self._live = _live_line()
            self._task = self._live.add_task(self.what, total=self.total, completed=self.done, unit=self.unit, note="")
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
        elif self._told_s > self._started_s:  # who was told of the way is told of the end
            self._tell()

    def advance(self, count: int = 1, note: str | None = None) -> None:
        """`count` more are done. `note` replaces what stands behind the numbers."""
        note = self.note if note is None else note
        self.reach(self.done + count, self.total, done_before=self._done_before, note=note)

    def reach(self, done: int, total: int | None, *, done_before: int = 0, note: str = "") -> None:
        """`done` of `total` are done, `done_before` of them by an earlier process."""
        self._done_before = done_before
        self.done, self.total, self.note = done, total, note
        if self._live is not None:
            self._live.update(self._task, completed=done, total=total, note=note)
        elif time.monotonic() - self._told_s >= SPARSE_S:
            self._tell()

    @property
    def rate(self) -> float:
        """Units per second, of this process alone."""
        elapsed_s = time.monotonic() - self._started_s
        return (self.done - self._done_before) / elapsed_s if elapsed_s > 0 else 0.0

    @property
    def left_s(self) -> float | None:
        """Seconds that the rest takes at the present rate; None where there is no telling."""
        return (self.total - self.done) / self.rate if self.total is not None and self.rate else None

    def _tell(self) -> None:
        self._told_s = time.monotonic()
        of = f"/{self.total}" if self.total is not None else ""
        left = f", {clock(self.left_s)} left" if self.left_s else ""
        rate = f"{self.rate:.3g}/s{left}"
        print(
            "  ".join(filter(None, (self.what, f"{self.done}{of} {self.unit}".rstrip(), rate, self.note))),
            file=sys.stderr,
        )


def clock(seconds: float) -> str:
    """Hours, minutes and seconds as 1:02:03, or 2:03 below an hour."""
    minutes, whole_s = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{whole_s:02}" if hours else f"{minutes}:{whole_s:02}"


def _live_line() -> "RichProgress":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Rate(TextColumn):
        """Units per second."""

        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:.3g}/s" if speed else "–/s")

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[unit]}", markup=False),
        Rate(""),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}", markup=False),
        console=Console(stderr=True),
    )
