"""Which problem belongs to an index: a pure function of index, families, levels and split, the same on every machine.

A question belongs to the test split if a hash of its text says so, so no question of one split is ever in the other.
"""

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
from rlenvs.envs.arithmetic.problem import Family, Problem
from rlenvs.envs.procedural import Place, Split, generator, place_at, split_of

__all__ = ["FAMILIES", "Place", "Split", "place_at", "problem_at", "split_of"]

_MODULES = (integers, lists, parts, theory, equations, sequences, units, polynomials, derivatives, stories)
FAMILIES: dict[str, Family] = {family.name: family for module in _MODULES for family in module.FAMILIES}
"""All families by name."""

MAX_DRAWS = 10_000  # 1000 times the draws that a test question takes on average


def problem_at(place: Place, split: Split) -> Problem:
    """The first problem drawn at a place whose question is of the split, and whose mistake does not end right.

    Raises:
        RuntimeError: none was found; the family has (next to) no questions of the split at this level.
    """
    family = FAMILIES[place.family]
    rng = generator(place.index, f"{place.family} {place.level}")
    for _ in range(MAX_DRAWS):
        problem = family.draw(rng, place.level)
        if split_of(problem.question) == split and not is_equal(problem.wrong.answer, problem.answer, problem.form):
            return problem
    raise RuntimeError(f"no {split} question of {place.family}, level {place.level}, in {MAX_DRAWS} draws")
