"""`rlenvs train` and `rlenvs sft`: from the command line to a run, with progress, signals and exit codes."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rlenvs.errors import RlenvsError
from rlenvs_trainers import cli_algorithms
from rlenvs_trainers.algorithm import Algorithm

if TYPE_CHECKING:
    from rlenvs.plugins import Plugins
    from rlenvs_trainers.config import TrainConfig
    from rlenvs_trainers.loop import StepReport
    from rlenvs_trainers.records import Trajectory
    from rlenvs_trainers.run import Run

FAILED = 1  # the exit code of work that came to nothing
SLOTS = frozenset(slot.name for slot in fields(Algorithm)) - {"name"}

ConfigFile = Annotated[
    Path | None, typer.Argument(help="A TOML file. Without one: the defaults, and the options below.")
]
Env = Annotated[list[str] | None, typer.Option(help="Environment id; repeat for a mix. Adds [[env]] tables.")]
PolicySpec = Annotated[str | None, typer.Option(help='"tiny", a folder, a checkpoint, or a hub id.')]
Steps = Annotated[int | None, typer.Option(help="Training steps.")]
Seed = Annotated[int | None, typer.Option(help="Of everything: tasks, samples, the tiny policy's weights.")]
Name = Annotated[str | None, typer.Option(help="Folder of the run, inside of --runs-dir.")]
RunsDir = Annotated[Path | None, typer.Option(help="Where runs are kept.")]
Sets = Annotated[list[str] | None, typer.Option("--set", help="One setting: learner.lr=1e-5, surrogate.high=0.28 …")]
Resume = Annotated[Path | None, typer.Option(help="Folder of a run: go on from its newest complete checkpoint.")]


def add_to(app: typer.Typer) -> None:
    """Add the trainers' commands to the application."""
    app.command("train")(train)
    app.command("sft")(sft)
    cli_algorithms.add_to(app)


def train(
    ctx: typer.Context,
    config: ConfigFile = None,
    env: Env = None,
    algorithm: Annotated[str | None, typer.Option(help="See `rlenvs algorithms`.")] = None,
    policy: PolicySpec = None,
    steps: Steps = None,
    seed: Seed = None,
    name: Name = None,
    runs_dir: RunsDir = None,
    sets: Sets = None,
    resume: Resume = None,
) -> None:
    """Train a policy by acting: rollouts, credit, update.

    The first Ctrl-C finishes the step, saves and stops; the second stops at once. `--resume` goes on as if nothing
    had happened.
    """
    given = {"algorithm": algorithm, "policy": policy, "steps": steps, "seed": seed, "name": name, "runs_dir": runs_dir}
    _run(ctx.obj, config, [*_env_settings(env), *_settings(given), *(sets or [])], resume)


def sft(
    ctx: typer.Context,
    config: ConfigFile = None,
    env: Env = None,
    policy: PolicySpec = None,
    steps: Steps = None,
    seed: Seed = None,
    name: Name = None,
    runs_dir: RunsDir = None,
    sets: Sets = None,
    resume: Resume = None,
) -> None:
    """Warm start: imitate what environments demonstrate.

    The same loop as `rlenvs train`, with the algorithm "sft": one demonstration per task instead of sampled attempts.
    A tiny policy starts from nothing: where nobody sets learner.lr, it is 1e-3 for it.
    """
    given = {"policy": policy, "steps": steps, "seed": seed, "name": name, "runs_dir": runs_dir}
    always = ['algorithm="sft"', "rollout.group_size=1"]
    asked = [*always, *_env_settings(env), *_settings(given), *(sets or [])]
    _run(ctx.obj, config, [*_warm_start_rate(config, asked), *asked] if resume is None else asked, resume)


def _warm_start_rate(config: Path | None, sets: list[str]) -> list[str]:
    """The setting of a learning rate at which fresh weights learn; none for other policies, or where one is set."""
    import tomllib

    from rlenvs.overrides import overridden

    try:
        table = tomllib.loads(config.read_text(encoding="utf-8")) if config is not None else {}
    except (OSError, ValueError):
        return []  # a file that is refused with a better sentence when it is read
    for text in sets:
        if _subject(text) in ("policy", "learner"):
            table = overridden(table, text)
    is_tiny = str(table.get("policy", "tiny")).partition(":")[0] == "tiny"
    learner = table.get("learner", {})
    return ["learner.lr=1e-3"] if is_tiny and isinstance(learner, dict) and "lr" not in learner else []


