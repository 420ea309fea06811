"""What a training run is told: frozen dataclasses of real fields, read from TOML and changed by `--set a.b=c`.

Reading, near-miss errors and writing are `rlenvs.config`'s; algorithms and their slots have their own fields.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from rlenvs.config import FILLS_SLOTS
from rlenvs.policies.base import Sampling, check_device


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvConfig:
    """One environment to train on, and its share of the tasks."""

    id: str  # e.g. "rlenvs/Arithmetic-v0"
    kwargs: Mapping[str, Any] = field(default_factory=dict)  # what gymnasium.make passes on
    weight: float = 1.0  # share of the tasks, relative to the other environments
    seats: tuple[str, ...] | None = None  # which seats the policy learns in; None: all of them

    def __post_init__(self) -> None:
        if not self.weight > 0:
            raise ValueError(f"env.weight is positive: got {self.weight} for {self.id}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutConfig:
    """How experience is gathered."""

    tasks_per_step: int = 16
    group_size: int = 8  # attempts at each task
    on_failure: Literal["drop", "drop_group", "abort"] = "drop"  # after the retries
    retries: int = 1  # of an attempt that failed (env_error, grader_error, sandbox_error, timeout)
    action_timeout_s: float = 120.0  # for the environment to take one action, grader included, or to begin
    sampler_timeout_s: float = 3600.0  # for the sampler to answer the requests of a step's attempts once
    step_timeout_s: float = 14_400.0  # for all attempts of a step; what is not over by then is dropped
    workers: int = 0  # calls of environments at a time; 0: two per processor
    max_staleness: int = 0  # updates that the sampler's weights may lag behind the trainer's; beyond it, an error

    def __post_init__(self) -> None:
        _check_least(1, "rollout.", tasks_per_step=self.tasks_per_step, group_size=self.group_size)
        _check_least(0, "rollout.", retries=self.retries, max_staleness=self.max_staleness, workers=self.workers)
        for name in ("action_timeout_s", "sampler_timeout_s", "step_timeout_s"):
            if not getattr(self, name) > 0:
                raise ValueError(f"rollout.{name} is positive: got {getattr(self, name)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerConfig:
    """How weights change."""

    lr: float = 1e-6
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    warmup_steps: int = 0  # optimiser steps
    weight_decay: float = 0.0
    betas: tuple[float, float] = (0.9, 0.999)
    max_grad_norm: float = 1.0  # 0: no bound
    tokens_per_microbatch: int = 4096  # padded tokens in one forward
    packing: Literal["none", "prefix"] = "prefix"  # prefix: a prompt that several completions share is computed once
    device: str = "auto"  # "cpu", "cuda", "cuda:1"; auto: cuda where there is one
    dtype: Literal["float32", "bfloat16"] = "float32"  # of the forward passes; weights stay in float32
    gradient_checkpointing: bool = False

    def __post_init__(self) -> None:
        _check_least(1, "learner.", tokens_per_microbatch=self.tokens_per_microbatch)
        _check_least(
            0,
            "learner.",
            lr=self.lr,
            warmup_steps=self.warmup_steps,
            weight_decay=self.weight_decay,
            max_grad_norm=self.max_grad_norm,
        )
        if math.isinf(self.lr):
            raise ValueError(f"learner.lr is finite: got {self.lr}")
        if not all(0 <= beta < 1 for beta in self.betas):
            raise ValueError(f"learner.betas are in [0, 1): got {self.betas}")
        check_device("learner.device", self.device)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalConfig:
    """Held-out evaluation before, during and after training. It never touches the training's random state."""

    env: tuple[EnvConfig, ...] = ()  # empty: none
    num_tasks: int = 0  # per environment; 0: none
    samples: int = 1  # at the training temperature
    every: int = 0  # steps; 0: only before and after

    def __post_init__(self) -> None:
        _check_least(0, "eval.", num_tasks=self.num_tasks, every=self.every)
        _check_least(1, "eval.", samples=self.samples)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainConfig:
    """A whole run."""

    policy: str = "tiny"  # "tiny", a folder in Hugging Face's layout, a checkpoint, or a hub id
    algorithm: str = "grpo"
    algorithm_options: Mapping[str, Any] = field(default_factory=dict, metadata=FILLS_SLOTS)
    """Of the algorithm's slots: {"surrogate": {"high": 0.28}}, {"surrogate": "soft"}."""
    algorithm_slots: Mapping[str, Any] = field(default_factory=dict)
    """What the options change, slot by slot, as a run writes it down; empty: the algorithm as it is registered."""
    env: tuple[EnvConfig, ...] = ()
    sampler: str = "transformers"
    sampler_options: Mapping[str, Any] = field(default_factory=dict)  # what the sampler's factory takes: max_rows …
    sampling: Sampling = field(default_factory=Sampling)
    rollout: RolloutConfig = field(default_factory=RolloutConfig)
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    eval: EvalConfig = field(default_factory=EvalConfig)
    steps: int = 100
    seed: int = 0
    checkpoint_every: int = 50  # steps; the last step always has one
    keep_checkpoints: int = 2  # the newest; 0: all of them
    runs_dir: Path = Path("runs")
    name: str = ""  # empty: algorithm, environment and time
    plugins: tuple[str, ...] = ()  # local files, besides installed ones

    def __post_init__(self) -> None:
        _check_least(1, "", steps=self.steps, checkpoint_every=self.checkpoint_every)
        _check_least(0, "", keep_checkpoints=self.keep_checkpoints, seed=self.seed)
        if self.seed >= 2**63:
            raise ValueError(f"seed is below 2**63: got {self.seed}")
        if not self.env:
            raise ValueError("a run needs an environment: --env rlenvs/Arithmetic-v0, or [[env]] in the config")
        if Path(self.name).is_absolute() or ".." in Path(self.name).parts:
            raise ValueError(f"name is that of a folder inside of runs_dir: got {self.name!r}")


def _check_least(least: int, where: str, **values: float) -> None:
    for name, value in values.items():
        if not value >= least:  # also catches NaN
            raise ValueError(f"{where}{name} is at least {least}: got {value}")
