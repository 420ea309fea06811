"""From a step's tasks to its groups of trajectories: every group explored at once, within the step's deadline.

One group is `rollout.py`'s; when the sampler is asked, `barrier.py`'s; what is made of the attempts, `grouping.py`'s.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence

from rlenvs.deadline import Workers
from rlenvs.policies.base import Sampling
from rlenvs_trainers.algorithm import Explorer
from rlenvs_trainers.barrier import Barrier
from rlenvs_trainers.config import RolloutConfig
from rlenvs_trainers.grouping import RolloutResult, grouped
from rlenvs_trainers.jobs import Job
from rlenvs_trainers.records import Player
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.rollout import Rollouts, Session
from rlenvs_trainers.samplers.base import Sampler

log = logging.getLogger(__name__)


async def collect(
    jobs: Sequence[Job],
    *,
    explore: Explorer,
    sampler: Sampler,
    renderer: Renderer,
    params: Sampling,
    config: RolloutConfig,
    policy: str = "policy",
    version: int,
    step: int,
    seed: int,
    round: int = 0,
    workers: Workers | None = None,
) -> RolloutResult:
    """Play every job's group of attempts, all of them at once.

    Everything drawn depends on (seed, step, round, task, how often the task came before in `jobs`, attempt, retry,
    fork, seat, turn) alone, and which requests share a batch on the tasks alone: the same call gives the same result.
    (Not so past a deadline, nor with a sampler that batches by itself.)

    Args:
        params: of one action each.
        version: of the policy's weights; a sampler that serves another is an error.
        step: of training. A second call within a step, for tasks drawn to refill it, has another `round`.
        workers: where environments are called; None: as many as `config` says.

    Raises:
        StaleWeightsError: the sampler serves other weights.
        SamplerTimeoutError: the sampler gave no answer.
        RolloutError: an attempt failed for good, and `config.on_failure` is "abort".
    """
    session = Session(
        barrier=Barrier(sampler, config.sampler_timeout_s),
        renderer=renderer,
        workers=workers or Workers(config.workers or None),
        config=config,
        params=params,
        learner=Player(policy=policy, version=version),
        seed=seed,
        step=step,
        round=round,
    )
    seen: Counter[str] = Counter()
    rollouts = []
    for job in jobs:
        rollouts.append(Rollouts(session, job, occurrence=seen[job.task.fingerprint]))
        seen[job.task.fingerprint] += 1
    try:
        await _explore_all(session, explore, rollouts)
    finally:
        session.barrier.stop()
        await asyncio.gather(*(each.close() for each in rollouts))
    return grouped(session, rollouts)


async def _explore_all(session: Session, explore: Explorer, rollouts: Sequence[Rollouts]) -> None:
    """Let every group be explored; past the step's deadline, those that are not done are given up."""
    timeout_s = session.config.step_timeout_s
    try:
        async with asyncio.timeout(timeout_s) as deadline:
            await session.barrier.together(each.be_explored(explore) for each in rollouts)
    except TimeoutError:
        if not deadline.expired():
            raise
        pending = [each for each in rollouts if each.explored is None]
        names = ", ".join(map(str, pending))
        log.warning("step %s: given up after %g s (rollout.step_timeout_s): %s", session.step, timeout_s, names)
        for each in pending:
            each.give_up(f"it was not over when the step's {timeout_s:g} s were (rollout.step_timeout_s)")
