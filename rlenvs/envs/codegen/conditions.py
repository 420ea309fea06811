"""Cases: which of several results a number gets."""

import numpy as np

from rlenvs.envs.codegen.inputs import numbers, tuples
from rlenvs.envs.codegen.problem import Draft, Family, asked, function
from rlenvs.envs.codegen.syntax.expressions import Compare, Expression, Name, lifted
from rlenvs.envs.codegen.syntax.logic import Choice, Logic
from rlenvs.envs.codegen.syntax.statements import If, Return, Statement
from rlenvs.envs.procedural import between, distinct, pick

_A, _B = Name("a"), Name("b")
_SIGNS = {">": ("greater than", ">="), ">=": ("at least", ">"), "<": ("less than", "<="), "<=": ("at most", "<")}
_LABELS = ("low", "high", "cold", "warm", "hot", "small", "large", "red", "green", "blue", "none", "full")


def conditions(rng: np.random.Generator, level: int) -> Draft:
    """Two or more cases. Mistake: a boundary falls to the wrong side, or the cases are asked in the wrong order."""
    return (_choice, _bands, _joined, _multiples)[level - 1](rng)


def _choice(rng: np.random.Generator) -> Draft:
    """One comparison with a number."""
    sign, mark = pick(rng, tuple(_SIGNS)), between(rng, 2, 25)
    then, otherwise = pick(
        rng, ((_A, lifted(mark)), (_A * 2, _A), (_A + _A, _A - mark), (_A - 1, _A + 1), (lifted(1), lifted(0)))
    )
    words, slipped = _SIGNS[sign]
    right, wrong = (
        function("solve", "a", Return(Choice(then, _A.is_(each, mark), otherwise))) for each in (sign, slipped)
    )
    turned = function("solve", "a", Return(Choice(otherwise, _A.is_(sign, mark), then)))
    gives = f"{then.text} if a is {words} {mark}, else {otherwise.text}"
    inputs = tuple((value,) for value in numbers(rng, [mark], high=50))
    return Draft(words=asked(rng, right, gives), right=right, mistakes=(wrong, turned), inputs=inputs)


def _bands(rng: np.random.Generator) -> Draft:
    """Three labels between two marks."""
    low, high = sorted(distinct(rng, 2, -5, 30))
    labels = [_LABELS[i] for i in distinct(rng, 3, 0, len(_LABELS) - 1)]
    sign = pick(rng, ("<", "<="))
    words, slipped = _SIGNS[sign]

    def labelled(first: str, second: str) -> tuple[Statement, ...]:
        ends = (
            If(_A.is_(first, low), (Return(lifted(labels[0])),)),
            If(_A.is_(second, high), (Return(lifted(labels[1])),)),
        )
        return (*ends, Return(lifted(labels[2])))

    right, wrong = (function("solve", "a", *labelled(each, each)) for each in (sign, slipped))
    gives = (
        f'"{labels[0]}" if a is {words} {low}, otherwise "{labels[1]}" if it is {words} {high}, otherwise "{labels[2]}"'
    )
    inputs = tuple((value,) for value in numbers(rng, [low, high], low=-30, high=60))
    return Draft(words=asked(rng, right, gives), right=right, mistakes=(wrong,), inputs=inputs)


def _joined(rng: np.random.Generator) -> Draft:
    """Two conditions that both, or of which one, must hold."""
    word, mark, divisor = pick(rng, ("and", "or")), between(rng, 2, 12), between(rng, 2, 4)
    sign = pick(rng, tuple(_SIGNS))
    words, _ = _SIGNS[sign]
    then, otherwise = pick(rng, ((_A + _B, _A - _B), (_A * _B, _A + _B), (_A, _B), (_B - _A, _A * 2)))

    def joined(how: str) -> Expression:
        divides: Compare = (_A % divisor).is_("==", 0)
        return Choice(then, Logic(divides, how, _B.is_(sign, mark)), otherwise)

    right, wrong = (function("solve", "a b", Return(joined(how))) for how in (word, "or" if word == "and" else "and"))
    both = "both of these hold" if word == "and" else "at least one of these holds"
    gives = f"{then.text} if {both}: a is a multiple of {divisor}; b is {words} {mark}; otherwise {otherwise.text}"
    near = [(divisor * 3, mark), (divisor * 3 + 1, mark), (divisor * 2, mark + 1), (divisor * 2, mark - 1)]
    far = [(divisor + 1, mark + 1), (divisor + 1, mark - 1), (0, 0), (-divisor, mark)]
    inputs = (*near, *far, *tuples(rng, 2, [mark, divisor], high=20))
    return Draft(words=asked(rng, right, gives), right=right, mistakes=(wrong,), inputs=inputs)


def _multiples(rng: np.random.Generator) -> Draft:
    """Labels for the multiples of two numbers, and of both."""
    first, second = pick(rng, ((2, 3), (3, 2), (2, 5), (5, 2), (3, 4), (4, 3), (3, 5), (5, 3), (4, 6), (6, 4), (2, 7)))
    labels = [_LABELS[i] for i in distinct(rng, 3, 0, len(_LABELS) - 1)]
    tests = [(_A % number).is_("==", 0) for number in (first, second)]
    ends = [If(test, (Return(lifted(label)),)) for test, label in zip(tests, labels, strict=False)]
    both = If(Logic(tests[0], "and", tests[1]), (Return(lifted(labels[2])),))
    shift = between(rng, 1, 9)
    last = Return(_A + shift)
    right = function("solve", "a", both, *ends, last)
    wrong = function("solve", "a", *ends, both, last)
    gives = (
        f'"{labels[2]}" for a multiple of both {first} and {second}, "{labels[0]}" for other multiples of {first},'
        f' "{labels[1]}" for other multiples of {second}, and a + {shift} for everything else'
    )
    marks = [first, second, first * second]
    inputs = tuple((value,) for value in numbers(rng, marks, low=-10, high=60))
    return Draft(words=asked(rng, right, gives), right=right, mistakes=(wrong,), inputs=inputs)


FAMILIES = (
    Family(
        "conditions",
        conditions,
        ("one comparison", "three labels", "two conditions joined", "multiples of one, or of both"),
    ),
)
