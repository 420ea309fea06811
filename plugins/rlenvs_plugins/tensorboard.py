"""Writes a run's metrics for TensorBoard, into `tensorboard/` in its folder. Set RLENVS_TENSORBOARD=1 to turn it on.

Look with `tensorboard --logdir runs`. A resumed run replaces what an interrupted one had written after its checkpoint.
Needs the extra: `pip install 'rlenvs-llm[tensorboard]'`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from rlenvs.errors import RlenvsError
from rlenvs.hooks import hookimpl

SWITCH, FOLDER = "RLENVS_TENSORBOARD", "tensorboard"


class TensorBoard:
    """The writer of the run that is going on, if any."""

    def __init__(self) -> None:
        self.folder: Path | None = None
        self.writer: Any = None

    def start(self, run_dir: Path) -> None:
        """Write this run's metrics from now on, if it was asked for."""
        self.close()
        self.folder = run_dir / FOLDER if os.environ.get(SWITCH, "0") not in ("", "0") else None

    def write(self, step: int, metrics: dict[str, float]) -> None:
        """Add a step. The first one says from where on older events count no longer."""
        if self.folder is None:
            return
        if self.writer is None:
            self.writer = _open(self.folder, step)
        for name, value in metrics.items():
            self.writer.add_scalar(name, value, step)
        self.writer.flush()

    def close(self) -> None:
        """Write no more."""
        if self.writer is not None:
            self.writer.close()
        self.folder, self.writer = None, None


def _open(folder: Path, step: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise RlenvsError(
            f"{SWITCH} is set, but TensorBoard is not installed: pip install 'rlenvs-llm[tensorboard]'"
        ) from error
    return SummaryWriter(str(folder), purge_step=step)


_tensorboard = TensorBoard()


@hookimpl
def on_run_start(run_dir: Path) -> None:
    """Make ready."""
    _tensorboard.start(run_dir)


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
