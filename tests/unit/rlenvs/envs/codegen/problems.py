"""Problems and drafts of every family and level."""

from functools import cache

from rlenvs.envs.codegen.choosing import problem_of
from rlenvs.envs.codegen.problem import Draft, Problem
from rlenvs.envs.codegen.source import FAMILIES
from rlenvs.envs.procedural import generator

NUM = 200
LEVELS = [(name, level) for name, family in FAMILIES.items() for level in range(1, len(family.levels) + 1)]


def chosen(name: str, level: int, count: int) -> list[tuple[Draft, Problem]]:
    """The first drafts that make a problem, and the problems."""
    return _chosen(name, level)[:count]


@cache
def _chosen(name: str, level: int) -> list[tuple[Draft, Problem]]:
    found = []
    rng = generator(0, f"{name} {level}")
    for _ in range(2 * NUM):
        draft = FAMILIES[name].draw(rng, level)
        problem = problem_of(draft, 2 if level == 1 else 3)
        found += [] if problem is None else [(draft, problem)]
        if len(found) == NUM:
            return found
    raise AssertionError(f"more than half of the drafts of {name}, level {level}, make no problem")
