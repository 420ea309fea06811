"""What people read of a rollout adds up."""

from dataclasses import replace

import pytest

from rlenvs.records import Part, Verdict, user
from rlenvs_trainers.metrics import group_metrics
from rlenvs_trainers.recording import rollout_rows
from rlenvs_trainers.records import Group, Reward, Trajectory
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.synthetic import trajectory


def shaped(*of_action: Reward, attempt: int = 0) -> Trajectory:
    """An outcome worth 0.5 (1.0 of weight 0.5), a shaper's -0.25, and what its action earned."""
    plain = trajectory([((20, 21), (22, 23))], 0.5, attempt=attempt)
    (turn,) = plain.turns
    return replace(
        plain,
        verdict=Verdict(parts=(Part(name="outcome", value=1.0, weight=0.5),), correct=1.0),
        rewards=(*plain.rewards, Reward(name="length", value=-0.25)),
        turns=(replace(turn, rewards=of_action, reply=(user("well done"),)),),
    )


def test_stored_parts_add_up_to_the_stored_reward(renderer: Renderer) -> None:
    hints = [Reward(name="hint", value=value, level="action") for value in (0.5, 0.125)]
    groups = [Group(trajectories=(shaped(*hints), shaped(attempt=1)))]
    with_hints, without = rollout_rows(groups, (), renderer)
    assert with_hints.parts == {"outcome": 0.5, "length": -0.25, "hint": 0.625}
    assert without.parts == {"outcome": 0.5, "length": -0.25}
    assert [sum(row.parts.values()) for row in (with_hints, without)] == [with_hints.reward, without.reward]
    assert with_hints.messages[-1] == {"role": "user", "content": "well done"}
    metrics = group_metrics(groups)
    means = [value for name, value in metrics.items() if name.startswith("reward/part/")]
    assert sum(means) == pytest.approx(metrics["reward/mean"])


def test_what_was_not_scored_has_no_parts(renderer: Renderer) -> None:
    lost = trajectory([((20,), (21,))], None)
    (row,) = rollout_rows([Group(trajectories=(lost,))], (), renderer)
    assert (row.reward, row.parts) == (None, {})


def test_what_is_in_no_group_is_recorded_with_its_siblings_and_other_seats_apart(renderer: Renderer) -> None:
    def one(seat: str, attempt: int) -> Trajectory:
        return trajectory([((20,), (21,))], 1.0, seat=seat, attempt=attempt)

    groups = [Group(trajectories=(one("speaker", 0), one("speaker", 1)))]
    rows = rollout_rows(groups, (one("echoer", 0), one("speaker", 2), one("echoer", 1)), renderer)
    assert [(row.group, row.seat, row.attempt) for row in rows] == [
        (0, "speaker", 0),
        (0, "speaker", 1),
        (1, "echoer", 0),
        (0, "speaker", 2),
        (1, "echoer", 1),
    ]
