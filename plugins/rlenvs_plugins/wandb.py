"""Sends a run's config and metrics to Weights & Biases. Set RLENVS_WANDB to the project's name to turn it on.

Everything else is W&B's own: WANDB_MODE=offline writes to the run's folder without a network, WANDB_ENTITY and the rest
work as documented there. A resumed run goes on in the same W&B run.
Needs the extra: `pip install 'rlenvs-llm[wandb]'`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from rlenvs.errors import RlenvsError
from rlenvs.hooks import hookimpl

SWITCH = "RLENVS_WANDB"


class WeightsAndBiases:
    """The W&B run of the run that is going on, if any."""

    def __init__(self) -> None:
        self.run: Any = None

    def start(self, run_dir: Path, config: dict[str, Any]) -> None:
        """Open a W&B run, or the one that this folder had before, if it was asked for."""
        self.finish("stopped")
        project = os.environ.get(SWITCH, "")
        if project:
            name = run_dir.resolve().name
            run_id = re.sub(r"[^A-Za-z0-9_-]", "-", name)
            self.run = _wandb().init(
                project=project, name=name, id=run_id, resume="allow", dir=str(run_dir), config=config
            )

    def log(self, step: int, metrics: dict[str, float]) -> None:
        """Send a step's metrics."""
        if self.run is not None:
            self.run.log(metrics, step=step)

    def finish(self, status: str) -> None:
        """Close the W&B run; a failed run of ours is one of theirs."""
        if self.run is not None:
            self.run.finish(exit_code=1 if status == "failed" else 0)
        self.run = None


def _wandb() -> Any:
    try:
        import wandb
    except ImportError as error:
        raise RlenvsError(f"{SWITCH} is set, but W&B is not installed: pip install 'rlenvs-llm[wandb]'") from error
    return wandb


_wandb_run = WeightsAndBiases()


@hookimpl
def on_run_start(run_dir: Path, config: dict[str, Any]) -> None:
    """Open the W&B run."""
    _wandb_run.start(run_dir, config)


@hookimpl
def after_step(step: int, metrics: dict[str, float]) -> None:
    """Send the step's metrics."""
    _wandb_run.log(step, metrics)


@hookimpl
def on_run_end(status: str) -> None:
    """Close the W&B run."""
    _wandb_run.finish(status)
