"""One value from a list of numbers: sums, counts and extremes of those that a condition holds for."""

import numpy as np

from rlenvs.envs.codegen.inputs import lists
from rlenvs.envs.codegen.predicates import X, some_change, some_test
from rlenvs.envs.codegen.problem import Draft, Family, asked, function
from rlenvs.envs.codegen.syntax.comprehensions import each
from rlenvs.envs.codegen.syntax.expressions import Call, Expression, Name, call, lifted
from rlenvs.envs.codegen.syntax.logic import Logic
from rlenvs.envs.codegen.syntax.statements import Assign, Augment, For, If, Return, Statement
from rlenvs.envs.procedural import between, pick

_XS, _TOTAL = Name("xs"), Name("total")


def fold(rng: np.random.Generator, level: int) -> Draft:
    """Sums, counts and extremes of a list. Mistake: the condition's boundary is wrong, or there is no condition."""
    return (_selected, _changed, _extreme, _balance)[level - 1](rng)


def _draft(
    rng: np.random.Generator, gives: str, marks: list[int], right: tuple[Statement, ...], *wrong: tuple[Statement, ...]
) -> Draft:
    solve, *mistakes = (function("solve", "xs", *body) for body in (right, *wrong))
    inputs = tuple((items,) for items in lists(rng, marks))
    return Draft(words=asked(rng, solve, gives), right=solve, mistakes=tuple(mistakes), inputs=inputs)


def _selected(rng: np.random.Generator) -> Draft:
    """The sum or the number of those that a condition holds for."""
    test, is_sum, number = some_test(rng), bool(rng.integers(2)), between(rng, -9, 9)

    def body(condition: Expression | None) -> tuple[Statement, ...]:
        value: Expression = call("sum", each(X if is_sum else 1, "x", _XS, condition))
        return (Return(value + number if number > 0 else value - -number if number else value),)

    of = pick(rng, ("the sum of", "the total of") if is_sum else ("the count of", "the number of"))
    gives = f"{of} the numbers in xs that are {test.words}{_plus(number)}"
    return _draft(rng, gives, [test.mark], body(test.condition), body(test.slip), body(None))


def _plus(number: int) -> str:
    return f", {'plus' if number > 0 else 'minus'} {abs(number)}" if number else ""


def _changed(rng: np.random.Generator) -> Draft:
    """The sum of what those that a condition holds for become."""
    test, change = some_test(rng), some_change(rng)

    def body(condition: Expression | None) -> tuple[Statement, ...]:
        return (Return(call("sum", each(change.expression, "x", _XS, condition))),)

    chosen = f"for every number in xs that is {test.singular}"
    gives = pick(
        rng,
        (
            f"the sum of what you get if, {chosen}, you {change.words}",
            f"what you get in total if, {chosen}, you {change.words}",
        ),
    )
    return _draft(rng, gives, [test.mark], body(test.condition), body(test.slip), body(None))


def _extreme(rng: np.random.Generator) -> Draft:
    """The largest or smallest of those that a condition holds for, or a number if there are none."""
    test, which, default = some_test(rng), pick(rng, ("max", "min")), between(rng, -9, 9)

    def body(condition: Expression | None, fallback: int) -> tuple[Statement, ...]:
        chosen = each(X, "x", _XS, condition)
        return (Return(Call(which, (chosen,), (("default", lifted(fallback)),))),)

    word = {"max": "largest", "min": "smallest"}[which]
    gives = f"the {word} of the numbers in xs that are {test.words}, or {default} if there are none"
    return _draft(rng, gives, [test.mark], body(test.condition, default), body(test.slip, default), body(None, default))


def _balance(rng: np.random.Generator) -> Draft:
    """A loop that adds some numbers, takes away others and leaves the rest."""
    first, second = some_test(rng, with_divisors=False), some_test(rng)
    change = some_change(rng)
    start = between(rng, 0, 20)

    def body(one: Expression, other: Expression, sign: str) -> tuple[Statement, ...]:
        inner = If(one, (Augment(_TOTAL, "+", change.expression),), (If(other, (Augment(_TOTAL, sign, X),)),))
        return Assign(_TOTAL, lifted(start)), For(("x",), _XS, (inner,)), Return(_TOTAL)

    gives = (
        f"the total that you end with if you start at {start} and, for each number x in xs, add"
        f" {change.expression.text} to the total if x is {first.singular}, or else subtract x from it if x is"
        f" {second.singular}"
    )
    both = Logic(first.condition, "and", second.condition)
    return _draft(
        rng,
        gives,
        [first.mark, second.mark],
        body(first.condition, second.condition, "-"),
        body(first.slip, second.condition, "-"),
        body(both, second.condition, "-"),
    )


FAMILIES = (
    Family(
        "fold", fold, ("a sum or a count", "a sum of changed numbers", "the largest or smallest", "a running total")
    ),
)
