import math

import numpy as np
import pytest

from rlenvs.report.series import MOST_POINTS, Series, is_noisy, labels, series_of, short, smoothed, thinned, ticks


def test_a_metric_that_some_steps_lack_has_gaps() -> None:
    curve = series_of({1: {"a": 1.0}, 2: {}, 3: {"a": math.inf}, 4: {"a": 4.0}}, "a")
    assert curve is not None
    assert curve.steps == (1, 2, 3, 4)
    assert [math.isnan(value) for value in curve.values] == [False, True, True, False]
    assert series_of({1: {"a": math.nan}}, "a") is None
    shares = series_of({1: {"a": 0.5}, 2: {}}, "a", absent=0.0)
    assert shares is not None
    assert shares.values == (0.5, 0.0)


def test_a_series_without_a_value_per_step_is_refused() -> None:
    with pytest.raises(ValueError, match="one value per step"):
        Series(name="a", steps=(1.0,), values=(1.0, 2.0))


def test_long_curves_are_thinned_to_means_and_keep_their_end() -> None:
    points = [(float(step), float(step)) for step in range(1, 2001)]
    thin = thinned(points)
    assert len(thin) == MOST_POINTS
    assert thin[-1] == (2000.0, np.mean(range(1996, 2001)))
    assert thin[0] == (5.0, 3.0)
    assert np.mean([value for _, value in thin]) == pytest.approx(np.mean(range(1, 2001)))
    assert thinned(points[:MOST_POINTS]) == points[:MOST_POINTS]


def test_the_moving_average_is_centred_shorter_at_the_ends_and_leaves_gaps() -> None:
    values = [float(index) for index in range(40)]
    values[20] = math.nan
    average = smoothed(values)  # over index-2 … index+2
    assert average[10] == 10.0
    assert average[0] == np.mean([0, 1, 2])
    assert average[39] == np.mean([37, 38, 39])
    assert math.isnan(average[20])
    assert average[19] == np.mean([17, 18, 19, 21])


def test_only_restless_curves_are_smoothed() -> None:
    rng = np.random.default_rng(0)
    assert is_noisy(rng.normal(size=50).tolist())
    assert not is_noisy(rng.normal(size=10).tolist())
    assert not is_noisy([min(1.0, step / 10) for step in range(100)])


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 1.0, [0, 0.25, 0.5, 0.75, 1.0]),
        (0.13, 0.87, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (-3.0, 12.0, [-5, 0, 5, 10, 15]),
        (0.0, 3e-5, [0, 1e-5, 2e-5, 3e-5]),
    ],
)
def test_axes_have_round_ticks_around_the_values(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high) == pytest.approx(expected)


@pytest.mark.parametrize("value", [3.0, -2.0, 1e-9, 1e12])
def test_a_flat_curve_has_an_axis_around_it(value: float) -> None:
    around = ticks(value, value)
    assert around[0] < value < around[-1]
    assert len(around) < 10


def test_a_curve_that_stays_at_nothing_has_an_axis_from_nothing_to_one() -> None:
    assert ticks(0.0, 0.0) == [0, 0.25, 0.5, 0.75, 1.0]


def test_labels_of_different_numbers_differ() -> None:
    assert labels([0.0, 0.25, 0.5]) == ["0", "0.25", "0.5"]
    assert labels([4.7481, 4.74815, 4.7482]) == ["4.7481", "4.74815", "4.7482"]
    assert labels([100_000.0, 100_010.0]) == ["1e5", "1.0001e5"]


def test_ticks_span_whatever_comes() -> None:
    rng = np.random.default_rng(1)
    for _ in range(500):
        low, size = float(rng.normal() * 10 ** rng.uniform(-8, 8)), float(10 ** rng.uniform(-8, 8))
        around = ticks(low, low + size)
        assert around[0] <= low + 1e-6 * size
        assert around[-1] >= low + size * (1 - 1e-6)
        assert len(around) <= 8


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((0.0, "0"), (0.5, "0.5"), (1234.6, "1,235"), (0.00001234, "1.2e-5"), (3e7, "3.0e7"), (-0.25, "-0.25")),
        *((math.nan, "–"), (0.123456, "0.1235"), (100.0, "100")),
    ],
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert short(value) == text
