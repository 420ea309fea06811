"""How samples are laid out for forward passes: which go together, and as which padded rows. numpy.

Axes: U shared prefixes of P tokens, R rows of L tokens, N trained tokens in the order of the samples. A prefix that
several samples of a group begin with is read once; their rows go on from it, in blocks of similar length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rlenvs_trainers.algorithm import Ints
from rlenvs_trainers.batch import Sample

ON_CPU, ON_GPU = 256, 4096  # tokens that could be computed in the time that one more call of the model takes to start


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Rows that are computed together. Padding is on the right, where causal attention never looks."""

    ids_RL: Ints  # from the end of the prefix to the last token but one: the last predicts nothing
    prefix_of_R: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One forward pass."""

    prefixes_UP: Ints  # U = 0: rows begin at their samples' beginning
    prefix_lengths_U: Ints
    blocks: tuple[Block, ...]
    predictors_N: Ints  # the position that predicts each trained token: index into all blocks, flattened and joined
    targets_N: Ints

    @property
    def num_tokens(self) -> int:
        """Tokens that the model computes, padding included."""
        return self.prefixes_UP.size + sum(block.ids_RL.size for block in self.blocks)


def lay_out(samples: Sequence[Sample], prefix_lengths: Ints, *, overhead: int = ON_CPU) -> Layout:
    """Padded rows of these samples; what they share of their first `prefix_lengths` tokens is there once."""
    keys = [sample.ids[:length].tobytes() for sample, length in zip(samples, prefix_lengths, strict=True)]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))} if any(keys) else {}
    prefixes = [np.frombuffer(key, dtype=np.int64) for key in numbers]
    rows = [sample.ids[length:-1] for sample, length in zip(samples, prefix_lengths, strict=True)]
    blocks: list[Block] = []
    starts, size = np.zeros(len(rows), dtype=np.int64), 0
    for members in blocks_by_length(np.array([len(row) for row in rows]), overhead):
        ids_RL = _padded([rows[index] for index in members])
        starts[members] = size + np.arange(len(members)) * ids_RL.shape[1]
        size += ids_RL.size
        prefix_of_R = np.array([numbers.get(keys[index], 0) for index in members], dtype=np.int64)
        blocks.append(Block(ids_RL=ids_RL, prefix_of_R=prefix_of_R))
    predictors = [start + s.positions - 1 - n for start, s, n in zip(starts, samples, prefix_lengths, strict=True)]
    return Layout(
        prefixes_UP=_padded(prefixes),
        prefix_lengths_U=np.array([len(prefix) for prefix in prefixes], dtype=np.int64),
        blocks=tuple(blocks),
        predictors_N=np.concatenate(predictors),
        targets_N=np.concatenate([sample.targets for sample in samples]),
    )


def blocks_by_length(lengths: Ints, overhead: int) -> list[Ints]:
    """Indices of rows that are padded to a common length: the division with the fewest tokens, calls counted too.

    Longest first. With rows sorted, best[i] = min over j < i of best[j] + (i - j) length[j] + overhead.
    """
    order = np.argsort(-lengths, kind="stable")
    longest = lengths[order]
    best, cut = np.zeros(len(lengths) + 1, dtype=np.int64), np.zeros(len(lengths) + 1, dtype=np.int64)
    for end in range(1, len(lengths) + 1):
        begins = np.arange(end)
        costs = best[:end] + (end - begins) * longest[:end] + overhead
        cut[end] = np.argmin(costs)
        best[end] = costs[cut[end]]
    blocks: list[Ints] = []
    end = len(lengths)
    while end:
        blocks.insert(0, order[cut[end] : end])
        end = int(cut[end])
    return blocks


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


def plan(
    samples: Sequence[Sample], families: Ints, trajectories: Ints, budget: int, *, share: bool, overhead: int = ON_CPU
) -> Plan:
    """Micro-batches of at most `budget` padded tokens, each of whole trajectories where they fit.

    Of two orders (family by family, or by length alone) and several smaller budgets the cheapest is taken: padding
    and prefixes that are read again are weighed against the start of one more pass.
    """
    nothing = np.zeros(len(samples), dtype=np.int64)
    prefix_lengths = shared_prefixes(samples, families) if share else nothing
    costs = _Costs(samples, prefix_lengths, families, overhead)
    units, is_whole = _units(trajectories, costs, budget)
    candidates = [
        costs.cut(order, limit)
        for order in costs.orders(units)
        for limit in (budget, budget // 2, budget // 4, budget // 8)
    ]
    parts = min(candidates, key=lambda parts: sum(costs.of(part) for part in parts))
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

    def __init__(self, samples: Sequence[Sample], prefix_lengths: Ints, families: Ints, overhead: int) -> None:
        self.prefix_lengths, self.families, self.overhead = prefix_lengths, families, overhead
        self.row_lengths = np.array([len(sample.ids) - 1 for sample in samples], dtype=np.int64) - prefix_lengths

    def tokens(self, part: Ints) -> int:
        """Of one pass, at most: with all rows in one block."""
        return self._prefixes(part) + int(len(part) * self.row_lengths[part].max())

    def of(self, part: Ints) -> int:
        """Of one pass, with every call of the model counted as so many tokens."""
        rows = self.row_lengths[part]
        blocks = sum(
            len(block) * int(rows[block].max()) + self.overhead for block in blocks_by_length(rows, self.overhead)
        )
        prefixes = self._prefixes(part)
        return blocks + prefixes + (self.overhead if prefixes else 0)

    def _prefixes(self, part: Ints) -> int:
        return int(len(np.unique(self.families[part])) * self.prefix_lengths[part].max())

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
