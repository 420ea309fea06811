"""From a config to a `Run`: a new one, or one that goes on from its newest complete checkpoint.

What cannot work is refused here, before any work; the checks themselves are in `preflight.py`.
"""

from __future__ import annotations

import itertools
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

import rlenvs
from rlenvs import config as config_files
from rlenvs.deadline import Workers
from rlenvs.errors import RlenvsError
from rlenvs.store import RunStore
from rlenvs_trainers import checkpoint, generators, slots
from rlenvs_trainers.config import EnvConfig, TrainConfig
from rlenvs_trainers.learner import Learner
from rlenvs_trainers.lock import locked
from rlenvs_trainers.policy import load_policy
from rlenvs_trainers.preflight import (
    check_config,
    check_ranks,
    check_sampler,
    check_seats,
    check_slots,
    check_step,
)
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.run import CHECKPOINTS, CONFIG, STORE, Run
from rlenvs_trainers.samplers.base import SamplerContext
from rlenvs_trainers.task_sampler import TaskSampler

if TYPE_CHECKING:
    from rlenvs.env import TextEnv
    from rlenvs.plugins import Plugins


def new_run(config: TrainConfig, plugins: Plugins) -> Run:
    """A run that starts at step 0, in a folder of its own."""
    folder = config.runs_dir / config.name if config.name else _unused(config.runs_dir / _name(config))
    if (folder / CONFIG).exists():
        raise RlenvsError(f"{folder} holds a run already: resume it (--resume {folder}) or choose another --name")
    run = _assembled(config, folder, plugins, policy_spec=config.policy)
    config_files.write(run.config, folder / CONFIG)
    run.publish_weights()
    return run


def resumed_run(folder: Path, config: TrainConfig, plugins: Plugins) -> Run:
    """The run in `folder`, at its newest complete checkpoint; what was recorded after it is forgotten.

    Args:
        config: the folder's own config.toml, as it was or with changes.
    """
    lock = locked(folder)
    found = checkpoint.newest(folder / CHECKPOINTS)
    spec = str(found.path / "policy") if found.path else config.policy
    run = _assembled(config, folder, plugins, policy_spec=spec, lock=lock)
    if found.path is not None:
        run.restore(found.path)
    run.store.drop_after(run.step)
    for path, reason in found.skipped:
        run.store.write_event(run.step, "checkpoint_skipped", {"path": str(path), "reason": reason})
        run.notes += (f"checkpoint {path} was skipped: {reason}. The run goes on after step {run.step}.",)
    config_files.write(run.config, folder / CONFIG)
    run.publish_weights()
    return run


def _assembled(
    config: TrainConfig, folder: Path, plugins: Plugins, policy_spec: str, lock: IO[str] | None = None
) -> Run:
    components = plugins.components
    base = slots.restored(plugins.algorithms[config.algorithm], config.algorithm_slots, components)
    algorithm = config_files.with_options(base, config.algorithm_options, components)
    check_slots(algorithm)
    check_config(config, algorithm)
    check_ranks(int(os.environ.get("WORLD_SIZE", "1")))
    generators.seed(config.seed)
    envs = [_made(env, plugins) for env in config.env]
    check_step(config, algorithm, envs)
    for env in config.eval.env:
        _made(env, plugins)  # one that cannot be made is told now, not after an hour
    tasks = TaskSampler(envs, [env.weight for env in config.env], config.seed)
    policy = load_policy(policy_spec, seed=config.seed)
    renderer = Renderer(policy.tokenizer, eos_ids=policy.eos_ids)
    learner = Learner(
        policy.model,
        config.learner,
        algorithm,
        temperature=config.sampling.temperature,
        num_steps=config.steps,
        seed=config.seed,
    )
    sampler = plugins.samplers[config.sampler](
        SamplerContext(
            model=policy.model,
            renderer=renderer,
            spec=policy_spec,
            dtype=config.learner.dtype,
            options=config.sampler_options,
        )
    )
    check_sampler(algorithm, sampler, config)
    return Run(
        config=replace(config, algorithm_options={}, algorithm_slots=slots.kept(algorithm, components)),
        folder=folder,
        plugins=plugins,
        algorithm=algorithm,
        policy=policy,
        renderer=renderer,
        sampler=sampler,
        learner=learner,
        envs=envs,
        tasks=tasks,
        lock=lock or locked(folder),
        store=RunStore(folder / STORE),
        workers=Workers(config.rollout.workers or None),
        notes=(*slots.notes(config.algorithm_slots, base, components), *learner.notes, *sampler.notes),
    )


def _made(env: EnvConfig, plugins: Plugins) -> TextEnv:
    plugins.environments.check_unambiguous(env.id)
    made = rlenvs.make(env.id, **env.kwargs)
    check_seats(env, made)
    return made


def _unused(folder: Path) -> Path:
    """The folder, or where it is there already (two runs of one second) the first of its numbered neighbours."""
    neighbours = (folder.with_name(f"{folder.name}-{number}") for number in itertools.count(2))
    return next(path for path in itertools.chain([folder], neighbours) if not path.exists())


def _name(config: TrainConfig) -> str:
    envs = "+".join(env.id.rpartition("/")[2].lower() for env in config.env)
    return f"{config.algorithm}-{envs}-{time.strftime('%Y%m%d-%H%M%S')}"
