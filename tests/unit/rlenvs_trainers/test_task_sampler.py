from collections import Counter

import pytest

from rlenvs_trainers.task_sampler import TaskSampler


class Source:
    def __init__(self, num_tasks: int | None) -> None:
        self.num_tasks = num_tasks


def ids(sampler: TaskSampler, count: int) -> list[int]:
    return [drawn.index for drawn in sampler.draw(count)]


def test_every_epoch_goes_through_a_data_set_once_in_an_order_of_its_own() -> None:
    sampler = TaskSampler([Source(20)], [1.0], seed=3)
    first, second = ids(sampler, 20), ids(sampler, 20)
    assert sorted(first) == sorted(second) == list(range(20))
    assert first != second


def test_r24_a_data_set_smaller_than_a_batch_starts_its_next_epoch_inside_the_batch() -> None:
    drawn = ids(TaskSampler([Source(3)], [1.0], seed=0), 8)
    assert sorted(Counter(drawn).values()) == [2, 3, 3]


def test_an_unlimited_source_never_repeats_in_a_thousand_draws() -> None:
    assert len(set(ids(TaskSampler([Source(None)], [1.0], seed=1), 1000))) == 1000


def test_weights_are_shares_at_every_point_of_the_stream() -> None:
    sampler = TaskSampler([Source(None), Source(None), Source(5)], [2.0, 1.0, 1.0], seed=1)
    for _ in range(10):
        assert Counter(drawn.env for drawn in sampler.draw(4)) == {0: 2, 1: 1, 2: 1}


def test_r20_a_restored_position_continues_the_same_stream() -> None:
    def fresh() -> TaskSampler:
        return TaskSampler([Source(7), Source(None)], [1.0, 2.0], seed=5)

    whole = ids(fresh(), 30)
    first = fresh()
    head = ids(first, 11)
    second = fresh()
    second.load_state_dict(first.state_dict())
    assert head + ids(second, 19) == whole


def test_another_seed_gives_another_order() -> None:
    assert ids(TaskSampler([Source(50)], [1.0], 0), 50) != ids(TaskSampler([Source(50)], [1.0], 1), 50)


def test_an_empty_data_set_and_a_foreign_position_are_refused() -> None:
    with pytest.raises(ValueError, match="no tasks"):
        TaskSampler([Source(0)], [1.0], 0)
    with pytest.raises(ValueError, match="2 environments, this one has 1"):
        TaskSampler([Source(1)], [1.0], 0).load_state_dict({"counts": [1, 2]})
