"""Problems of every family and level."""

from functools import cache

from rlenvs.envs.arithmetic.problem import Problem
from rlenvs.envs.arithmetic.source import FAMILIES, Place, problem_at

SEEDS = 30
LEVELS = [(name, level) for name, family in FAMILIES.items() for level in range(1, len(family.levels) + 1)]


@cache
def drawn(name: str, level: int, count: int = SEEDS) -> list[Problem]:
    return [problem_at(Place(name, level, index), "train" if index % 5 else "test") for index in range(count)]
