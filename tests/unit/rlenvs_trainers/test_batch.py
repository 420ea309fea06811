from dataclasses import replace

import numpy as np
import pytest

from rlenvs.errors import RlenvsError
from rlenvs_trainers.algorithm import Progress, TokenCredit
from rlenvs_trainers.batch import Batch, Sample, pack, split
from rlenvs_trainers.credit import GroupRelative
from rlenvs_trainers.records import Group
from rlenvs_trainers.sft import Imitate
from rlenvs_trainers.synthetic import completion, group, trajectory

NOW = Progress(step=0, num_steps=1)


def packed(*groups: Group) -> Batch:
    return pack(groups, GroupRelative(scale="none")(groups, NOW))


def test_turns_that_go_on_from_each_other_are_one_sample():
    one = trajectory([((1, 2), (3, 4)), ((1, 2, 3, 4, 5, 6), (7,))], 1.0)
    batch = packed(Group(trajectories=(one,)))
    (sample,) = batch.samples
    assert sample.ids.tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert sample.positions.tolist() == [2, 3, 6]
    assert sample.targets.tolist() == [3, 4, 7]
    assert batch.action_N.tolist() == [0, 0, 1]
    assert batch.trajectory_N.tolist() == [0, 0, 0]


def test_r17_a_history_that_was_rewritten_makes_a_second_sample_of_the_same_trajectory():
    one = trajectory([((1, 2), (3, 4)), ((1, 2, 9), (5, 6)), ((1, 2, 9, 5, 6), (7,))], 1.0)
    batch = packed(Group(trajectories=(one,)))
    assert [sample.ids.tolist() for sample in batch.samples] == [[1, 2, 3, 4], [1, 2, 9, 5, 6, 7]]
    assert batch.sample_N.tolist() == [0, 0, 1, 1, 1]
    assert batch.action_N.tolist() == [0, 0, 1, 1, 2]
    assert batch.trajectory_N.tolist() == [0] * 5


def test_ids_that_a_monitor_forced_are_read_but_not_trained():
    one = trajectory([((1,), completion((2, 3, 4), logprobs=(-0.1, -0.2, -0.3), forced=(1,)))], 1.0)
    batch = packed(Group(trajectories=(one,)))
    assert batch.samples[0].ids.tolist() == [1, 2, 3, 4]
    assert batch.samples[0].targets.tolist() == [2, 4]
    assert batch.sampler_N.tolist() == [-0.1, -0.3]


def test_tokens_of_weight_zero_are_not_there():
    one = trajectory([((1,), (2, 3, 4))], 1.0)
    credit = {(0, 0): TokenCredit(advantage=(np.array([1.0, 2.0, 3.0]),), weight=(np.array([1.0, 0.0, 0.5]),))}
    batch = pack([Group(trajectories=(one,))], credit)
    assert batch.samples[0].targets.tolist() == [2, 4]
    assert batch.advantage_N.tolist() == [1.0, 3.0]
    assert batch.weight_N.tolist() == [1.0, 0.5]


def test_nothing_is_read_after_the_last_trained_token():
    one = trajectory([((1,), (2, 3)), ((1, 2, 3, 4, 5), ())], 1.0)
    assert packed(Group(trajectories=(one,))).samples[0].ids.tolist() == [1, 2, 3]


def test_r10_the_end_of_sequence_token_is_trained_once_and_padding_never():
    """Here the end token is 0, which padded rows are filled with as well."""
    one, two = trajectory([((1,), (5, 0))], 1.0, attempt=0), trajectory([((1,), (5, 6, 7, 0))], 0.0, attempt=1)
    batch = packed(Group(trajectories=(one, two)))
    targets = np.concatenate([sample.targets for sample in batch.samples])
    assert targets.tolist() == [5, 0, 5, 6, 7, 0]


def test_an_empty_completion_is_nowhere():
    one, two = trajectory([((1,), ())], 1.0, attempt=0), trajectory([((1,), (2,))], 0.0, attempt=1)
    batch = packed(Group(trajectories=(one, two)))
    assert len(batch.samples) == 1
    assert batch.advantage_N.tolist() == [-0.5]
    assert batch.trajectory_N.tolist() == [0]


def test_r31_every_token_carries_the_advantage_of_its_own_action():
    turns = [((1,), (2, 3)), ((1, 2, 3, 4), (5,)), ((1, 2, 3, 4, 5, 6, 7), (8, 9, 10))]
    values = [np.full(len(written), a) for (_, written), a in zip(turns, (0.1, -0.2, 0.3), strict=True)]
    credit = {(0, 0): TokenCredit(advantage=tuple(values), weight=tuple(np.ones_like(v) for v in values))}
    batch = pack([Group(trajectories=(trajectory(turns, 1.0),))], credit)
    assert batch.samples[0].targets.tolist() == [2, 3, 5, 8, 9, 10]
    assert batch.advantage_N.tolist() == [0.1, 0.1, -0.2, 0.3, 0.3, 0.3]
    sums = np.bincount(batch.action_N, weights=batch.advantage_N)
    np.testing.assert_allclose(sums, [0.2, -0.2, 0.9])


