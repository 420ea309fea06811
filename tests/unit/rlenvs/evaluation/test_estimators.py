"""Unbiased pass@k against golden numbers and brute force; intervals against coverage by simulation."""

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pytest

from rlenvs.evaluation.estimators import (
    Estimate,
    clustered_mean,
    clustered_rate,
    mean_of_estimates,
    pass_at_every_k,
    student_quantile,
    wilson,
)


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [
        (10, 3, 1, 0.3),
        (10, 3, 5, 0.9166667),
        (4, 2, 3, 1.0),
        (5, 0, 4, 0.0),
        (128, 1, 64, 0.5),
        (1024, 1, 256, 0.25),
        (256, 8, 32, 0.6618315),
    ],
)
def test_pass_at_k_equals_the_golden_numbers(n: int, c: int, k: int, expected: float) -> None:
    assert pass_at_every_k(n, c)[k - 1] == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_pass_at_k_is_the_share_of_subsets_with_a_right_sample(n: int) -> None:
    for c in range(n + 1):
        right = [index < c for index in range(n)]
        for k in range(1, n + 1):
            subsets = list(itertools.combinations(right, k))
            expected = sum(any(subset) for subset in subsets) / len(subsets)
            assert pass_at_every_k(n, c)[k - 1] == pytest.approx(expected, abs=1e-12)


def test_pass_at_k_is_exact_for_many_samples() -> None:
    for n, c, k in ((1024, 17, 512), (4096, 1, 4095), (4096, 2000, 3)):
        exact = 1 - math.comb(n - c, k) / math.comb(n, k)
        assert pass_at_every_k(n, c)[k - 1] == pytest.approx(exact, abs=1e-12)


def test_pass_at_k_is_unbiased_where_any_of_the_first_k_of_a_plug_in_rate_is_not() -> None:
    rng, p, n, k = np.random.default_rng(0), 0.2, 8, 4
    counts = rng.binomial(n, p, size=20_000)
    truth = 1 - (1 - p) ** k
    unbiased = np.mean([pass_at_every_k(n, count)[k - 1] for count in counts])
    plug_in = np.mean(1 - (1 - counts / n) ** k)
    assert unbiased == pytest.approx(truth, abs=0.006)
    assert abs(plug_in - truth) > 0.03


@pytest.mark.parametrize(("n", "c"), [(0, 0), (3, 4), (3, -1)])
def test_impossible_counts_are_refused(n: int, c: int) -> None:
    with pytest.raises(ValueError, match="between 0 and all of them"):
        pass_at_every_k(n, c)


def test_students_quantile_equals_the_tables() -> None:
    table = {1: 12.7062, 2: 4.3027, 4: 2.7764, 5: 2.5706, 7: 2.3646, 10: 2.2281, 30: 2.0423, 100: 1.9840}
    for degrees, expected in table.items():
        assert student_quantile(degrees) == pytest.approx(expected, rel=2e-3)


def test_wilsons_interval_equals_a_worked_case() -> None:
    # 8 of 10, z = 1.96: centre (0.8 + 0.19207) / 1.38415, half width 1.96 / 1.38415 * sqrt(0.016 + 0.0096037)
    low, high = wilson(0.8, 10)
    assert (low, high) == pytest.approx((0.49016, 0.94332), abs=1e-4)


def test_a_mean_over_tasks_has_students_interval() -> None:
    estimate = clustered_mean(np.array([1.0, 2.0, 3.0]))  # std 1, standard error 1/sqrt(3), t(2) = 4.3027
    assert estimate.value == 2.0
    assert estimate.high - 2.0 == pytest.approx(4.3027 / math.sqrt(3), abs=1e-4)
    assert 2.0 - estimate.low == pytest.approx(estimate.high - 2.0)


def test_the_mean_of_huge_rewards_is_as_huge_as_they_are() -> None:
    estimate = clustered_mean(np.array([1e308, 1.2e308, 1.4e308]))
    assert estimate.value == pytest.approx(1.2e308)
    assert estimate.high - estimate.value == pytest.approx(4.3027 * 0.2e308 / math.sqrt(3), rel=1e-4)


def test_a_single_task_says_nothing_of_others() -> None:
    assert clustered_mean(np.array([3.0])) == Estimate(value=3.0, low=-math.inf, high=math.inf)
    rate = clustered_rate(np.array([1.0]), draws_per_task=64)
    assert rate.high == 1.0
    assert rate.low < 0.05


@pytest.mark.parametrize(("value", "num_tasks", "limit"), [(0.0, 100, 0.038), (1.0, 100, 0.038), (0.0, 10, 0.34)])
def test_all_wrong_or_all_right_has_an_interval_that_does_not_collapse(
    value: float, num_tasks: int, limit: float
) -> None:
    estimate = clustered_rate(np.full(num_tasks, value), draws_per_task=8)
    far = estimate.high if value == 0 else 1 - estimate.low
    assert far == pytest.approx(limit, abs=0.002)
    assert (estimate.low if value == 0 else 1 - estimate.high) == 0.0


