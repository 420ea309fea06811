"""The loop's own decisions, with a run that only hands out groups."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

import rlenvs
from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.algorithm import Progress
from rlenvs_trainers.grouping import RolloutResult
from rlenvs_trainers.loop import first_of_every_seat, gather
from rlenvs_trainers.select import NonConstant
from rlenvs_trainers.synthetic import group
from rlenvs_trainers.task_sampler import DrawnTask

from .asking import AskEnv

FILTERED = replace(GRPO, select=(NonConstant(),))
NOW = Progress(step=0, num_steps=1)


def configured(tasks_per_step: int, *seats: tuple[str, ...] | None) -> Any:
    """The seats that are learned in, one entry per environment."""
    envs = [SimpleNamespace(seats=chosen) for chosen in seats]
    return SimpleNamespace(rollout=SimpleNamespace(tasks_per_step=tasks_per_step), env=envs)


@dataclass
class Giving:
    """A run whose rounds give groups of these rewards, one list of rewards per task."""

    rounds: Iterator[list[list[float]]]
    algorithm: Any = FILTERED
    config: Any = field(default_factory=lambda: configured(2, None))
    envs: Any = field(default_factory=lambda: [AskEnv()])
    tasks: Any = field(default_factory=lambda: SimpleNamespace(draw=lambda count: [DrawnTask(env=0, index=0)] * count))
    asked: int = 0

    def collect(self, drawn: list[DrawnTask], round: int) -> RolloutResult:
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
    assert run.asked == 10


@pytest.mark.parametrize("bounds", [(1,), (3,), (7, 3)])
def test_r24_how_often_a_step_asks_is_the_selectors_own_bound_the_smallest_of_several(bounds):
    select = tuple(NonConstant(max_rounds=bound) for bound in bounds)
    run = Giving(iter([[[1, 1], [0, 1]]] + [[[1, 1], [0, 0]]] * 50), algorithm=replace(GRPO, select=select))
    assert [each.task_id for each in gather(run, NOW).groups] == ["0/1"], "the step goes on with what it has"
    assert run.asked == min(bounds)


def test_without_a_selector_that_refills_a_step_asks_once():
    run = Giving(iter([[[1, 1]]]), algorithm=GRPO)
    assert [each.task_id for each in gather(run, NOW).groups] == ["0/0"]
    assert run.asked == 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropping:
    """Refills, and drops the groups whose task and seat begin so: a stranger's, without a bound of its own."""

    names: tuple[str, ...] = ()
    refills: ClassVar[bool] = True

    def __call__(self, groups, progress):
        return [each for each in groups if not f"{each.task_id}/{each.seat}".startswith(self.names)]


@dataclass
class Mixed:
    """A run on tasks with one seat and, every second one, with two. Attempts at the tasks `lost` all fail."""

    algorithm: Any
    config: Any = field(default_factory=lambda: configured(4, None, None))
    envs: Any = field(default_factory=lambda: [AskEnv(), rlenvs.make("rlenvs/EchoPair-v0")])
    lost: tuple[int, ...] = ()
    num_drawn: int = 0
    asked: int = 0

    @property
    def tasks(self):
        return self

    def draw(self, count):
        self.num_drawn += count
        return [DrawnTask(env=index % 2, index=index) for index in range(self.num_drawn - count, self.num_drawn)]

    def collect(self, drawn, round):
        self.asked += 1
        groups = tuple(
            group([0, 1], task=f"{each.index:02}", seat=seat)
            for each in drawn
            for seat in (("echoer", "speaker") if each.env else ("policy",))
            if each.index not in self.lost and seat in (self.config.env[each.env].seats or (seat,))
        )
        return RolloutResult(groups=groups, others=(), failures=(), metrics={})


def step_of(run):
    return [f"{each.task_id}/{each.seat}" for each in gather(run, NOW).groups]


MIX = ["00/policy", "01/echoer", "01/speaker", "02/policy", "03/echoer", "03/speaker"]


@pytest.mark.parametrize("select", [(), (Dropping(),), (Dropping(), NonConstant(), Dropping())])
def test_where_nothing_is_dropped_a_step_has_the_tasks_that_were_drawn_whether_or_not_it_could_refill(select):
    run = Mixed(replace(GRPO, select=select))
    assert (step_of(run), run.asked) == (MIX, 1)


def test_seats_that_are_not_learned_in_are_not_waited_for():
    run = Mixed(replace(GRPO, select=(Dropping(),)), config=configured(4, None, ("echoer",)))
    assert (step_of(run), run.asked) == (["00/policy", "01/echoer", "02/policy", "03/echoer"], 1)


def test_a_seat_whose_groups_were_all_dropped_is_waited_for_and_the_others_get_no_more():
    run = Mixed(replace(GRPO, select=(Dropping(names=("01/echoer", "03/echoer", "05/echoer")),)))
    assert step_of(run) == [*(name for name in MIX if "echoer" not in name), "07/echoer", "09/echoer"]
    assert run.asked == 3


def test_a_seat_that_never_has_a_group_is_waited_for_within_the_bound():
    every = tuple(f"{index:02}/echoer" for index in range(100))
    run = Mixed(replace(GRPO, select=(Dropping(names=every),)))
    assert (step_of(run), run.asked) == ([name for name in MIX if "echoer" not in name], 10)


def test_tasks_whose_attempts_all_failed_are_made_up_for_where_a_selector_refills_and_only_there():
    run = Mixed(replace(GRPO, select=(Dropping(),)), lost=(1,))
    assert step_of(run) == ["00/policy", "02/policy", "03/echoer", "03/speaker", "05/echoer", "05/speaker"]
    assert step_of(Mixed(GRPO, lost=(1,))) == ["00/policy", "02/policy", "03/echoer", "03/speaker"]


@pytest.mark.parametrize(("count", "kept"), [(1, ["a/x", "a/y", "b/y"]), (2, ["a/x", "a/y", "b/x", "b/y", "c/y"])])
def test_every_seat_keeps_its_first_groups(count, kept):
    groups = [group([0, 1], task=task, seat=seat) for task in "abc" for seat in "xy"]
    wanted = {"x": count, "y": count + 1}
    assert [f"{each.task_id}/{each.seat}" for each in first_of_every_seat(groups, wanted)] == kept
