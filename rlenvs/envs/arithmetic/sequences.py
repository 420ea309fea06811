"""Sequences whose rule is named, so that the next term is certain."""

from itertools import pairwise

import numpy as np

from rlenvs.envs.arithmetic.problem import Family, Problem, Worked, between, nonzero, pick


def sequence(rng: np.random.Generator, level: int) -> Problem:
    """A term of a sequence.

    Mistake: the step is taken backwards, one step too many, the last difference is added where there is a factor, or
    the last difference is repeated where differences grow.
    """
    return (_next_arithmetic, _distant_arithmetic, pick(rng, (_geometric, _recurrent)), _quadratic)[level - 1](rng)


def _next_arithmetic(rng: np.random.Generator) -> Problem:
    first, step = between(rng, -50, 99), nonzero(rng, 20)
    terms = [first + i * step for i in range(5)]
    rule = f"{_minus(terms[1], terms[0])}={step}"
    right, wrong = (Worked((rule, _sum(terms[3], by)), str(terms[3] + by)) for by in (step, -step))
    question = f"The sequence {_listed(terms[:4])} is arithmetic. What is the next term?"
    return Problem(question=question, right=right, wrong=wrong)


def _distant_arithmetic(rng: np.random.Generator) -> Problem:
    first, step, place = between(rng, -50, 99), nonzero(rng, 20), between(rng, 10, 50)
    terms = [first + i * step for i in range(4)]
    rule = f"{_minus(terms[1], terms[0])}={step}"
    right, wrong = (
        Worked((rule, f"{steps}*{step}={steps * step}", _sum(first, steps * step)), str(first + steps * step))
        for steps in (place - 1, place)
    )
    question = f"The sequence {_listed(terms)} is arithmetic. What is term number {place}?"
    return Problem(question=question, right=right, wrong=wrong)


def _geometric(rng: np.random.Generator) -> Problem:
    first, ratio = nonzero(rng, 50), pick(rng, (-5, -4, -3, -2, 2, 3, 4, 5))
    terms = [first * ratio**i for i in range(5)]
    rule, last, step = f"{terms[1]}/{terms[0]}={ratio}", terms[3], terms[3] - terms[2]
    right = Worked((rule, f"{last}*{ratio}={terms[4]}"), str(terms[4]))
    wrong = Worked((f"{_minus(last, terms[2])}={step}", _sum(last, step)), str(last + step))
    question = f"The sequence {_listed(terms[:4])} is geometric. What is the next term?"
    return Problem(question=question, right=right, wrong=wrong)


def _recurrent(rng: np.random.Generator) -> Problem:
    terms = [between(rng, 1, 30), between(rng, 1, 30)]
    while len(terms) < 7:
        terms.append(terms[-1] + terms[-2])
    right = Worked((_sum(terms[3], terms[4]), _sum(terms[4], terms[5])), str(terms[6]))
    step = terms[4] - terms[3]
    wrong = Worked((f"{_minus(terms[4], terms[3])}={step}", _sum(terms[4], 2 * step)), str(terms[4] + 2 * step))
    known = _listed(terms[:5])
    question = f"In {known} each term from the third on is the sum of the two before it. What is term number 7?"
    return Problem(question=question, right=right, wrong=wrong)


def _quadratic(rng: np.random.Generator) -> Problem:
    first, step, growth = between(rng, -30, 50), nonzero(rng, 12), nonzero(rng, 8)
    terms = [first + i * step + growth * i * (i - 1) // 2 for i in range(6)]
    steps = [after - before for before, after in pairwise(terms)]
    rule = f"steps {_listed(steps[:4])}"
    right = Worked((rule, _sum(steps[3], growth), _sum(terms[4], steps[4])), str(terms[5]))
    wrong = Worked((rule, _sum(terms[4], steps[3])), str(terms[4] + steps[3]))
    question = f"The differences of the sequence {_listed(terms[:5])} are arithmetic. What is the next term?"
    return Problem(question=question, right=right, wrong=wrong)


def _listed(terms: list[int]) -> str:
    return ", ".join(map(str, terms))


def _sum(a: int, b: int) -> str:
    return f"{a}{'+' if b >= 0 else '-'}{abs(b)}={a + b}"


def _minus(a: int, b: int) -> str:
    return f"{a}-{b}" if b >= 0 else f"{a}+{-b}"


FAMILIES = (
    Family(
        "sequence",
        sequence,
        (
            "arithmetic, next term",
            "arithmetic, term number 10 to 50",
            "geometric, next term; or sums of the two terms before, next but one",
            "differences that grow evenly, next term",
        ),
    ),
)
