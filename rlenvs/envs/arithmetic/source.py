"""Which problem belongs to an index: a pure function of index, families, levels and split, the same on every machine.

A question belongs to the test split if a hash of its text says so, so no question of one split is ever in the other.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rlenvs.envs.arithmetic import (
    derivatives,
    equations,
    integers,
    lists,
    parts,
    polynomials,
    sequences,
    stories,
    theory,
    units,
)
from rlenvs.envs.arithmetic.answers import is_equal
from rlenvs.envs.arithmetic.problem import Family, Problem, pick

Split = Literal["train", "test"]

_MODULES = (integers, lists, parts, theory, equations, sequences, units, polynomials, derivatives, stories)
FAMILIES: dict[str, Family] = {family.name: family for module in _MODULES for family in module.FAMILIES}
"""All families by name."""

MAX_DRAWS = 10_000  # 1000 times the draws that a test question takes on average


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
    rng = _generator(index, "")
    family = pick(rng, sorted(levels))
    return Place(family, pick(rng, levels[family]), index)


def problem_at(place: Place, split: Split) -> Problem:
    """The first problem drawn at a place whose question is of the split, and whose mistake does not end right.

    Raises:
        RuntimeError: none was found; the family has (next to) no questions of the split at this level.
    """
    family = FAMILIES[place.family]
    rng = _generator(place.index, f"{place.family} {place.level}")
    for _ in range(MAX_DRAWS):
        problem = family.draw(rng, place.level)
        if split_of(problem.question) == split and not is_equal(problem.wrong.answer, problem.answer, problem.form):
            return problem
    raise RuntimeError(f"no {split} question of {place.family}, level {place.level}, in {MAX_DRAWS} draws")


def _generator(index: int, purpose: str) -> np.random.Generator:
    """Philox keyed by index and purpose: streams of different keys are independent."""
    key = int.from_bytes(hashlib.sha256(purpose.encode()).digest()[:8], "big")
    return np.random.Generator(np.random.Philox(np.random.SeedSequence((index, key))))
