"""From tasks to groups of trajectories: what explorers work with, and what becomes of failures.

One episode is `play.py`'s; when the sampler is asked, `barrier.py`'s; which attempts are made, the explorer's.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import numpy as np

from rlenvs.deadline import Workers
from rlenvs.episode import POLICY_SEAT, Episode, Outcome, check_task, failed
from rlenvs.errors import RlenvsError
from rlenvs.policies.base import Sampling
from rlenvs.records import Task
from rlenvs_trainers.algorithm import Explorer
from rlenvs_trainers.barrier import Barrier
from rlenvs_trainers.config import RolloutConfig
from rlenvs_trainers.play import RETRIED, Play, ask_answer
from rlenvs_trainers.records import Group, Player, Trajectory
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.samplers.base import Sampler, ScoreRequest

T = TypeVar("T")


class RolloutError(RlenvsError):
    """An attempt failed, and the run was told to stop at that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One task for a group of attempts, and how an episode of it begins."""

    task: Task
    begin: Callable[[], Episode]  # for instance partial(rlenvs.episode.start, env, task); called once per attempt
    players: Mapping[str, Player] = field(default_factory=dict)  # by seat; in the others: the trained policy


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutResult:
    """What came of a list of jobs."""

    groups: tuple[Group, ...]  # one per job and learner's seat, in the order of jobs; a job that was dropped has none
    others: tuple[Trajectory, ...]  # of seats that other policies sat in: in no group, not trained on
    failures: tuple[Trajectory, ...]  # attempts that were made again or dropped: in no group, never a reward of 0
    metrics: dict[str, float]


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


def collect(
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
) -> RolloutResult:
    """Play every job's group of attempts, all of them at once.

    Everything drawn depends on (seed, step, round, task, how often the task came before in `jobs`, attempt, retry,
    seat, turn) alone, and which requests share a batch on the tasks alone: the same call gives the same result.

    Args:
        params: of one action each.
        version: of the policy's weights; a sampler that serves another is an error.
        step: of training. A second call within a step, for tasks drawn to refill it, has another `round`.

    Raises:
        StaleWeightsError: the sampler serves other weights.
        RolloutError: an attempt failed for good, and `config.on_failure` is "abort".
    """

    async def play_all() -> RolloutResult:
        session = Session(
            barrier=Barrier(sampler),
            renderer=renderer,
            workers=Workers(),
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
        explored = await session.barrier.together(_explored(explore, each) for each in rollouts)
        return _result(session, rollouts, explored)

    return asyncio.run(play_all())


class Rollouts:
    """One group's task, and what an explorer can do with it.

    Attributes:
        task: what is attempted.
        size: how many attempts the run asked for.
        failures: attempts that failed and were made again, for the record.
    """

    def __init__(self, session: Session, job: Job, *, occurrence: int = 0) -> None:
        self.session, self.task, self.begin, self.occurrence = session, job.task, job.begin, occurrence
        self.players = job.players
        self.size = session.config.group_size
        self.failures: list[Trajectory] = []

    @property
    def name(self) -> str:
        """Of the group, unique within a run."""
        return f"{self.session.step}.{self.session.round}/{self.task.id}#{self.occurrence}"

    async def start(self, attempt: int, *, retry: int = 0, tree: int | None = None) -> Play:
        """A fresh play of the task.

        Args:
            attempt: its number in the group.
            retry: how often this attempt has failed before.
            tree: which tree it is the first branch of, for explorers that fork.
        """
        answers: dict[str, str | None] = {}

        def begin() -> Episode:
            episode = self.begin()
            ask_answer(episode, answers)
            return episode

        episode = await self._within_deadline(begin, (POLICY_SEAT,))
        check_task(episode, self.task)
        return Play(self, episode, attempt=attempt, retry=retry, tree=tree, answers=answers)

    async def copied(self, episode: Episode) -> Episode:
        """An independent copy; where the environment cannot be copied, an episode that is over as a failure."""

        def copy() -> Episode:
            try:
                return episode.fork()
            except Exception as error:  # foreign code copies itself
                return _fallen(self.task, episode.seats, failed(error))

        return await self._within_deadline(copy, episode.seats)

    async def _within_deadline(self, begin: Callable[[], Episode], seats: tuple[str, ...]) -> Episode:
        timeout_s = self.session.config.episode_timeout_s
        try:
            return await self.session.workers.call(begin, timeout_s)
        except TimeoutError:
            why = f"the episode did not begin within {timeout_s:g} s"
            return _fallen(self.task, seats, Outcome(ending="timeout", verdict=None, error=why))

    async def attempt(self, attempt: int, live: Callable[[Play], Awaitable[None]]) -> tuple[Trajectory, ...]:
        """Play an episode to its end with `live`; again, within the run's bound, where it failed.

        Raises:
            RolloutError: it still fails, and `on_failure` is "abort".
        """
        config = self.session.config
        for retry in range(config.retries + 1):
            play = await self.start(attempt, retry=retry)
            await live(play)
            if not play.has_failed:
                return play.trajectories()
            if retry < config.retries:
                self.failures += play.trajectories()
        if config.on_failure == "abort":
            end = next(trajectory for trajectory in play.trajectories() if trajectory.ending in RETRIED)
            raise RolloutError(f"task {self.task.id} failed {retry + 1} times ({end.ending}): {end.error}")
        return play.trajectories()

    async def together(self, lines: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
        """Run concurrent lines of play; not asyncio.gather, since the sampler must know how many there are."""
        return await self.session.barrier.together(lines)

    def player(self, seat: str) -> Player:
        """Who sits there."""
        return self.players.get(seat, self.session.learner)

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

    def draw_seed(self, attempt: int, retry: int, seat: str, turn: int, draw: int) -> int:
        """64 bits for one request alone."""
        session = self.session
        place = (session.seed, session.step, session.round, int(self.task.fingerprint, 16), self.occurrence)
        seat_number = int.from_bytes(hashlib.sha256(seat.encode()).digest()[:8])
        sequence = np.random.SeedSequence((*place, attempt, retry, seat_number, turn, draw))
        return int(sequence.generate_state(1, np.uint64)[0])


@dataclass(frozen=True, slots=True)
class _Fallen:
    """An episode that is over because it did not begin: all that is asked of it is how it ended."""

    task: Task
    seats: tuple[str, ...]
    end: Outcome
    seat: None = None

    def outcome(self, _seat: str) -> Outcome:
        return self.end


def _fallen(task: Task, seats: tuple[str, ...], end: Outcome) -> Episode:
    return cast(Episode, _Fallen(task, seats, end))


async def _explored(explore: Explorer, rollouts: Rollouts) -> Sequence[Trajectory]:
    return await explore(rollouts)


def _result(session: Session, rollouts: Sequence[Rollouts], explored: Sequence[Sequence[Trajectory]]) -> RolloutResult:
    groups: list[Group] = []
    others: list[Trajectory] = []
    failures = [trajectory for each in rollouts for trajectory in each.failures]
    num_retried, num_dropped = len(failures), 0
    for rollout, trajectories in zip(rollouts, explored, strict=True):
        broken = [trajectory for trajectory in trajectories if trajectory.ending in RETRIED]
        failures += broken
        if broken and session.config.on_failure == "drop_group":
            num_dropped += 1
            continue
        whole = [trajectory for trajectory in trajectories if trajectory.ending not in RETRIED]
        groups += _by_seat(each for each in whole if rollout.player(each.seat).is_learner)
        others += (each for each in whole if not rollout.player(each.seat).is_learner)
    turns = [turn for group in groups for trajectory in group.trajectories for turn in trajectory.turns]
    metrics = {
        "rollout/failures": float(len(failures) - num_retried),
        "rollout/retries": float(num_retried),
        "rollout/dropped_groups": float(num_dropped),
        "rollout/discarded_tokens": float(sum(len(each.token_ids) for turn in turns for each in turn.discarded)),
        "rollout/sampler_batches": float(session.barrier.num_batches),
        "time/sampler_s": session.barrier.seconds,
    }
    return RolloutResult(groups=tuple(groups), others=tuple(others), failures=tuple(failures), metrics=metrics)


def _by_seat(trajectories: Iterable[Trajectory]) -> list[Group]:
    """Baselines are per task and seat: the seats' rewards never mix."""
    seats: dict[str, list[Trajectory]] = {}
    for trajectory in trajectories:
        seats.setdefault(trajectory.seat, []).append(trajectory)
    return [Group(trajectories=tuple(members)) for _, members in sorted(seats.items())]
