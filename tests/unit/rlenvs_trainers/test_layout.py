from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rlenvs_trainers.batch import Sample
from rlenvs_trainers.layout import blocks_by_length, lay_out, plan, shared_prefixes


def test_rows_go_on_from_a_prefix_that_is_there_once():
    samples = [Sample.of([1, 2, 3], [4, 5]), Sample.of([1, 2, 3], [6]), Sample.of([9, 8], [7])]
    layout = lay_out(samples, np.array([2, 2, 1]))
    (block,) = layout.blocks
    assert layout.prefixes_UP.tolist() == [[1, 2], [9, 0]]
    assert layout.prefix_lengths_U.tolist() == [2, 1]
    assert block.ids_RL.tolist() == [[3, 4], [3, 0], [8, 0]]
    assert block.prefix_of_R.tolist() == [0, 0, 1]
    assert layout.predictors_N.tolist() == [0, 1, 2, 4]
    assert layout.targets_N.tolist() == [4, 5, 6, 7]


def test_without_prefixes_every_row_begins_at_its_beginning():
    layout = lay_out([Sample.of([1, 2, 3], [4, 5])], np.zeros(1, dtype=np.int64))
    assert layout.prefixes_UP.size == 0
    assert layout.blocks[0].ids_RL.tolist() == [[1, 2, 3, 4]]
    assert layout.predictors_N.tolist() == [2, 3]


def test_rows_of_very_different_lengths_are_in_blocks_of_their_own():
    samples = [Sample.of([1], range(n)) for n in (2, 9, 3, 8)]
    layout = lay_out(samples, np.zeros(4, dtype=np.int64), overhead=3)
    assert [block.ids_RL.shape for block in layout.blocks] == [(2, 9), (2, 3)]
    assert layout.num_tokens == 24
    flat = np.concatenate([block.ids_RL.ravel() for block in layout.blocks])
    following = [flat[layout.predictors_N[sum((2, 9, 3, 8)[:i]) + n - 1]] for i, n in enumerate((2, 9, 3, 8))]
    assert following == [0, 7, 1, 6]  # the token before the last of each sample


@given(lengths=st.lists(st.integers(1, 600), min_size=1, max_size=7), overhead=st.integers(0, 500))
def test_no_other_division_into_blocks_takes_fewer_tokens(lengths, overhead):
    def cost(blocks):
        return sum(len(block) * max(block) + overhead for block in blocks)

    ordered = sorted(lengths, reverse=True)
    others = []
    for cuts in range(2 ** (len(ordered) - 1)):
        edges = [0, *[i + 1 for i in range(len(ordered) - 1) if cuts >> i & 1], len(ordered)]
        others.append(cost([ordered[a:b] for a, b in pairwise(edges)]))
    found = blocks_by_length(np.array(lengths), overhead)
    assert sorted(np.concatenate(found).tolist()) == list(range(len(lengths)))
    assert cost([[lengths[i] for i in block] for block in found]) == min(others)


def test_a_prefix_is_what_all_of_the_family_share_short_of_the_first_predictor():
    samples = [
        Sample.of([1, 2, 3, 4], [5, 6]),
        Sample.of([1, 2, 3, 4], [5, 7]),
        Sample.of([1, 2, 9], [5]),
        Sample.of([1], [2]),
    ]
    assert shared_prefixes(samples, np.array([0, 0, 1, 2])).tolist() == [3, 3, 0, 0]
    assert shared_prefixes(samples, np.array([0, 0, 0, 1])).tolist() == [2, 2, 2, 0]


def test_a_plan_keeps_to_its_budget_and_has_every_sample_once():
    rng = np.random.default_rng(0)
    families = np.repeat(np.arange(8), 4)
    prompts = [rng.integers(0, 50, rng.integers(2, 30)) for _ in range(8)]
    samples = [Sample.of(prompts[f], rng.integers(0, 50, rng.integers(1, 60))) for f in families]
    for share in (True, False):
        for budget in (100, 300, 5000):
            passes = plan(samples, families, np.arange(32), budget, share=share)
            assert sorted(np.concatenate(passes.parts).tolist()) == list(range(32))
            assert passes.is_whole
            for part in passes.parts:
                layout = lay_out([samples[i] for i in part], passes.prefix_lengths[part])
                assert layout.num_tokens <= budget or len(part) == 1


def test_trajectories_stay_whole_where_they_fit_and_the_plan_says_where_they_do_not():
    samples = [Sample.of([1, 2], range(10)) for _ in range(6)]
    families, trajectories = np.zeros(6, dtype=np.int64), np.array([0, 0, 1, 1, 2, 2])
    whole = plan(samples, families, trajectories, 30, share=False)
    assert whole.is_whole
    assert all(len(set(trajectories[part])) * 2 == len(part) for part in whole.parts)
    assert not plan(samples, families, trajectories, 15, share=False).is_whole


def test_sharing_prefixes_and_sorting_by_length_saves_most_of_the_padding():
    """64 attempts at 8 tasks, prompts of 50 tokens, lengths 1 to 200: within 1.3 times the tokens that must be read."""
    rng = np.random.default_rng(1)
    families = np.repeat(np.arange(8), 8)
    samples = [Sample.of([f] * 50, rng.integers(0, 9, rng.integers(1, 200))) for f in families]
    passes = plan(samples, families, np.arange(64), 4096, share=True)
    read = sum(lay_out([samples[i] for i in part], passes.prefix_lengths[part]).num_tokens for part in passes.parts)
    needed = 8 * 49 + sum(len(sample.positions) for sample in samples)
    padded = 64 * max(len(sample.ids) - 1 for sample in samples)
    assert read < 1.3 * needed
    assert read < 0.6 * padded


def test_nothing_needs_no_passes():
    none = np.zeros(0, dtype=np.int64)
    assert plan([], none, none, 100, share=True).parts == ()
