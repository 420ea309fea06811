"""What procedural environments have in common: levels by family, draws, splits, and an index's own random stream.

Streams are Philox, keyed by index and purpose: the same on every machine, independent for different keys.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Generic, Literal, TypeVar

import numpy as np

from rlenvs.errors import unknown

Drawn = TypeVar("Drawn", covariant=True)
Item = TypeVar("Item")

Split = Literal["train", "test"]
Levels = Sequence[int] | Mapping[str, Sequence[int]]


@dataclass(frozen=True)  # no slots: Python 3.11 cannot make a frozen generic class with them
class Family(Generic[Drawn]):
    """A kind of question. `levels[i]` says what level i + 1 draws."""

    name: str
    draw: Callable[[np.random.Generator, int], Drawn]
    levels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an index leads before anything is drawn: the problem follows from this and the split alone."""

    family: str
    level: int
    index: int


def split_of(question: str) -> Split:
    """The split of a question: one in ten is for testing."""
    return "test" if int(hashlib.sha256(question.encode()).hexdigest(), 16) % 10 == 0 else "train"


def place_at(index: int, levels: Mapping[str, tuple[int, ...]]) -> Place:
    """Family and level of an index: families are equally likely, and so are a family's levels."""
    rng = generator(index, "")
    family = pick(rng, sorted(levels))
    return Place(family, pick(rng, levels[family]), index)


def generator(index: int, purpose: str) -> np.random.Generator:
    """The stream of an index and a purpose."""
    key = int.from_bytes(hashlib.sha256(purpose.encode()).digest()[:8], "big")
    return np.random.Generator(np.random.Philox(np.random.SeedSequence((index, key))))


def between(rng: np.random.Generator, low: int, high: int) -> int:
    """An integer from low to high, both included."""
    return int(rng.integers(low, high + 1))


def pick(rng: np.random.Generator, items: Sequence[Item]) -> Item:
    """One of the items, all equally likely."""
    return items[int(rng.integers(len(items)))]


def distinct(rng: np.random.Generator, count: int, low: int, high: int) -> list[int]:
    """`count` different integers from low to high, in random order."""
    drawn: dict[int, None] = {}
    while len(drawn) < count:
        drawn[between(rng, low, high)] = None
    return list(drawn)


def levels_by_family(
    known: Mapping[str, Family[object]], families: Sequence[str] | None, levels: Levels | None
) -> dict[str, tuple[int, ...]]:
    """The levels that are drawn of every chosen family.

    Args:
        families: names in `known`; None for all.
        levels: a list for all of them, or a list by family; None, or a family left out: all that it has.

    Raises:
        ValueError: a name or a level is unknown, or none is chosen.
    """
    chosen = _known_families(known, families)
    if isinstance(levels, Mapping):
        for name in levels:
            if name not in chosen:
                raise ValueError(unknown("chosen family", name, chosen))
        return {name: _checked_levels(known[name], levels.get(name)) for name in chosen}
    return {name: _checked_levels(known[name], levels) for name in chosen}


def _known_families(known: Mapping[str, Family[object]], names: Sequence[str] | None) -> tuple[str, ...]:
    if names is None:
        return tuple(known)
    if not names:
        raise ValueError("families is a list of names, at least one, or None for all: got an empty one")
    for name in names:
        if name not in known:
            raise ValueError(unknown("family", name, known))
    return tuple(names)


def _checked_levels(family: Family[object], levels: Sequence[int] | None) -> tuple[int, ...]:
    highest = len(family.levels)
    if levels is None:
        return tuple(range(1, highest + 1))
    if not levels or not all(1 <= level <= highest for level in levels):
        raise ValueError(f"levels of {family.name} are a list of integers from 1 to {highest}: got {list(levels)}")
    return tuple(levels)


def table_of(families: Mapping[str, Family[object]]) -> str:
    """Families and levels as they stand in a docstring."""
    rows = []
    for family in families.values():
        levels = "; ".join(f"{i}: {text}" for i, text in enumerate(family.levels, start=1))
        rows += [_wrapped(f"{family.name}: {family.draw.__doc__ or ''}", 8), _wrapped(f"{levels}.", 12)]
    return "\n".join(rows)


def _wrapped(text: str, indent: int) -> str:
    return fill(" ".join(text.split()), 120, initial_indent=" " * indent, subsequent_indent=" " * 12)
