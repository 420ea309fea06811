"""Which problem belongs to an index: a pure function of index, families, levels and split, the same on every machine.

A problem belongs to the test split if a hash of its words says so, examples left out: no question of one split is ever
in the other, and none comes back with other examples.
"""

from functools import lru_cache

from rlenvs.envs.codegen import (
    conditions,
    dictionaries,
    folds,
    formulas,
    grids,
    integers,
    loops,
    pipelines,
    scripts,
    sorting,
    strings,
)
from rlenvs.envs.codegen.choosing import problem_of
from rlenvs.envs.codegen.problem import Family, Problem
from rlenvs.envs.procedural import Place, Split, generator, place_at, split_of

__all__ = ["FAMILIES", "Place", "Split", "place_at", "problem_at", "split_of"]

_MODULES = (formulas, conditions, folds, pipelines, strings, dictionaries, loops, integers, grids, sorting, scripts)
FAMILIES: dict[str, Family] = {family.name: family for module in _MODULES for family in module.FAMILIES}
"""All families by name."""

MAX_DRAWS = 10_000  # 1000 times the draws that a test question takes on average


@lru_cache(maxsize=1024)  # a group of attempts asks for one problem again and again
def problem_at(place: Place, split: Split) -> Problem:
    """The first problem drawn at a place whose words are of the split, and whose tests tell its mistake from it.

    Raises:
        RuntimeError: none was found; the family has (next to) no questions of the split at this level.
    """
    family = FAMILIES[place.family]
    rng = generator(place.index, f"codegen {place.family} {place.level}")
    for _ in range(MAX_DRAWS):
        draft = family.draw(rng, place.level)
        if split_of(draft.words) == split:
            problem = problem_of(draft, num_examples=2 if place.level == 1 else 3)
            if problem is not None:
                return problem
    raise RuntimeError(f"no {split} question of {place.family}, level {place.level}, in {MAX_DRAWS} draws")
