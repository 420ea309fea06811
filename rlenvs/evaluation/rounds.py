"""Plays many episodes at once, in deterministic rounds, or each at its own pace.

Every episode in flight is a *line* of play, and a line whose episode has ended begins the next one. Once every line
waits for a reply, the policy gets all of their requests at once: a round. Which requests meet in a batch depends on
the tasks, never on the clock. A line goes on as soon as it has its reply, so that an episode may end while others of
its round still wait for theirs.

A policy that answers each request by itself (capability "concurrent": an endpoint) is asked at once, one request at a
time: nothing that it writes depends on what is asked beside it, and no line waits for the slowest.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from rlenvs.deadline import Workers
from rlenvs.episode import Episode as EnvEpisode
from rlenvs.episode import check_task, start
from rlenvs.errors import ForeignExitError, RlenvsError
from rlenvs.evaluation.play import Job, Play, failed_sample
from rlenvs.evaluation.results import Episode
from rlenvs.policies.base import Policy, Reply, ReplyRequest
from rlenvs.records import Task


async def play(
    policy: Policy,
    jobs: Sequence[Job],
    keep: Callable[[Episode], None],
    *,
    seed: int,
    in_flight: int,
    deadline_s: float,
    workers: Workers,
) -> None:
    """Play every job; the first exception ends it all, once what the episodes hold is freed.

    Args:
        keep: given an episode's samples as soon as it has ended, in whichever order they do.
        seed: of the evaluation; each request's own follows from it, the task, the sample, the seat and the turn.
        in_flight: episodes at once.
        deadline_s: for one step of an environment, its grader included.
    """
    if not jobs:
        return
    num_lines = min(in_flight, len(jobs))
    asking = _AtOnce(policy) if "concurrent" in policy.capabilities else _Rounds(policy, num_lines)
    session, waiting = _Session(asking, seed, deadline_s, workers), iter(jobs)

    async def line() -> None:
        for job in waiting:
            keep(await session.episode(job))
        asking.pause()

    try:
        async with asyncio.TaskGroup() as lines:
            for _ in range(num_lines):
                lines.create_task(line())
            await asking.answer()
    except ExceptionGroup as group:
        first = group.exceptions[0]
        raise first from first.__cause__  # as if it had been raised here


class _AtOnce:
    """Every line has its reply as soon as the policy gives it."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    async def reply(self, request: ReplyRequest) -> Reply:
        """The policy's reply to a line's request."""
        [(_, reply)] = [given async for given in _checked(self.policy, [request])]
        return reply

    def pause(self) -> None:
        """A line has no episode left, and nobody waits for it."""

    async def answer(self) -> None:
        """Nothing is collected, so nothing is left to answer."""


class _Rounds:
    """Where lines meet: those that wait are answered together, when no line plays any more."""

    def __init__(self, policy: Policy, num_lines: int) -> None:
        self.policy = policy
        self._num_playing = num_lines
        self._nobody_plays = asyncio.Event()
        self._asked: list[tuple[ReplyRequest, asyncio.Future[Reply]]] = []

    async def reply(self, request: ReplyRequest) -> Reply:
        """The policy's reply to a line's request."""
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._asked.append((request, future))
        self.pause()
        return await future

    def pause(self) -> None:
        """A line plays no more: it waits for its reply, or has no episode left."""
        self._num_playing -= 1
        if not self._num_playing:
            self._nobody_plays.set()

    async def answer(self) -> None:
        """Round after round, until no line asks for anything."""
        while await self._nobody_plays.wait() and self._asked:
            self._nobody_plays.clear()
            await self._round()

    async def _round(self) -> None:
        asked, self._asked = sorted(self._asked, key=lambda each: each[0].key), []
        self._num_playing = len(asked)
        async for place, reply in _checked(self.policy, [request for request, _ in asked]):
            asked[place][1].set_result(reply)


async def _checked(policy: Policy, requests: Sequence[ReplyRequest]) -> AsyncIterator[tuple[int, Reply]]:
    """The policy's replies.

    Raises:
        ValueError: it gave none to a request, or more than one.
        ForeignExitError: it would have ended the process.
    """
    owes = f"policy {policy.name} owes one reply per request"
    owed = set(range(len(requests)))
    try:
        async for place, reply in policy.replies(requests):
            if place not in owed:
                raise ValueError(f"{owes}: {place} of {len(requests)} has one already, or was not asked")
            owed.remove(place)
            yield place, reply
    except SystemExit as error:
        raise ForeignExitError(f"policy {policy.name} raised SystemExit: {error}") from error
    if owed:
        raise ValueError(f"{owes}: got {len(requests) - len(owed)} for {len(requests)}")


@dataclass(frozen=True, slots=True)
class _Session:
    """What all episodes share."""

    asking: _Rounds | _AtOnce
    seed: int
    deadline_s: float
    workers: Workers

    async def episode(self, job: Job) -> Episode:
        """What each seat did in one episode, from its beginning to its end."""
        task = job.task
        if not isinstance(task, Task):
            return (failed_sample(job, task),)
        try:
            play = Play(job, task, await self._begun(job, task), self.seed)
        except Exception as error:  # foreign code: whatever it raises is a failed episode
            return (failed_sample(job, error),)
        try:
            while not play.is_over:
                await play.take(
                    await self.asking.reply(play.request(self.workers, self.deadline_s)), self.workers, self.deadline_s
                )
            return play.samples()
        finally:
            await play.close(self.workers, self.deadline_s)

    async def _begun(self, job: Job, task: Task) -> EnvEpisode:
        def begin() -> EnvEpisode:
            episode = start(job.env, task)
            try:
                check_task(episode, task)
            except RlenvsError:
                episode.close()
                raise
            return episode

        what = f"the start of task {task.id} of {job.target}"
        return await self.workers.call(begin, self.deadline_s, late=lambda episode: episode.close(), what=what)
