"""Numbers for curves: thinned out for drawing, smoothed for the eye, and axes with round ticks."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

MOST_POINTS = 400  # of a curve: a page of a long run stays small
SMOOTHED_FROM = 20  # points: shorter curves need no moving average
RESTLESS = 0.2  # share of points at which a curve turns, from which it is noise and needs one


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One curve. NaN is a gap."""

    name: str
    steps: tuple[float, ...]
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.steps) != len(self.values) or not self.steps:
            raise ValueError(f"{self.name}: one value per step, got {len(self.values)} for {len(self.steps)}")


def series_of(metrics: Mapping[int, Mapping[str, float]], name: str, *, absent: float = math.nan) -> Series | None:
    """The curve of one metric, thinned; None where no step has a finite value. `absent`: where a step lacks it."""
    points = [(float(step), named.get(name, absent)) for step, named in metrics.items()]
    points = [(step, value if math.isfinite(value) else math.nan) for step, value in points]
    if all(math.isnan(value) for _, value in points):
        return None
    steps, values = zip(*thinned(points), strict=True)
    return Series(name=name, steps=steps, values=values)


def by_name(metrics: Mapping[int, Mapping[str, float]]) -> list[str]:
    """Every metric's name, in order."""
    return sorted({name for named in metrics.values() for name in named})


def thinned(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """At most `MOST_POINTS` points: the means of equal stretches, each at its last step, so that the end is kept."""
    stretch = math.ceil(len(points) / MOST_POINTS)
    if stretch <= 1:
        return list(points)
    ends = range(len(points), 0, -stretch)
    stretches = [points[max(0, end - stretch) : end] for end in reversed(ends)]
    return [(part[-1][0], _mean([value for _, value in part])) for part in stretches]


def is_noisy(values: Sequence[float]) -> bool:
    """Whether a moving average helps: the curve is long, and turns again and again."""
    finite = [value for value in values if math.isfinite(value)]
    rises = [after - before for before, after in pairwise(finite)]
    turns = sum(before * after < 0 for before, after in pairwise(rises))
    return len(finite) >= SMOOTHED_FROM and turns > RESTLESS * len(finite)


def smoothed(values: Sequence[float]) -> list[float]:
    """The centred moving average over a tenth of the curve; shorter towards both ends. Gaps stay gaps."""
    half = len(values) // 20
    averages = [_mean(values[max(0, index - half) : index + half + 1]) for index in range(len(values))]
    return [math.nan if math.isnan(value) else average for value, average in zip(values, averages, strict=True)]


def ticks(low: float, high: float, *, most: int = 5) -> list[float]:
    """Round numbers that span [low, high]: the first is at most low, the last at least high."""
    if high - low < 1e-12 * max(1.0, abs(high)):  # a flat curve still needs an axis
        low, high = (low - abs(low) / 10, high + abs(high) / 10) if low else (0.0, 1.0)
    rough = (high - low) / (most - 1)
    magnitude = 10.0 ** math.floor(math.log10(rough))
    size = next(factor * magnitude for factor in (1, 2, 2.5, 5, 10) if factor * magnitude >= rough * (1 - 1e-9))
    first, last = math.floor(low / size + 1e-9), math.ceil(high / size - 1e-9)
    return [index * size for index in range(first, last + 1)]


def labels(numbers: Sequence[float]) -> list[str]:
    """The numbers as short as they can be and still differ."""
    texts = [short(number) for number in numbers]
    digits = 5
    while len(set(texts)) < len(set(numbers)) and digits <= 15:
        texts = [_bare(f"{number:.{digits}g}") for number in numbers]
        digits += 1
    return texts


def short(value: float) -> str:
    """A number for an axis or a caption: four digits at most, no noise."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "–"
    if 1e-3 <= abs(value) < 1e5:
        return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return _bare(f"{value:.1e}")


def _bare(text: str) -> str:
    """Without the padding of an exponent."""
    return text.replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")


def _mean(values: Sequence[float]) -> float:
    finite = [value for value in values if math.isfinite(value)]
    return math.fsum(finite) / len(finite) if finite else math.nan
