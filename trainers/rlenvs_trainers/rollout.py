"""`Rollouts`: one group's task, and what an explorer can do with it: attempts, branches, and again where one failed.

Which attempts are made, the explorer decides; one episode is `play.py`'s; the groups of a step, `collect.py`'s.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from rlenvs.deadline import Workers
from rlenvs.episode import POLICY_SEAT, Episode, check_task, failed
from rlenvs.errors import RlenvsError
from rlenvs.policies.base import Sampling
from rlenvs_trainers.algorithm import Explorer
from rlenvs_trainers.barrier import Barrier
from rlenvs_trainers.config import RolloutConfig
from rlenvs_trainers.grouping import RETRIED, numbered
from rlenvs_trainers.jobs import Job, fallen, timed_out
from rlenvs_trainers.play import Play
from rlenvs_trainers.records import Player, Trajectory
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.samplers.base import ScoreRequest
from rlenvs_trainers.seat_log import ask_answer

T = TypeVar("T")


class RolloutError(RlenvsError):
    """An attempt failed, and the run was told to stop at that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What all groups of one step share."""

    barrier: Barrier
    renderer: Renderer
    workers: Workers
    config: RolloutConfig
    params: Sampling
    learner: Player
    seed: int
    step: int
    round: int
    counts: Counter[str] = field(default_factory=Counter)  # "actions": that environments took


class Rollouts:
    """One group's task, and what an explorer can do with it.

    Attributes:
        task: what is attempted.
        size: how many attempts the run asked for.
        failures: attempts that failed and were made again, for the record.
        explored: what the explorer brought back; None while it is at it, and where it did not come back in time.
        given_up: attempts that were not over by then.
    """

    def __init__(self, session: Session, job: Job, *, occurrence: int = 0) -> None:
        self.session, self.task, self.begin, self.occurrence = session, job.task, job.begin, occurrence
        self.players = job.players
        self.size = session.config.group_size
        self.failures: list[Trajectory] = []
        self.explored: tuple[Trajectory, ...] | None = None
        self.given_up: tuple[Trajectory, ...] = ()
        self._plays: list[Play] = []

    @property
    def name(self) -> str:
        """Of the group, unique within a run."""
        return f"{self.session.step}.{self.session.round}/{self.task.id}#{self.occurrence}"

    def player(self, seat: str) -> Player:
        """Who sits there."""
        return self.players.get(seat, self.session.learner)

    # What explorers call.

    async def start(self, attempt: int, *, retry: int = 0, tree: int | None = None) -> Play:
        """A fresh play of the task.

        Args:
            attempt: its number in the group.
            retry: how often this attempt has failed before.
            tree: which tree it is the trunk of; None: of none, or its attempt's number once it is forked.
        """
        answers: dict[str, str | None] = {}

        def begin() -> Episode:
            episode = self.begin()
            ask_answer(episode, answers)
            if episode.seat is None:
                episode.close()
            return episode

        episode = await self._within_deadline(begin, (POLICY_SEAT,))
        check_task(episode, self.task)
        return self.keep(Play(self, episode, attempt=attempt, retry=retry, tree=tree, answers=answers))

    async def attempt(
        self, attempt: int, live: Callable[[Play], Awaitable[None]], *, tree: int | None = None
    ) -> tuple[Trajectory, ...]:
        """Play an episode to its end with `live`; again, within the run's bound, where it failed.

        Raises:
            RolloutError: it still fails, and `on_failure` is "abort".
        """
        return await self._tried(lambda retry: self.start(attempt, retry=retry, tree=tree), live)

    async def branch(self, trunk: Play, live: Callable[[Play], Awaitable[None]]) -> tuple[Trajectory, ...]:
        """Fork `trunk` as it is now, and play the fork to its end with `live`; again, from there, where it failed.

        The trunk is not played on before the fork is made: await this, or start several with `together` at once. From
        a trunk that is over nothing grows.

        Raises:
            RolloutError: it still fails, and `on_failure` is "abort".
        """
        if trunk.seat is None:
            return ()
        here = await trunk.fork()
        return await self._tried(lambda _: here.fork(), live)

    async def together(self, lines: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
        """Run concurrent lines of play; not asyncio.gather, since the sampler must know how many there are."""
        return await self.session.barrier.together(lines)

    async def score(
        self, key: str, prefix: Sequence[int], continuation: Sequence[int], player: Player | None = None
    ) -> tuple[float, ...]:
        """Log-probability of every continuation token, in nats, at temperature 1.

        Args:
            key: unique in the group.
            player: whose; None: of the policy that is trained.
        """
        player = player or self.session.learner
        return await self.session.barrier.score(
            ScoreRequest(
                key=f"{self.name}/{key}",
                prefix_ids=tuple(prefix),
                continuation_ids=tuple(continuation),
                policy=player.policy,
                version=player.version,
                max_staleness=self.session.config.max_staleness,
            )
        )

    # What a play calls.

    async def copied(self, episode: Episode) -> Episode:
        """An independent copy; where the environment cannot be copied, an episode that is over as a failure."""

        def copy() -> Episode:
            try:
                return episode.fork()
            except Exception as error:  # foreign code copies itself
                return fallen(self.task, episode.seats, failed(error))

        return await self._within_deadline(copy, episode.seats)

    def keep(self, play: Play) -> Play:
        """Note a play that began, so that it is closed however it goes on."""
        self._plays.append(play)
        return play

    def draw_seed(self, attempt: int, retry: int, seat: str, turn: int, draw: int, forks: tuple[int, ...] = ()) -> int:
        """64 bits for one request alone."""
        session = self.session
        place = (session.seed, session.step, session.round, int(self.task.fingerprint, 16), self.occurrence)
        branch = (_hashed(repr(forks)),) if forks else ()
        sequence = np.random.SeedSequence((*place, attempt, retry, *branch, _hashed(seat), turn, draw))
        return int(sequence.generate_state(1, np.uint64)[0])

    # What `collect` calls.

    async def be_explored(self, explore: Explorer) -> None:
        """Let the explorer have it."""
        self.explored = numbered(await explore(self), self.size)

    def __str__(self) -> str:
        attempts = sorted({play.attempt for play in self._plays if play.seat is not None})
        return f"task {self.task.id} (going on: {attempts or 'none'} of {self.size} attempts)"

    def give_up(self, why: str) -> None:
        """End what is still going on."""
        going = [play for play in self._plays if play.seat is not None]
        for play in going:
            play.episode.stop("timeout", why)
        self.given_up = tuple(trajectory for play in going for trajectory in play.trajectories())

    async def close(self) -> None:
        """Free what is held by plays that did not come to an end."""
        await asyncio.gather(*(play.close() for play in self._plays if not play.is_closed))

    # Within.

    async def _tried(
        self, begin: Callable[[int], Awaitable[Play]], live: Callable[[Play], Awaitable[None]]
    ) -> tuple[Trajectory, ...]:
        config = self.session.config
        for retry in range(config.retries + 1):
            play = await begin(retry)
            await live(play)
            if not play.has_failed:
                return play.trajectories()
            if retry < config.retries:
                self.failures += play.trajectories()
        if config.on_failure == "abort":
            end = next(trajectory for trajectory in play.trajectories() if trajectory.ending in RETRIED)
            raise RolloutError(f"task {self.task.id} failed {retry + 1} times ({end.ending}): {end.error}")
        return play.trajectories()

    async def _within_deadline(self, begin: Callable[[], Episode], seats: tuple[str, ...]) -> Episode:
        timeout_s = self.session.config.action_timeout_s
        try:
            return await self.session.workers.call(
                begin, timeout_s, late=lambda episode: episode.close(), what=f"the start of {self.name}"
            )
        except TimeoutError:
            return fallen(self.task, seats, timed_out(f"the episode did not begin within {timeout_s:g} s"))


def _hashed(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
