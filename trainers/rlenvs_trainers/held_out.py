"""Evaluation of a run's policy on held-out tasks: at the training temperature, and greedy beside it.

Sharpening alone moves the first; both must rise. Nothing here touches the random state of training: evaluation has
seeds of its own, the same at every step, so that before and after answer the same tasks with the same draws. What was
evaluated in whole is an event of the run: a resumed run does not make it again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rlenvs import config as config_files
from rlenvs.evaluation.evaluate import evaluate
from rlenvs.evaluation.present import rollout_rows
from rlenvs.evaluation.suites import Target
from rlenvs_trainers.config import EnvConfig
from rlenvs_trainers.token_policy import TokenPolicy

if TYPE_CHECKING:
    from rlenvs_trainers.run import Run

EVAL_SEED = 20_000_000  # apart from every training seed that people choose
EVALUATED = "evaluated"  # the event; its payload says how, and with which settings
WAYS = ("sampled", "greedy")


def evaluate_held_out(run: Run) -> None:
    """Evaluate in the ways that are left: "sampled" with the samples that the config asks for, "greedy" with one.

    `run.sqlite` gets every evaluation and its rollouts, observers its metrics.
    """
    for way in ways_left(run):
        _evaluate(run, way)
        run.store.write_event(run.step, EVALUATED, _asked(run, way))


def ways_left(run: Run) -> list[str]:
    """Those in which the policy of this step was not evaluated yet, or was with other settings."""
    events = [event for event in run.store.events() if (event.step, event.kind) == (run.step, EVALUATED)]
    made = {event.payload["way"]: event.payload for event in events}
    return [way for way in WAYS if made.get(way) != _asked(run, way)]


def _asked(run: Run, way: str) -> dict[str, Any]:
    """What decides the outcome, as JSON values."""
    config = config_files.to_dict(replace(run.config, eval=replace(run.config.eval, every=0)))
    settings = {name: config[name] for name in ("policy", "eval", "sampling")}
    limits = {"action_timeout_s": run.config.rollout.action_timeout_s}
    asked: dict[str, Any] = json.loads(json.dumps({"way": way, **settings, **limits}))
    return asked


def _evaluate(run: Run, way: str) -> None:
    settings, sampled = run.config.eval, run.config.sampling
    how, samples = (sampled, settings.samples) if way == "sampled" else (replace(sampled, temperature=0.0), 1)
    targets = [
        Target(env=env.id, kwargs=env.kwargs, num_tasks=settings.num_tasks, name=name)
        for env, name in zip(settings.env, _names(settings.env), strict=True)
    ]
    policy = TokenPolicy(run.sampler, run.renderer, how, name=run.policy.name, version=run.learner.version)
    evaluation = evaluate(
        policy, targets, samples=samples, seed=EVAL_SEED, deadline_s=run.config.rollout.action_timeout_s
    )
    for summary, tried in zip(evaluation.summaries, evaluation.tried, strict=True):
        samples_of_target = [sample for sample in evaluation.samples if sample.target == summary.target]
        rows = rollout_rows(samples_of_target, version=run.learner.version)
        label, metrics = f"{summary.target} {way}", summary.metrics() | tried.metrics()
        run.store.write_eval(run.step, label, metrics, rows)
        run.plugins.notify("on_evaluation", step=run.step, name=label, metrics=metrics)


def _names(envs: Sequence[EnvConfig]) -> list[str]:
    """The ids; numbered where one occurs more than once."""
    ids = [env.id for env in envs]
    return [id if ids.count(id) == 1 else f"{id} ({place + 1})" for place, id in enumerate(ids)]
