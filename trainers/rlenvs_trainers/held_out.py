"""Evaluation of a run's policy on held-out tasks: at the training temperature, and greedy beside it.

Sharpening alone moves the first; both must rise. Nothing here touches the random state of training: evaluation has
seeds of its own, the same at every step, so that before and after answer the same tasks with the same draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rlenvs.evaluation.evaluate import Evaluation, evaluate
from rlenvs.evaluation.present import rollout_rows
from rlenvs.evaluation.suites import Target
from rlenvs_trainers.config import EnvConfig
from rlenvs_trainers.token_policy import TokenPolicy

if TYPE_CHECKING:
    from rlenvs_trainers.run import Run

EVAL_SEED = 20_000_000  # apart from every training seed that people choose


def evaluate_held_out(run: Run) -> dict[str, Evaluation]:
    """Evaluate: "sampled" with the samples that the config asks for, "greedy" with one.

    `run.sqlite` gets every evaluation and its rollouts, observers its metrics.
    """
    settings, drawn = run.config.eval, run.config.sampling
    targets = [
        Target(env=env.id, kwargs=env.kwargs, num_tasks=settings.num_tasks, name=name)
        for env, name in zip(settings.env, _names(settings.env), strict=True)
    ]
    evaluations = {}
    for name, how, samples in (("sampled", drawn, settings.samples), ("greedy", replace(drawn, temperature=0.0), 1)):
        policy = TokenPolicy(run.sampler, run.renderer, how, name=run.policy.name, version=run.learner.version)
        evaluations[name] = evaluate(
            policy, targets, samples=samples, seed=EVAL_SEED, deadline_s=run.config.rollout.action_timeout_s
        )
        for summary, tried in zip(evaluations[name].summaries, evaluations[name].tried, strict=True):
            samples_of_target = [sample for sample in evaluations[name].samples if sample.target == summary.target]
            rows = rollout_rows(samples_of_target, version=run.learner.version)
            label, metrics = f"{summary.target} {name}", summary.metrics() | tried.metrics()
            run.store.write_eval(run.step, label, metrics, rows)
            run.plugins.notify("on_evaluation", step=run.step, name=label, metrics=metrics)
    return evaluations


def _names(envs: Sequence[EnvConfig]) -> list[str]:
    """The ids; numbered where one occurs more than once."""
    ids = [env.id for env in envs]
    return [id if ids.count(id) == 1 else f"{id} ({place + 1})" for place, id in enumerate(ids)]