def test_the_first_success_narrows_the_interval_little() -> None:
    none = clustered_rate(np.zeros(100), draws_per_task=8)
    one = clustered_rate(np.append(np.zeros(99), 1 / 8), draws_per_task=8)
    assert none.high > one.high > 0.5 * none.high
    whole = clustered_rate(np.append(np.zeros(99), 1.0), draws_per_task=8)
    assert whole.high > none.high


def test_the_design_effect_of_a_worked_case() -> None:
    # rates 0, 1/2, 1: mean 1/2, squares 1/2, all or nothing 2 * 1/4: (0.5 + 0.1) / (0.5 + 0.1) = 1, so three draws
    assert clustered_rate(np.array([0.0, 0.5, 1.0]), draws_per_task=4).low == pytest.approx(
        wilson(0.5, 3, 4.302652730)[0]
    )
    # rates 1/4, 1/2, 3/4: squares 1/8: 0.225 / 0.6 = 0.375, so eight draws
    estimate = clustered_rate(np.array([0.25, 0.5, 0.75]), draws_per_task=4)
    assert (estimate.low, estimate.high) == pytest.approx(wilson(0.5, 8, 4.302652730))


@dataclass(frozen=True)
class Simulated:
    clustered: float  # how often the interval holds the true rate
    naive: float  # how often one that takes every sample for independent does
    width: float
    needed: float  # the width of a normal interval that knows the true variance


def coverage(rates: tuple[float, float], num_tasks: int, samples: int, runs: int = 400) -> Simulated:
    rng, (a, b) = np.random.default_rng(7), rates
    truth, hits, naive_hits, width = a / (a + b), 0, 0, 0.0
    for _ in range(runs):
        values = rng.binomial(samples, rng.beta(a, b, num_tasks)) / samples
        estimate = clustered_rate(values, draws_per_task=samples)
        low, high = wilson(float(values.mean()), num_tasks * samples)
        hits += estimate.low <= truth <= estimate.high
        naive_hits += low <= truth <= high
        width += (estimate.high - estimate.low) / runs
    between = truth * (1 - truth) / (a + b + 1)
    variance = between + (truth * (1 - truth) - between) / samples
    needed = 2 * 1.96 * math.sqrt(variance / num_tasks)
    return Simulated(clustered=hits / runs, naive=naive_hits / runs, width=width, needed=needed)


@pytest.mark.parametrize("num_tasks", [10, 30, 100])
@pytest.mark.parametrize("samples", [1, 4, 16])
@pytest.mark.parametrize("rates", [(0.5, 0.5), (0.3, 0.3), (0.1, 0.9), (1.0, 9.0), (2.0, 2.0), (5.0, 0.3)])
def test_the_interval_holds_the_truth_at_least_as_often_as_it_says(
    rates: tuple[float, float], samples: int, num_tasks: int
) -> None:
    assert coverage(rates, num_tasks, samples).clustered >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 400)


@pytest.mark.parametrize("samples", [1, 4, 16])
@pytest.mark.parametrize("rates", [(1.0, 9.0), (0.3, 0.3), (1000.0, 1000.0)])
def test_the_interval_is_not_much_wider_than_the_truth_needs(rates: tuple[float, float], samples: int) -> None:
    few, many = coverage(rates, 30, samples), coverage(rates, 300, samples, runs=100)
    assert few.width < 1.3 * few.needed
    assert many.width < 1.06 * many.needed


def test_tasks_that_are_all_solved_say_as_much_as_their_number_whatever_their_samples() -> None:
    estimates = [clustered_rate(np.ones(30), draws_per_task=samples) for samples in (1, 16)]
    assert estimates[0] == estimates[1]
    assert estimates[0].low == pytest.approx(30 / (30 + 2.0452**2), abs=1e-3)


def test_taking_samples_of_one_task_for_independent_holds_the_truth_far_too_rarely() -> None:
    simulated = coverage((0.5, 0.5), 30, 16)
    assert simulated.clustered > 0.92
    assert simulated.naive < 0.6


def test_independent_samples_are_used_and_not_thrown_away() -> None:
    rng = np.random.default_rng(1)
    widths = {}
    for samples in (1, 16):
        values = rng.binomial(samples, 0.5, size=200) / samples
        estimate = clustered_rate(values, draws_per_task=samples)
        widths[samples] = estimate.high - estimate.low
    assert widths[1] / widths[16] == pytest.approx(4.0, rel=0.25)


@pytest.mark.parametrize("bad", [[], [0.5, math.nan], [1.5], [-0.1]])
def test_rates_that_are_none_are_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match=r"mean over tasks|between 0 and 1"):
        clustered_rate(np.array(bad))


def test_the_mean_of_targets_adds_their_uncertainty_as_standard_errors_do() -> None:
    first, second = Estimate(value=0.2, low=0.17, high=0.26), Estimate(value=0.6, low=0.56, high=0.68)
    mean = mean_of_estimates([first, second])
    assert (mean.value, mean.low, mean.high) == pytest.approx((0.4, 0.4 - 0.05 / 2, 0.4 + 0.1 / 2))
