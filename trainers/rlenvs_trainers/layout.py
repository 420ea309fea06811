"""How samples are laid out for forward passes: which go together, and as which padded rows. numpy.

Axes: U shared prefixes of P tokens, R rows of L tokens, N trained tokens in the order of the samples. A prefix that
several samples of a group begin with is read once; their rows go on from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rlenvs_trainers.algorithm import Ints
from rlenvs_trainers.batch import Sample

PASS_OVERHEAD = 256  # tokens that could be computed in the time that one more forward pass takes to get going


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One forward pass. Padding is on the right, where causal attention never looks."""

    prefixes_UP: Ints  # U = 0: rows begin at their samples' beginning
    prefix_lengths_U: Ints
    rows_RL: Ints  # from the end of the prefix to the last token but one: the last predicts nothing
    row_lengths_R: Ints
    prefix_of_R: Ints
    predictors_N: Ints  # index into the flattened rows: the position that predicts each trained token
    targets_N: Ints

    @property
    def num_tokens(self) -> int:
        """Tokens that the model computes, padding included."""
        return self.prefixes_UP.size + self.rows_RL.size


def lay_out(samples: Sequence[Sample], prefix_lengths: Ints) -> Layout:
    """Padded rows of these samples; what they share of their first `prefix_lengths` tokens is there once."""
    keys = [sample.ids[:length].tobytes() for sample, length in zip(samples, prefix_lengths, strict=True)]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))} if any(keys) else {}
    prefixes = [np.frombuffer(key, dtype=np.int64) for key in numbers]
    rows = [sample.ids[length:-1] for sample, length in zip(samples, prefix_lengths, strict=True)]
    rows_RL = _padded(rows)
    predictors = [
        row * rows_RL.shape[1] + sample.positions - 1 - length
        for row, (sample, length) in enumerate(zip(samples, prefix_lengths, strict=True))
    ]
    return Layout(
        prefixes_UP=_padded(prefixes),
        prefix_lengths_U=np.array([len(prefix) for prefix in prefixes], dtype=np.int64),
        rows_RL=rows_RL,
        row_lengths_R=np.array([len(row) for row in rows], dtype=np.int64),
        prefix_of_R=np.array([numbers.get(key, 0) for key in keys], dtype=np.int64),
        predictors_N=np.concatenate(predictors),
        targets_N=np.concatenate([sample.targets for sample in samples]),
    )


def _padded(rows: Sequence[Ints]) -> Ints:
    padded = np.zeros((len(rows), max((len(row) for row in rows), default=0)), dtype=np.int64)
    for row, ids in zip(padded, rows, strict=True):
        row[: len(ids)] = ids
    return padded


def shared_prefixes(samples: Sequence[Sample], families: Ints) -> Ints:
    """[samples] How many tokens every sample shares with all of its family, short of the first predictor.

    0 for a family of one.
    """
    lengths = np.zeros(len(samples), dtype=np.int64)
    for family in np.unique(families):
        members = np.flatnonzero(families == family)
        if len(members) > 1:
            first = samples[members[0]].ids
            shared = min(int(samples[index].positions[0]) - 1 for index in members)
            for index in members[1:]:
                differs = np.flatnonzero(samples[index].ids[:shared] != first[:shared])
                shared = int(differs[0]) if len(differs) else shared
            lengths[members] = shared
    return lengths


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Which samples go through the model together."""

    parts: tuple[Ints, ...]  # indices of samples
    prefix_lengths: Ints  # [samples]
    is_whole: bool  # no trajectory is cut in two


def plan(samples: Sequence[Sample], families: Ints, trajectories: Ints, budget: int, *, share: bool) -> Plan:
    """Micro-batches of at most `budget` padded tokens, each of whole trajectories where they fit.

    Of two orders (family by family, or by length alone) and several smaller budgets the cheapest is taken: padding
    and prefixes that are read again are weighed against the start of one more pass.
    """
    nothing = np.zeros(len(samples), dtype=np.int64)
    prefix_lengths = shared_prefixes(samples, families) if share else nothing
    costs = _Costs(samples, prefix_lengths, families)
    units, is_whole = _units(trajectories, costs, budget)
    candidates = [
        costs.cut(order, limit)
        for order in costs.orders(units)
        for limit in (budget, budget // 2, budget // 4, budget // 8)
    ]
    parts = min(candidates, key=lambda parts: sum(costs.tokens(part) + PASS_OVERHEAD for part in parts))
    return Plan(parts=tuple(parts), prefix_lengths=prefix_lengths, is_whole=is_whole)


def _units(trajectories: Ints, costs: _Costs, budget: int) -> tuple[list[Ints], bool]:
    """What must not be cut: whole trajectories, or single samples of those that do not fit in one pass."""
    units: list[Ints] = []
    is_whole = True
    order = np.argsort(trajectories, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(trajectories[order])) + 1):
        if len(members) > 1 and costs.tokens(members) > budget:
            units += [members[index : index + 1] for index in range(len(members))]
            is_whole = False
        elif len(members):
            units.append(members)
    return units, is_whole


class _Costs:
    """Padded tokens of a forward pass over given samples."""

    def __init__(self, samples: Sequence[Sample], prefix_lengths: Ints, families: Ints) -> None:
        self.prefix_lengths, self.families = prefix_lengths, families
        self.row_lengths = np.array([len(sample.ids) - 1 for sample in samples], dtype=np.int64) - prefix_lengths

    def tokens(self, part: Ints) -> int:
        """Of one pass."""
        prefixes = self.prefix_lengths[part]
        return int(len(np.unique(self.families[part])) * prefixes.max() + len(part) * self.row_lengths[part].max())

    def orders(self, units: Sequence[Ints]) -> list[list[Ints]]:
        """By length alone, and family by family."""
        longest = np.array([self.row_lengths[unit].max() for unit in units], dtype=np.int64)
        family = np.array([self.families[unit[0]] for unit in units], dtype=np.int64)
        reach = np.zeros(len(units), dtype=np.int64)
        for name in np.unique(family):
            reach[family == name] = longest[family == name].max()
        by_length = np.argsort(-longest, kind="stable")
        by_family = np.lexsort((-longest, family, -reach))
        return [[units[index] for index in order] for order in (by_length, by_family)]

    def cut(self, units: Sequence[Ints], budget: int) -> list[Ints]:
        """Consecutive units together, as many as the budget takes; one alone may be above it."""
        groups: list[list[Ints]] = []
        families: set[int] = set()
        prefix, row, count = 0, 0, 0
        for unit in units:
            families |= set(self.families[unit].tolist())
            prefix = max(prefix, int(self.prefix_lengths[unit].max()))
            row, count = max(row, int(self.row_lengths[unit].max())), count + len(unit)
            if groups and len(families) * prefix + count * row <= budget:
                groups[-1].append(unit)
                continue
            groups.append([unit])
            families, count = set(self.families[unit].tolist()), len(unit)
            prefix, row = int(self.prefix_lengths[unit].max()), int(self.row_lengths[unit].max())
        return [np.concatenate(group) for group in groups]
