"""The loop's own decisions, with a run that only hands out groups."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest

from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.algorithm import Progress
from rlenvs_trainers.grouping import RolloutResult
from rlenvs_trainers.loop import MAX_ROUNDS, first_of_every_seat, gather
from rlenvs_trainers.select import NonConstant
from rlenvs_trainers.synthetic import group

FILTERED = replace(GRPO, select=(NonConstant(),))
NOW = Progress(step=0, num_steps=1)


@dataclass
class Giving:
    """A run whose rounds give groups of these rewards, one list of rewards per task."""

    rounds: Iterator[list[list[float]]]
    algorithm: Any = FILTERED
    config: Any = field(default_factory=lambda: SimpleNamespace(rollout=SimpleNamespace(tasks_per_step=2)))
    tasks: Any = field(default_factory=lambda: SimpleNamespace(draw=lambda count: [None] * count))
    asked: int = 0

    def collect(self, drawn: list[None], round: int) -> RolloutResult:
        self.asked += 1
        groups = tuple(group(rewards, task=f"{round}/{place}") for place, rewards in enumerate(next(self.rounds)))
        return RolloutResult(groups=groups, others=(), failures=(), metrics={"rollout/actions": float(len(drawn))})


def test_what_a_refill_gave_beyond_the_steps_tasks_is_not_trained_on():
    run = Giving(iter([[[0, 1], [1, 1]], [[1, 0], [0, 1]]]))
    result = gather(run, NOW)
    assert [each.task_id for each in result.groups] == ["0/0", "1/0"]
    assert result.metrics["select/rounds"] == 2
    assert result.metrics["select/groups"] == 3
    assert result.metrics["rollout/actions"] == 4


def test_r24_a_step_whose_groups_are_all_dropped_asks_a_bounded_number_of_times():
    run = Giving(iter([[[1, 1], [0, 0]]] * 50))
    result = gather(run, NOW)
    assert result.groups == ()
    assert run.asked == MAX_ROUNDS


def test_without_a_selector_that_refills_a_step_asks_once():
    run = Giving(iter([[[1, 1]]]), algorithm=GRPO)
    assert [each.task_id for each in gather(run, NOW).groups] == ["0/0"]
    assert run.asked == 1


@pytest.mark.parametrize(("count", "kept"), [(1, ["a/x", "a/y"]), (2, ["a/x", "a/y", "b/x", "b/y"])])
def test_every_seat_keeps_its_first_groups(count, kept):
    groups = [group([0, 1], task=task, seat=seat) for task in "abc" for seat in "xy"]
    assert [f"{each.task_id}/{each.seat}" for each in first_of_every_seat(groups, count)] == kept
