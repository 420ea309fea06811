"""Sends a run's config and metrics to Weights & Biases. Set RLENVS_WANDB to the project's name to turn it on.

Everything else is W&B's own: WANDB_MODE=offline writes to the run's folder without a network, WANDB_ENTITY and the rest
work as documented there. A resumed run goes on in the same W&B run, whose id is in the file `wandb-id` in its folder.
Needs the extra: `pip install 'rlenvs-llm[wandb]'`.
"""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from typing import Any

from rlenvs.errors import RlenvsError
from rlenvs.hooks import hookimpl

SWITCH, ID_FILE = "RLENVS_WANDB", "wandb-id"
STEP = "step"  # of training: the x-axis


class WeightsAndBiases:
    """The W&B run of the run that is going on, if any."""

    def __init__(self) -> None:
        self.run: Any = None

    def start(self, run_dir: Path, config: dict[str, Any]) -> None:
        """Open a W&B run, or the one that this folder had before, if it was asked for."""
        self.finish("stopped")
        project = os.environ.get(SWITCH, "")
        if project:
            name, run_id = run_dir.resolve().name, _id_of(run_dir)
            self.run = _wandb().init(
                project=project, name=name, id=run_id, resume="allow", dir=str(run_dir), config=config
            )
            self.run.define_metric(STEP)
            self.run.define_metric("*", step_metric=STEP)

    def log(self, step: int, metrics: dict[str, float]) -> None:
        """Send a step's metrics. The step is a metric of its own: W&B's counts on where an interrupted run stopped."""
        if self.run is not None:
            self.run.log({STEP: step, **metrics})

    def finish(self, status: str) -> None:
        """Close the W&B run; a failed run of ours is one of theirs."""
        if self.run is not None:
            self.run.finish(exit_code=1 if status == "failed" else 0)
        self.run = None


def _id_of(run_dir: Path) -> str:
    """The W&B id of the run in this folder, kept there: folders of the same name are different runs."""
    file = run_dir / ID_FILE
    if not file.exists():
        file.write_text(uuid.uuid4().hex)
    return file.read_text().strip()


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
def on_evaluation(step: int, name: str, metrics: dict[str, float]) -> None:
    """Send what came of held-out tasks."""
    _wandb_run.log(step, {f"eval/{name}/{metric}": value for metric, value in metrics.items()})


@hookimpl
def on_run_end(status: str) -> None:
    """Close the W&B run."""
    _wandb_run.finish(status)
