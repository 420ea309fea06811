"""From what explorers brought back to groups, and to what is kept out of them: failures and other policies' seats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING

from rlenvs.env import TextEnv
from rlenvs.episode import POLICY_SEAT
from rlenvs.records import Ending
from rlenvs.seats import SeatView
from rlenvs_trainers.records import Group, Trajectory

if TYPE_CHECKING:
    from rlenvs_trainers.rollout import Rollouts, Session

RETRIED: frozenset[Ending] = frozenset({"env_error", "grader_error", "sandbox_error", "timeout"})
"""Endings that say nothing of the policy: the attempt is made again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutResult:
    """What came of a list of jobs."""

    groups: tuple[Group, ...]  # one per job and learner's seat, in the order of jobs; a job that was dropped has none
    others: tuple[Trajectory, ...]  # of seats that other policies sat in: in no group, not trained on
    failures: tuple[Trajectory, ...]  # attempts that were made again or dropped: in no group, never a reward of 0
    metrics: dict[str, float]


def learned_seats(env: TextEnv, chosen: Sequence[str] | None) -> tuple[str, ...]:
    """The seats of an environment that the policy learns in: every task has a group of attempts in each.

    Args:
        chosen: see `rlenvs.episode.start`.
    """
    if not isinstance(env, SeatView):
        return (POLICY_SEAT,)
    if chosen is not None:
        return tuple(chosen)
    return env.multi.seats if env.chosen_seat is None else (env.chosen_seat,)


def numbered(trajectories: Sequence[Trajectory], size: int) -> tuple[Trajectory, ...]:
    """The trajectories with a number for every episode: forks, which come with their trunk's, get their own.

    Args:
        size: the run's attempts per task, whose numbers come first.
    """
    owners: dict[int, str] = {}  # by attempt, the first episode that came with it
    for each in trajectories:
        owners.setdefault(each.attempt, each.episode)
    fresh = count(max(size, *(attempt + 1 for attempt in owners)) if owners else size)
    numbers = {episode: attempt for attempt, episode in owners.items()}
    for each in trajectories:
        if each.episode not in numbers:
            numbers[each.episode] = next(fresh)
    return tuple(replace(each, attempt=numbers[each.episode]) for each in trajectories)


def grouped(session: Session, rollouts: Sequence[Rollouts]) -> RolloutResult:
    """The result of a step's rollouts, once they are over."""
    groups: list[Group] = []
    others: list[Trajectory] = []
    failures = [trajectory for each in rollouts for trajectory in each.failures]
    num_retried, num_dropped = len(failures), 0
    for each in rollouts:
        explored = each.given_up if each.explored is None else each.explored
        broken = [trajectory for trajectory in explored if trajectory.ending in RETRIED]
        failures += broken
        if each.explored is None or (broken and session.config.on_failure == "drop_group"):
            num_dropped += 1
            continue
        whole = [trajectory for trajectory in explored if trajectory.ending not in RETRIED]
        groups += _by_seat(trajectory for trajectory in whole if each.player(trajectory.seat).is_learner)
        others += (trajectory for trajectory in whole if not each.player(trajectory.seat).is_learner)
    turns = {turn.id: turn for group in groups for trajectory in group.trajectories for turn in trajectory.turns}
    discarded = sum(len(each.token_ids) for turn in turns.values() for each in turn.discarded)
    metrics = {
        "rollout/failures": float(len(failures) - num_retried),
        "rollout/retries": float(num_retried),
        "rollout/dropped_groups": float(num_dropped),
        "rollout/generated_tokens": float(session.barrier.generated_tokens),
        "rollout/discarded_tokens": float(discarded),
        "rollout/actions": float(session.counts["actions"]),
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
