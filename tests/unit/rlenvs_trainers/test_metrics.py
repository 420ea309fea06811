"""What is counted over a step's groups, seat by seat."""

from collections.abc import Sequence

import numpy as np
import pytest

from rlenvs_trainers.metrics import group_metrics
from rlenvs_trainers.records import Group
from rlenvs_trainers.synthetic import group, trajectory


def of(seat: str, *rewards: Sequence[float | None], length: int = 3) -> list[Group]:
    return [group(each, task=f"{seat}-{place}", seat=seat, length=length) for place, each in enumerate(rewards)]


SPEAKER, ECHOER = of("speaker", [1, 1], [0, 1]), of("echoer", [-10, -10], [-10, -6], [-10, None], length=5)


def test_rewards_of_several_seats_are_counted_apart_and_never_pooled() -> None:
    metrics = group_metrics([*SPEAKER, *ECHOER])
    assert (metrics["reward/mean/speaker"], metrics["reward/mean/echoer"]) == (0.75, -9.2)
    assert (metrics["reward/std/speaker"], metrics["reward/std/echoer"]) == (np.std([1, 1, 0, 1]), pytest.approx(1.6))
    assert metrics["reward/part/outcome/echoer"] == -9.2
    assert metrics["ending/unscored/echoer"] == 1 / 6
    assert "ending/unscored/speaker" not in metrics
    pooled = {name for name in metrics if name.startswith(("reward/", "ending/"))}
    assert {name.rsplit("/", 1)[1] for name in pooled} == {"speaker", "echoer"}


def test_what_is_measured_alike_in_every_seat_is_given_of_all_together_as_well() -> None:
    metrics = group_metrics([*SPEAKER, *ECHOER])
    assert [metrics[f"groups/zero_signal{seat}"] for seat in ("", "/speaker", "/echoer")] == [3 / 5, 1 / 2, 2 / 3]
    assert [metrics[f"trajectories/unscored{seat}"] for seat in ("", "/speaker", "/echoer")] == [1, 0, 1]
    assert [metrics[f"tokens/mean{seat}"] for seat in ("", "/speaker", "/echoer")] == [37 / 9, 3, 5]
    assert [metrics[f"accuracy{seat}"] for seat in ("", "/speaker", "/echoer")] == [3 / 9, 3 / 4, 0]


def test_seats_that_never_differ_within_a_group_have_no_spread_however_far_apart_they_are() -> None:
    metrics = group_metrics([*of("speaker", [0, 0]), *of("echoer", [-10, -10])])
    assert [metrics[f"reward/{what}/{seat}"] for what in ("std", "group_std") for seat in ("speaker", "echoer")] == [
        0
    ] * 4
    assert metrics["groups/zero_signal"] == 1


def test_r01_siblings_whose_equal_rewards_have_a_rounded_mean_have_no_signal_and_no_spread() -> None:
    assert np.std([0.7] * 3) > 0
    metrics = group_metrics(of("policy", [0.7] * 3, [0.7, 0.7, 0.1]))
    assert metrics["groups/zero_signal"] == 1 / 2
    assert group_metrics(of("policy", [0.7] * 3))["reward/group_std"] == 0


def test_the_spread_is_of_siblings_and_not_of_tasks() -> None:
    metrics = group_metrics(of("policy", [0, 0], [10, 10], [4, 6]))
    assert metrics["reward/group_std"] == pytest.approx(np.sqrt(2) / 3)
    assert metrics["reward/std"] > 4


def test_an_attempt_without_a_scored_sibling_has_no_spread_to_count() -> None:
    assert "reward/group_std" not in group_metrics(of("policy", [1, None], [0]))
    assert group_metrics(of("policy", [1, None], [0, 1]))["reward/group_std"] == pytest.approx(np.sqrt(0.5))


def test_with_one_seat_names_have_no_seat_whatever_it_is_called() -> None:
    of_one, of_policy = (group_metrics(of(seat, [0, 1]), prefix="trained/") for seat in ("speaker", "policy"))
    assert of_one == of_policy
    assert of_one["trained/reward/mean"] == 0.5


def test_names_depend_on_the_runs_seats_and_not_on_which_of_them_have_groups() -> None:
    both, one = (set(group_metrics(groups, ("speaker", "echoer"))) for groups in ([*SPEAKER, *ECHOER], SPEAKER))
    assert one < both
    assert "reward/mean" not in one
    assert group_metrics([], ("speaker", "echoer"))["groups/count/echoer"] == 0


def test_empty_and_unscored_groups_are_counted_without_a_mean() -> None:
    lost = Group(trajectories=(trajectory([], None),))
    metrics = group_metrics([lost])
    assert (metrics["trajectories/unscored"], metrics["groups/zero_signal"]) == (1, 1)
    assert not any(name.startswith("reward/") for name in metrics)
