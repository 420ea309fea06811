"""What a family draws: a question, its answer with the working, and the family's typical mistake carried through.

The families are in the modules beside this one, which family an index gets is `source`'s, and whether a reply is right
is `answers`'.
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from rlenvs.envs import procedural
from rlenvs.envs.procedural import between, distinct, pick

__all__ = ["Family", "Form", "Kind", "Problem", "Worked", "between", "distinct", "nonzero", "pick", "with_digits"]

Kind = Literal[
    "integer",  # one integer
    "number",  # one rational number: 3/6, 0.5 and 1/2 are the same
    "lowest",  # a fraction in lowest terms
    "digits",  # one-digit numbers in order, with separators or without
    "sequence",  # numbers in order
    "set",  # numbers in any order
    "assignment",  # a value for each unknown: x = 1, y = 2
    "remainder",  # quotient and remainder: 21 r 3
    "polynomial",  # in x, multiplied out
    "factored",  # in x, as a product of linear factors
    "expression",  # in x, any equivalent form
]
"""What an answer is, and so when two of them agree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How an answer is read."""

    kind: Kind
    unit: str = ""  # may follow the number: "3 km"
    unknown: str = ""  # may come before the number: "x = 3"


@dataclass(frozen=True, slots=True)
class Worked:
    """A derivation and where it leads."""

    lines: tuple[str, ...]
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One question. `right` and `wrong` are whole derivations, so that either can be demonstrated."""

    question: str
    right: Worked
    wrong: Worked  # the family's typical mistake; a source draws again where it happens to end right
    form: Form = field(default_factory=lambda: Form(kind="integer"))

    @property
    def answer(self) -> str:
        """The right answer."""
        return self.right.answer

    @property
    def working(self) -> tuple[str, ...]:
        """The lines of the right derivation."""
        return self.right.lines


Family = procedural.Family[Problem]
"""A kind of question."""


def nonzero(rng: np.random.Generator, largest: int) -> int:
    """An integer from -largest to largest that is not 0."""
    return between(rng, 1, largest) * pick(rng, (-1, 1))


def with_digits(rng: np.random.Generator, length: int) -> int:
    """An integer of `length` digits."""
    return between(rng, 10 ** (length - 1), 10**length - 1)
