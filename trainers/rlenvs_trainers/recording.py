"""From trajectories to what people read: the rows of `run.sqlite`, in words."""

from collections.abc import Iterator, Sequence
from itertools import count

from rlenvs.store import RolloutRow
from rlenvs_trainers.records import Group, Trajectory
from rlenvs_trainers.render import Renderer


def rollout_rows(groups: Sequence[Group], ungrouped: Sequence[Trajectory], renderer: Renderer) -> list[RolloutRow]:
    """One row per trajectory, in the order of the groups; then those in no group, numbered like their siblings' group.

    Without such a group, the attempts at one task in one seat get a number of their own.
    """
    numbers = {(group.trajectories[0].fingerprint, group.seat): number for number, group in enumerate(groups)}
    fresh = count(len(groups))
    rows = [
        _row(number, trajectory, renderer) for number, group in enumerate(groups) for trajectory in group.trajectories
    ]
    for trajectory in ungrouped:
        kin = (trajectory.fingerprint, trajectory.seat)
        if kin not in numbers:
            numbers[kin] = next(fresh)
        rows.append(_row(numbers[kin], trajectory, renderer))
    return rows


def _row(group: int, trajectory: Trajectory, renderer: Renderer) -> RolloutRow:
    verdict = trajectory.verdict
    return RolloutRow(
        group=group,
        attempt=trajectory.attempt,
        episode=trajectory.episode,
        task_id=trajectory.task_id,
        seat=trajectory.seat,
        ending=trajectory.ending,
        reward=trajectory.reward if trajectory.is_scored else None,
        correct=verdict.correct if verdict else None,
        parts=trajectory.parts,
        messages=tuple(_messages(trajectory, renderer)),
        num_tokens=trajectory.num_tokens,
        version=max((turn.completion.version for turn in trajectory.turns), default=0),
        error=trajectory.error,
    )


def _messages(trajectory: Trajectory, renderer: Renderer) -> Iterator[dict[str, str]]:
    for message in trajectory.prompt:
        yield {"role": message.role, "content": message.content}
    for turn in trajectory.turns:
        yield {"role": "assistant", "content": renderer.decode(turn.completion.token_ids)}
        for message in turn.reply:
            yield {"role": message.role, "content": message.content}