def test_what_a_critic_should_say_goes_along_with_its_tokens():
    one = trajectory([((1,), completion((2, 3, 4), forced=(0,)))], 1.0)
    ones = np.ones(3)
    credit = {(0, 0): TokenCredit(advantage=(ones,), weight=(ones,), targets={"returns": (np.array([7.0, 8.0, 9.0]),)})}
    assert pack([Group(trajectories=(one,))], credit).constants["returns"].tolist() == [8.0, 9.0]


def noting(ids, forced=(), **signals):
    one = trajectory([((1,), completion(ids, forced=forced))], 1.0)
    return replace(one, turns=(replace(one.turns[0], token_signals=signals),))


def test_signals_that_the_algorithm_reads_go_along_with_their_tokens_scalars_and_rows():
    one = noting((2, 3, 4), forced=(0,), doubt=np.array([0.1, 0.2, 0.3]), top=np.array([[5, 6], [7, 8], [9, 10]]))
    other = noting((2, 3), doubt=np.array([0.4, 0.5]), top=np.array([[1, 2], [3, 4]]))
    groups = [Group(trajectories=(each,)) for each in (one, other)]
    batch = pack(groups, Imitate()(groups, NOW), {"doubt", "top"})
    assert batch.constants["doubt"].tolist() == [0.2, 0.3, 0.4, 0.5]
    assert batch.constants["top"].tolist() == [[7, 8], [9, 10], [1, 2], [3, 4]]
    assert batch.take([1, 0]).constants["top"].tolist() == [[1, 2], [3, 4], [7, 8], [9, 10]]
    assert pack(groups, Imitate()(groups, NOW)).constants == {}


def test_a_signal_that_is_read_and_was_not_noted_is_an_error_that_names_the_turn():
    groups = [Group(trajectories=(noting((2, 3), doubt=np.zeros(2)),))]
    with pytest.raises(RlenvsError, match=r"turn task/policy/0/0 has no signal 'top', .* There is: doubt"):
        pack(groups, Imitate()(groups, NOW), {"top"})


def test_no_credit_packs_to_nothing():
    batch = packed(group([None, None]))
    assert len(batch) == 0
    assert split(batch, 4, np.random.default_rng(0)) == []


def test_an_optimiser_step_holds_whole_groups():
    batch = packed(*[group([1.0, 0.0], task=str(number)) for number in range(6)])
    parts = split(batch, 3, np.random.default_rng(0))
    seen = [set(part.group_N.tolist()) for part in parts]
    assert [len(groups) for groups in seen] == [2, 2, 2]
    assert set.union(*seen) == set(range(6))


def test_an_optimiser_step_holds_whole_trajectories_where_groups_are_few():
    rewritten = [((1, 2), (3, 4)), ((9,), (5, 6))]
    four = [trajectory(rewritten, float(attempt), attempt=attempt) for attempt in range(4)]
    parts = split(packed(Group(trajectories=tuple(four))), 2, np.random.default_rng(0))
    assert [len(part.samples) for part in parts] == [4, 4]
    assert not set(parts[0].trajectory_N.tolist()) & set(parts[1].trajectory_N.tolist())


def test_there_are_no_empty_optimiser_steps():
    assert len(split(packed(group([1.0, 0.0])), 8, np.random.default_rng(0))) == 2


def test_taken_samples_keep_their_segments_and_the_words_for_their_tasks():
    batch = packed(group([1.0, 0.0], task="a"), group([0.0, 1.0], task="b"))
    part = batch.take([3, 0])
    assert part.trajectory_N.tolist() == [3, 3, 3, 0, 0, 0]
    assert part.sample_N.tolist() == [0, 0, 0, 1, 1, 1]
    assert part.where(0) == "task b, episode b/policy/1"


def test_a_trained_token_that_nothing_comes_before_is_refused():
    with pytest.raises(ValueError, match="trained positions lie in 1 … 1"):
        Sample(ids=np.array([1, 2]), positions=np.array([0, 1]))


def test_a_weight_of_zero_is_refused():
    with pytest.raises(ValueError, match="a weight above 0"):
        Batch(
            samples=(Sample.of([1], [2]),),
            sampler_N=np.zeros(1),
            advantage_N=np.zeros(1),
            weight_N=np.zeros(1),
            **{f"{name}_N": np.zeros(1, dtype=np.int64) for name in ("sample", "action", "trajectory", "group")},
        )
