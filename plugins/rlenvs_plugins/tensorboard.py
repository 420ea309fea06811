"""Writes a run's metrics for TensorBoard, into `tensorboard/` in its folder. Set RLENVS_TENSORBOARD=1 to turn it on.

Look with `tensorboard --logdir runs`. A resumed run replaces what an interrupted one had written after its checkpoint.
Needs the extra: `pip install 'rlenvs-llm[tensorboard]'`.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from rlenvs.errors import RlenvsError
from rlenvs.hooks import hookimpl

SWITCH, FOLDER = "RLENVS_TENSORBOARD", "tensorboard"
PREFIX = "events.out.tfevents."  # of a file's name; the second it was made in follows


class TensorBoard:
    """The writer of the run that is going on, if any."""

    def __init__(self) -> None:
        self.writer: Any = None

    def start(self, run_dir: Path, step: int) -> None:
        """Write this run's metrics from now on, if it was asked for. What was written of steps after `step` is gone."""
        self.close()
        if os.environ.get(SWITCH, "0") not in ("", "0"):
            self.writer = _open(run_dir / FOLDER, purge_step=step + 1)

    def write(self, step: int, metrics: dict[str, float]) -> None:
        """Add a step's."""
        if self.writer is None:
            return
        for name, value in metrics.items():
            self.writer.add_scalar(name, value, step)
        self.writer.flush()

    def close(self) -> None:
        """Write no more."""
        if self.writer is not None:
            self.writer.close()
        self.writer = None


def _open(folder: Path, *, purge_step: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise RlenvsError(
            f"{SWITCH} is set, but TensorBoard is not installed: pip install 'rlenvs-llm[tensorboard]'"
        ) from error
    _wait_for_a_later_name(folder)
    return SummaryWriter(str(folder), purge_step=purge_step)


def _wait_for_a_later_name(folder: Path) -> None:
    """Files are read in the order of their names, which begin with the second: no two runs write in one."""
    seconds = [path.name.removeprefix(PREFIX).partition(".")[0] for path in folder.glob(f"{PREFIX}*")]
    newest = max((int(second) for second in seconds if second.isdecimal()), default=0)
    time.sleep(min(1.0, max(0.0, newest + 1 - time.time())))


_tensorboard = TensorBoard()


@hookimpl
def on_run_start(run_dir: Path, step: int) -> None:
    """Open the files."""
    _tensorboard.start(run_dir, step)


@hookimpl
def after_step(step: int, metrics: dict[str, float]) -> None:
    """Write the step's metrics."""
    _tensorboard.write(step, metrics)


@hookimpl
def on_evaluation(step: int, name: str, metrics: dict[str, float]) -> None:
    """Write what came of held-out tasks."""
    _tensorboard.write(step, {f"eval/{name}/{metric}": value for metric, value in metrics.items()})


@hookimpl
def on_run_end() -> None:
    """Close the files."""
    _tensorboard.close()
