"""From samples to numbers: pass@k, accuracy, reward, with intervals over tasks; errors counted apart.

A sample that could not be judged enters no rate, and a task without a judged sample enters none either; both are
reported. Seats of one episode are averaged within their task, since the task is what was drawn independently.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from rlenvs.evaluation.estimators import Estimate, clustered_mean, clustered_rate, pass_at_every_k
from rlenvs.evaluation.results import Sample

SOLVED = 1.0 - 1e-9  # the accuracy from which a sample counts as right
SEAT = "seat"
MOST_VALUES = 40  # a metadata key with more different values, or with fewer than two tasks for each, is no grouping


@dataclass(frozen=True, slots=True, kw_only=True)
class PassAt:
    """pass@k over the tasks that have at least k judged samples."""

    k: int
    estimate: Estimate
    num_tasks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Subset:
    """The tasks that share one value of one metadata key (or the samples of one seat)."""

    key: str  # "family", "level", "seat" …
    value: str
    num_tasks: int
    pass_at_1: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What became of one target. The estimates are None where not one sample could be judged."""

    target: str
    num_tasks: int  # tried
    num_tasks_scored: int  # with at least one judged sample
    num_samples: int  # tried, over all seats
    num_errors: int  # that could not be judged: in no rate
    pass_at: tuple[PassAt, ...]
    accuracy: Estimate | None  # mean of `correct`, which may be partial; pass@1 counts full marks alone
    reward: Estimate | None
    parts: Mapping[str, float]  # mean of what each name added to the reward: they sum to its mean
    mean_tokens: float | None  # of a judged sample; None: the policy does not say
    endings: Mapping[str, int]  # samples by ending
    errors: Mapping[str, int]  # first line of what failed, whatever the task -> how often, most frequent first
    breakdown: tuple[Subset, ...]

    @property
    def pass_at_1(self) -> Estimate | None:
        """The chance that one sample is right."""
        return self.pass_at[0].estimate if self.pass_at else None

    def metrics(self) -> dict[str, float]:
        """All of it as named numbers, as `run.sqlite` and observers keep them."""
        numbers = {"tasks": float(self.num_tasks), "samples": float(self.num_samples), "errors": float(self.num_errors)}
        for passed in self.pass_at:
            numbers |= _named(f"pass@{passed.k}", passed.estimate)
        for name, estimate in (("accuracy", self.accuracy), ("reward", self.reward)):
            numbers |= _named(name, estimate) if estimate else {}
        numbers |= {} if self.mean_tokens is None else {"tokens": self.mean_tokens}
        numbers |= {f"part/{name}": value for name, value in self.parts.items()}
        numbers |= {f"ending/{name}": count / self.num_samples for name, count in self.endings.items()}
        return numbers


def summarise(target: str, samples: Sequence[Sample]) -> Summary:
    """The numbers of one target's samples."""
    scored = [sample for sample in samples if sample.is_scored]
    tokens = [sample.num_tokens for sample in scored]
    endings = Counter(sample.ending for sample in samples)
    failures = [sample for sample in samples if not sample.is_scored]
    errors = Counter(_first_line(sample) for sample in failures)
    return Summary(
        target=target,
        num_tasks=len({sample.index for sample in samples}),
        num_tasks_scored=len({sample.index for sample in scored}),
        num_samples=len(samples),
        num_errors=len(failures),
        pass_at=pass_at_all(scored),
        accuracy=_over_tasks(scored, "correct"),
        reward=_over_tasks(scored, "reward"),
        parts=_mean_parts(scored),
        mean_tokens=_mean(tokens) if scored and None not in tokens else None,
        endings={str(ending): count for ending, count in endings.most_common()},
        errors=dict(errors.most_common()),
        breakdown=_breakdown(scored),
    )


def pass_at_all(scored: Sequence[Sample]) -> tuple[PassAt, ...]:
    """pass@k for every k up to the most judged samples that a task and seat has."""
    curves = [_curves(list(samples)) for samples in _by_task(scored).values()]
    longest = max((len(curve) for task in curves for curve in task), default=0)
    return tuple(_pass_at(k, curves) for k in range(1, longest + 1))