def _run(plugins: Plugins, config: Path | None, sets: list[str], resume: Path | None) -> None:
    from rlenvs_trainers.assembly import new_run, resumed_run
    from rlenvs_trainers.interrupts import stop_on_signal
    from rlenvs_trainers.samplers.base import BrokenWeightsError, StaleWeightsError

    if resume is not None and config is not None:
        raise RlenvsError(f"--resume {resume} reads the run's own config.toml; leave out {config}")
    if resume is not None and not (resume / "config.toml").is_file():
        raise RlenvsError(f"{resume} holds no run: there is no config.toml in it")
    settings, plugins = _settled(plugins, resume / "config.toml" if resume else config, sets)
    run = resumed_run(resume, settings, plugins) if resume else new_run(settings, plugins)
    for note in run.notes:
        _tell(note)
    with stop_on_signal() as stop:
        try:
            with run:
                _show(run, stop)
        except (RlenvsError, BrokenWeightsError, StaleWeightsError, ValueError, OSError) as error:
            if os.environ.get("RLENVS_TRACEBACK"):
                raise
            is_plain = isinstance(error, RlenvsError | BrokenWeightsError | StaleWeightsError)
            _tell(str(error) if is_plain else f"{error} (RLENVS_TRACEBACK=1 shows where)")
            raise typer.Exit(FAILED) from error  # the input was good: the work failed
        except KeyboardInterrupt:
            _tell(f"stopped at once, in step {run.step + 1}")
    if stop and run.saved < run.config.steps:
        _tell(f"go on after step {run.saved} with: rlenvs train --resume {run.folder}")
        raise typer.Exit(stop.exit_code)


def _settled(plugins: Plugins, file: Path | None, sets: list[str]) -> tuple[TrainConfig, Plugins]:
    """The config, and the plug-ins of the command line and of the config together, each known to the other."""
    from rlenvs.config import read
    from rlenvs.plugins import load
    from rlenvs_trainers.config import TrainConfig

    settings = read(TrainConfig, file, [_slot_option(text) for text in sets])
    files = dict.fromkeys([*map(str, plugins.files), *settings.plugins])
    if len(files) > len(plugins.files):
        plugins = load(list(files))
    return replace(settings, plugins=tuple(files)), plugins


def _slot_option(setting: str) -> str:
    """`surrogate.high=0.28` is short for `algorithm_options.surrogate.high=0.28`."""
    return f"algorithm_options.{setting}" if _subject(setting) in SLOTS else setting


def _subject(setting: str) -> str:
    """`surrogate` of "surrogate.high=0.28"."""
    return setting.partition("=")[0].partition(".")[0].strip()


def _show(run: Run, stop: Any) -> None:
    """Run it, with a line that says how it goes."""
    from rlenvs.cli.progress import Progress
    from rlenvs_trainers.loop import train as steps
    from rlenvs_trainers.outcome import steps_in_vain

    if run.step >= run.config.steps and not run.is_evaluation_due:
        already = f"{run.folder} has made its {run.step} steps already"
        _tell(f"{already}: nothing is trained or evaluated again. For more: --steps")
    seen = _Seen()
    with Progress(run.algorithm.name, run.config.steps, "steps", done=run.step) as progress:
        for report in steps(run, stop):
            progress.advance(note=seen.add(report))
    print(f"{run.folder}: {run.step} of {run.config.steps} steps")
    seen.conclude()
    in_vain = steps_in_vain(run)
    if in_vain:
        _tell(in_vain)


@dataclass(slots=True)
class _Seen:
    """What failed as steps went by, for the line that says how it goes and the last words."""

    failed: int = 0  # attempts
    last_failure: Trajectory | None = None

    def add(self, report: StepReport) -> str:
        """The note on a step."""
        metrics = report.metrics
        if report.failures:
            self.failed, self.last_failure = self.failed + len(report.failures), report.failures[-1]
        shown = {"reward": "reward/mean", "accuracy": "accuracy", "tokens": "tokens/mean", "loss": "loss"}
        notes = [f"{label} {metrics[name]:.3f}" for label, name in shown.items() if name in metrics]
        return "  ".join([*notes, *([f"failed {self.failed}"] if self.failed else [])])

    def conclude(self) -> None:
        """Say what must not be overlooked."""
        if self.last_failure is not None:
            task, ending = self.last_failure.task_id, self.last_failure.ending
            why = self.last_failure.error.partition("\n")[0]
            _tell(f"{self.failed} attempts failed (retries among them), in no group. The last: {task}, {ending}: {why}")


def _tell(sentence: str) -> None:
    print(f"rlenvs: {sentence}", file=sys.stderr)


def _env_settings(ids: list[str] | None) -> list[str]:
    return [f'env.{place}.id="{id}"' for place, id in enumerate(ids or [])]


def _settings(given: dict[str, Any]) -> list[str]:
    """Options as `--set` would have them; strings are quoted, so that a name like "1" stays a name."""
    return [
        f"{name}={value}" if isinstance(value, int) else f'{name}="{value}"'
        for name, value in given.items()
        if value is not None
    ]
