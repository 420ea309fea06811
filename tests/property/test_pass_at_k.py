"""Laws of pass@k and of the intervals over tasks."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rlenvs.evaluation.estimators import clustered_rate, pass_at_every_k

counts = st.integers(1, 200).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
rates = st.lists(st.floats(0, 1), min_size=1, max_size=60)


@given(counts)
def test_more_samples_never_lower_the_chance_and_it_begins_at_the_rate(count: tuple[int, int]) -> None:
    n, c = count
    curve = pass_at_every_k(n, c)
    assert np.isclose(curve[0], c / n)
    assert (np.diff(curve) >= 0).all()
    assert curve[-1] == float(c > 0)


@given(counts)
def test_one_more_right_sample_never_lowers_any_k(count: tuple[int, int]) -> None:
    n, c = count
    if c < n:
        assert (pass_at_every_k(n, c + 1) >= pass_at_every_k(n, c)).all()


@given(rates, st.floats(1, 64))
def test_the_interval_is_inside_0_and_1_and_around_the_rate(values: list[float], draws: float) -> None:
    estimate = clustered_rate(np.array(values), draws_per_task=draws)
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    assert estimate.low < estimate.high


@given(rates, st.floats(1, 64))
def test_right_and_wrong_are_mirror_images(values: list[float], draws: float) -> None:
    rate = clustered_rate(np.array(values), draws_per_task=draws)
    mirrored = clustered_rate(1 - np.array(values), draws_per_task=draws)
    assert np.allclose([1 - rate.high, 1 - rate.low], [mirrored.low, mirrored.high], atol=1e-9)


@given(rates, st.randoms())
def test_the_order_of_tasks_does_not_matter(values: list[float], random: np.random.Generator) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)
    first, second = clustered_rate(np.array(values)), clustered_rate(np.array(shuffled))
    assert np.allclose([first.low, first.high], [second.low, second.high])
