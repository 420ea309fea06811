"""`Run`: what a training run holds while it goes on, what it leaves on disk and how that is restored.

How one is put together is in `assembly.py`, the step itself in `loop.py`, the format of a checkpoint in
`checkpoint.py`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from rlenvs import config as config_files
from rlenvs.deadline import Workers
from rlenvs.errors import RlenvsError
from rlenvs.store import RunStore
from rlenvs_trainers import checkpoint, generators
from rlenvs_trainers.algorithm import Algorithm, Models
from rlenvs_trainers.collect import collect
from rlenvs_trainers.config import TrainConfig
from rlenvs_trainers.grouping import RolloutResult
from rlenvs_trainers.held_out import evaluate_held_out, ways_left
from rlenvs_trainers.jobs import Job, job_at
from rlenvs_trainers.learner import Learner, LearnerState
from rlenvs_trainers.models import RunModels
from rlenvs_trainers.policy import LoadedPolicy
from rlenvs_trainers.recording import rollout_rows
from rlenvs_trainers.records import Group, Player
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.samplers.base import Sampler
from rlenvs_trainers.task_sampler import DrawnTask, TaskSampler

if TYPE_CHECKING:
    from rlenvs.env import TextEnv
    from rlenvs.plugins import Plugins
    from rlenvs_trainers.loop import StepReport

CONFIG, STORE, CHECKPOINTS = "config.toml", "run.sqlite", "checkpoints"
LEARNER = "learner."  # what its tensors are called in a checkpoint


@dataclass(kw_only=True)
class Run:
    """One training run. Mutable: it is the state that a checkpoint holds."""

    config: TrainConfig
    folder: Path
    plugins: Plugins
    algorithm: Algorithm
    policy: LoadedPolicy
    renderer: Renderer
    sampler: Sampler
    learner: Learner
    envs: Sequence[TextEnv]
    tasks: TaskSampler
    lock: IO[str]
    store: RunStore
    step: int = 0  # finished steps
    saved: int = 0  # the step whose state is on disk; 0 is the policy that it started from
    notes: tuple[str, ...] = ()  # what a person should know before it begins, a sentence each
    memory: dict[str, Any] = field(default_factory=dict)  # what slots remember between steps
    events: asyncio.Runner = field(default_factory=asyncio.Runner)  # one event loop, for samplers with connections
    workers: Workers

    def __enter__(self) -> Self:
        config = config_files.to_dict(self.config)
        settings = {name: value for name, value in config.items() if not name.startswith("algorithm_")}
        facts = {"config": settings, "algorithm": self._slots(), "notes": self.notes}
        self.store.write_event(self.step, "run_started", facts)
        self.plugins.notify("on_run_start", run_dir=self.folder, config=config, step=self.step)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, where: object) -> None:
        is_failure = kind is not None and not issubclass(kind, KeyboardInterrupt)
        status = "failed" if is_failure else "finished" if self.step >= self.config.steps else "stopped"
        self.store.write_event(self.step, f"run_{status}", {"error": str(error or "")})
        self.plugins.notify("on_run_end", run_dir=self.folder, status=status)
        self.store.close()
        self.sampler.close()
        self.lock.close()
        self.events.close()

    # What the loop asks for.

    def collect(self, drawn: Sequence[DrawnTask], round: int) -> RolloutResult:
        """Attempts at these tasks by the present policy; `round` tells the calls of one step apart."""
        return self.events.run(self._collect(drawn, round))

    async def _collect(self, drawn: Sequence[DrawnTask], round: int) -> RolloutResult:
        return await collect(
            [await self._job(each) for each in drawn],
            explore=self.algorithm.explore,
            sampler=self.sampler,
            renderer=self.renderer,
            params=self.config.sampling,
            config=self.config.rollout,
            version=self.learner.version,
            step=self.step,
            seed=self.config.seed,
            round=round,
            workers=self.workers,
        )

    async def _job(self, drawn: DrawnTask) -> Job:
        named, timeout_s = self.config.env[drawn.env], self.config.rollout.action_timeout_s
        return await job_at(
            self.envs[drawn.env],
            drawn.index,
            name=named.id,
            seats=named.seats,
            workers=self.workers,
            timeout_s=timeout_s,
        )

    def annotated(self, groups: list[Group]) -> list[Group]:
        """The groups with what models say of them."""
        for annotate in self.algorithm.annotate:
            groups = list(self.events.run(annotate(groups, self.models)))
        return groups

    @property
    def models(self) -> Models:
        """What annotators may ask."""
        return RunModels(
            sampler=self.sampler,
            renderer=self.renderer,
            learner=self.learner,
            player=Player(policy="policy", version=self.learner.version),
            max_staleness=self.config.rollout.max_staleness,
        )

    def publish_weights(self) -> None:
        """Let the sampler serve what the learner has."""
        self.sampler.load(self.learner.weights(), self.learner.version)

    def remember(self) -> None:
        """Keep the slots' memory as a checkpoint would: what it cannot hold is an error at once, not at the save."""
        try:
            self.memory = json.loads(json.dumps(self.memory))
        except TypeError as error:
            raise RlenvsError(f"a slot of {self.algorithm.name!r} remembers what JSON cannot hold: {error}") from error

    def record(self, report: StepReport) -> None:
        """Write a finished step to `run.sqlite`, and tell observers."""
        rows = rollout_rows(report.groups, (*report.others, *report.failures), self.renderer)
        self.store.write_step(report.step, report.metrics, rows)
        self.plugins.notify("after_rollouts", step=report.step, trajectories=[asdict(row) for row in rows])
        self.plugins.notify("after_step", step=report.step, metrics=report.metrics)

    def evaluate_if_due(self) -> None:
        """Evaluate on held-out tasks, if it is time and `run.sqlite` does not have it."""
        if self.is_evaluation_due:
            evaluate_held_out(self)

    @property
    def is_evaluation_due(self) -> bool:
        """Before the first step, every so often, and after the last; never the same twice."""
        settings, is_first, is_last = self.config.eval, self.step == 0, self.step == self.config.steps
        is_time = is_first or is_last or (settings.every and self.step % settings.every == 0)
        return bool(settings.num_tasks and is_time and ways_left(self))

    def save_if_due(self, *, stopping: bool = False) -> None:
        """Save every so often, after the last step, and before stopping; never the same step twice."""
        is_due = stopping or self.step % self.config.checkpoint_every == 0 or self.step == self.config.steps
        if is_due and self.saved != self.step:
            self.save()

    # What survives a kill.

    def save(self) -> Path:
        """Write a checkpoint of everything that the next step depends on."""
        learner = self.learner.state_dict()
        path = checkpoint.save(
            self.folder / CHECKPOINTS,
            self.step,
            tensors={LEARNER + name: tensor for name, tensor in learner.tensors.items()} | generators.state_tensors(),
            state={
                "learner": learner.metadata,
                "tasks": self.tasks.state_dict(),
                "memory": self.memory,
                "generators": generators.state_values(),
                "algorithm": config_files.digest(self.algorithm),
                "slots": self._slots(),
            },
            write_policy=self.policy.save,
        )
        self.saved = self.step
        checkpoint.prune(self.folder / CHECKPOINTS, self.config.keep_checkpoints, written=path)
        self.plugins.notify("on_checkpoint", step=self.step, path=path)
        return path

    def _slots(self) -> dict[str, Any]:
        """Everything that the algorithm is made of."""
        return config_files.describe(self.algorithm, self.plugins.components)

    def restore(self, path: Path) -> None:
        """Be as the run was when it wrote the checkpoint at `path`.

        Raises:
            RlenvsError: another algorithm wrote it, or the same one with other options.
        """
        tensors, state = checkpoint.load(path)
        if state["algorithm"] != config_files.digest(self.algorithm):
            others = ", ".join(checkpoint.differences(state["slots"], self._slots())) or "a class is another one"
            raise RlenvsError(
                f"the checkpoint in {self.folder} was written by another algorithm than {self.algorithm.name!r} with "
                f"its present options: {others}. Resume with the options it was started with, or start a new run from "
                "its policy."
            )
        own = {name.removeprefix(LEARNER): tensor for name, tensor in tensors.items() if name.startswith(LEARNER)}
        self.learner.load_state_dict(LearnerState(tensors=own, metadata=state["learner"]))
        self.tasks.load_state_dict(state["tasks"])
        self.memory, self.step = state["memory"], state["step"]
        self.saved = self.step
        generators.restore(tensors, state["generators"])
