"""Plays many episodes at once, in deterministic rounds.

In a round every episode in flight makes one request; the policy gets them all at once, then every environment takes
its step in a thread with a deadline. Which requests meet in a batch depends on the tasks, never on the clock.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from itertools import islice

from rlenvs.deadline import Workers
from rlenvs.episode import Episode as EnvEpisode
from rlenvs.episode import check_task, start
from rlenvs.errors import RlenvsError
from rlenvs.evaluation.play import Job, Play, failed_sample
from rlenvs.evaluation.results import Episode, Sample
from rlenvs.policies.base import Policy
from rlenvs.records import Task


async def play(
    policy: Policy, jobs: Iterable[Job], *, seed: int, in_flight: int, deadline_s: float, workers: Workers
) -> AsyncIterator[list[Episode]]:
    """Every job's samples: after each round, the episodes that ended in it, in the order of the jobs.

    Args:
        seed: of the evaluation; each request's own follows from it, the task, the sample, the seat and the turn.
        in_flight: episodes at once. One that ends makes room for the next in the following round.
        deadline_s: for one step of an environment, its grader included.
    """
    waiting = iter(jobs)
    active: list[Play] = []
    try:
        while True:
            fresh = list(islice(waiting, in_flight - len(active)))
            opened = await asyncio.gather(*(_open(job, seed, workers, deadline_s) for job in fresh))
            ended: list[Episode] = [(result,) for result in opened if isinstance(result, Sample)]
            active += [result for result in opened if isinstance(result, Play)]
            if not active and not ended:
                return
            await _round(policy, [play for play in active if not play.is_over], workers, deadline_s)
            over = [play for play in active if play.is_over]
            await _close(over, workers, deadline_s)
            ended += [play.samples() for play in over]
            active = [play for play in active if not play.is_over]
            if ended:
                yield ended
    finally:  # also where the policy raised, or somebody wants no more
        await _close(active, workers, deadline_s)


async def _close(plays: Iterable[Play], workers: Workers, deadline_s: float) -> None:
    await asyncio.gather(*(play.close(workers, deadline_s) for play in plays))


async def _open(job: Job, seed: int, workers: Workers, deadline_s: float) -> Play | Sample:
    task = job.task
    if not isinstance(task, Task):
        return failed_sample(job, task)

    def begin() -> EnvEpisode:
        episode = start(job.env, task)
        try:
            check_task(episode, task)
        except RlenvsError:
            episode.close()
            raise
        return episode

    try:
        episode = await workers.call(begin, deadline_s, late=lambda episode: episode.close())
    except Exception as error:  # foreign code: whatever it raises is a failed episode
        return failed_sample(job, error)
    return Play(job, task, episode, seed)


async def _round(policy: Policy, going: Sequence[Play], workers: Workers, deadline_s: float) -> None:
    if not going:
        return
    replies = await policy.reply([play.request() for play in going])
    if len(replies) != len(going):
        raise ValueError(f"policy {policy.name} owes one reply per request: got {len(replies)} for {len(going)}")
    taken = zip(going, replies, strict=True)
    await asyncio.gather(*(play.take(reply, workers, deadline_s) for play, reply in taken))