def _curves(samples: Sequence[Sample]) -> list[Sequence[float]]:
    """One task's pass@k for k = 1 … n, for each seat."""
    by_seat: dict[str, list[bool]] = defaultdict(list)
    for sample in samples:
        by_seat[sample.seat].append(_is_right(sample))
    return [pass_at_every_k(len(right), sum(right)).tolist() for right in by_seat.values()]


def _pass_at(k: int, curves: Sequence[Sequence[Sequence[float]]]) -> PassAt:
    long_enough = [[curve for curve in task if len(curve) >= k] for task in curves]
    tasks = [task for task in long_enough if task]
    values_T = np.array([_mean([curve[k - 1] for curve in task]) for task in tasks])
    num_samples = _mean([sum(len(curve) for curve in task) for task in tasks])
    return PassAt(k=k, estimate=clustered_rate(values_T, draws_per_task=num_samples / k), num_tasks=len(tasks))


def _over_tasks(scored: Sequence[Sample], name: str) -> Estimate | None:
    if not scored:
        return None
    tasks = _by_task(scored).values()
    values_T = np.array([_mean([getattr(sample, name) for sample in samples]) for samples in tasks])
    if name == "reward":
        return clustered_mean(values_T)
    return clustered_rate(values_T, draws_per_task=len(scored) / len(values_T))


def _mean_parts(scored: Sequence[Sample]) -> dict[str, float]:
    names = dict.fromkeys(name for sample in scored for name in sample.parts)
    return {name: _mean([sample.parts.get(name, 0.0) for sample in scored]) for name in names}


def _breakdown(scored: Sequence[Sample]) -> tuple[Subset, ...]:
    parts = []
    for key, values in _groupings(scored).items():
        for value, samples in values.items():
            passed = pass_at_all(samples)[0]
            parts.append(Subset(key=key, value=value, num_tasks=passed.num_tasks, pass_at_1=passed.estimate))
    return tuple(parts)


def _groupings(scored: Sequence[Sample]) -> dict[str, dict[str, list[Sample]]]:
    """By metadata key, then value: keys that every task has, with a few different values. And by seat, if several."""
    groups: dict[str, dict[Any, list[Sample]]] = defaultdict(lambda: defaultdict(list))
    for sample in scored:
        groups[SEAT][sample.seat].append(sample)
        for key, value in sample.labels.items():
            if value != "":  # it has none
                groups[key][value].append(sample)
    most = min(MOST_VALUES, len(_by_task(scored)) // 2)
    whole = {key: values for key, values in groups.items() if sum(map(len, values.values())) == len(scored)}
    few = {key: values for key, values in whole.items() if 2 <= len(values) <= (len(values) if key == SEAT else most)}
    return {key: {str(value): values[value] for value in _in_order(values)} for key, values in few.items()}


def _in_order(values: Iterable[Any]) -> list[Any]:
    return sorted(values, key=lambda value: (isinstance(value, str), value))  # numbers by size, then names


def _by_task(samples: Iterable[Sample]) -> dict[int, list[Sample]]:
    ordered = sorted(samples, key=lambda sample: sample.index)
    return {index: list(group) for index, group in groupby(ordered, key=lambda sample: sample.index)}


def _is_right(sample: Sample) -> bool:
    return sample.correct is not None and sample.correct >= SOLVED


def _first_line(sample: Sample) -> str:
    """What failed, without what differs from task to task though the failure is the same: ids and addresses."""
    if not sample.error:
        return sample.ending
    line = sample.error.splitlines()[0]
    line = re.sub(rf"(?<!\w){re.escape(sample.task_id)}(?!\w)", "…", line)
    line = re.sub(r"\b0x[0-9a-f]{6,}\b", "0x…", line)
    return f"{sample.ending}: {line[:200]}"


def _named(name: str, estimate: Estimate) -> dict[str, float]:
    numbers = {name: estimate.value, f"{name}/low": estimate.low, f"{name}/high": estimate.high}
    return {key: number for key, number in numbers.items() if math.isfinite(number)}


def _mean(values: Sequence[Any]) -> float:
    try:
        return math.fsum(values) / len(values)
    except OverflowError:  # of the sum: the mean of huge rewards is as huge as they are
        return math.fsum(value / len(values) for value in values)
