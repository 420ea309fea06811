"""Lists from lists: steps that select, change, cut, reverse and sort, one after the other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rlenvs.envs.codegen.inputs import lists
from rlenvs.envs.codegen.predicates import X, some_change, some_test
from rlenvs.envs.codegen.problem import Draft, Family, asked, function
from rlenvs.envs.codegen.syntax.comprehensions import each
from rlenvs.envs.codegen.syntax.expressions import Expression, Name, call
from rlenvs.envs.codegen.syntax.statements import Assign, Function, Return
from rlenvs.envs.procedural import between, pick

_XS = Name("xs")


@dataclass(frozen=True, slots=True)
class Step:
    """What is done to a list `xs`."""

    expression: Expression
    words: str  # an order
    slip: Expression | None = None  # what is typically written instead
    mark: int = 0
    is_change: bool = False  # of each number by itself


def _select(rng: np.random.Generator) -> Step:
    test = some_test(rng)
    kept = (each(X, "x", _XS, condition) for condition in (test.condition, test.slip))
    return Step(next(kept), f"keep only the numbers that are {test.words}", next(kept), test.mark)


def _change(rng: np.random.Generator) -> Step:
    change = some_change(rng)
    return Step(each(change.expression, "x", _XS), change.plural, is_change=True)


def _cut(rng: np.random.Generator) -> Step:
    count = between(rng, 1, 3)
    numbers = "number" if count == 1 else f"{count} numbers"
    return pick(
        rng,
        (
            Step(_XS[:count], f"keep the first {numbers}", _XS[: count - 1]),
            Step(_XS[count:], f"drop the first {numbers}", _XS[count + 1 :]),
            Step(_XS[-count:], f"keep the last {numbers}", _XS[count:]),
            Step(_XS[:-count], f"drop the last {numbers}", _XS[:count]),
            Step(_XS[:: count + 1], f"keep the first number and every {_NTH[count]} one after it", _XS[1 :: count + 1]),
        ),
    )


_NTH = {1: "second", 2: "third", 3: "fourth"}


def _order(rng: np.random.Generator) -> Step:
    return pick(
        rng,
        (
            Step(_XS[::-1], "reverse the order"),
            Step(call("sorted", _XS), "sort in ascending order"),
            Step(call("sorted", _XS, reverse=True), "sort in descending order", call("sorted", _XS)),
            Step(call("sorted", call("set", _XS)), "sort in ascending order and drop repetitions", call("sorted", _XS)),
        ),
    )


_KINDS: tuple[Callable[[np.random.Generator], Step], ...] = (_select, _change, _cut, _order)


def pipeline(rng: np.random.Generator, level: int) -> Draft:
    """Steps on a list of numbers. Mistake: a step is done a little wrong, two are swapped, or the last is left out."""
    if level == 1:
        return _draft(rng, _one_expression(rng))
    kinds: list[Callable[[np.random.Generator], Step]] = []
    while len(kinds) < level:
        kind = pick(rng, _KINDS)
        if not kinds or kind is not kinds[-1]:  # two of a kind in a row often come to one
            kinds.append(kind)
    return _draft(rng, [kind(rng) for kind in kinds])


def _one_expression(rng: np.random.Generator) -> list[Step]:
    """Select and change in one comprehension, or only one of the two."""
    test, change = some_test(rng), some_change(rng)
    if rng.integers(2):
        return [Step(each(change.expression, "x", _XS), change.plural, each(X, "x", _XS), 0)]
    right, wrong = (each(change.expression, "x", _XS, condition) for condition in (test.condition, test.slip))
    words = f"keep only the numbers that are {test.words}, then {change.plural}"
    return [Step(right, words, wrong, test.mark)]


def _draft(rng: np.random.Generator, steps: Sequence[Step]) -> Draft:
    right = _program([step.expression for step in steps])
    slipped = [
        _program([step.slip if step is other and step.slip else step.expression for step in steps])
        for other in steps
        if other.slip is not None
    ]
    swapped = [
        _program([step.expression for step in (*steps[:i], steps[i + 1], steps[i], *steps[i + 2 :])])
        for i in range(len(steps) - 1)
    ]
    shorter = [_program([step.expression for step in steps[:-1]])]
    mistakes = (*swapped, *slipped, *shorter) if rng.integers(2) else (*slipped, *swapped, *shorter)
    words = ", then ".join(step.words for step in steps)
    phrasing = pick(rng, ("the numbers in xs after this: {steps}", "the list that xs becomes if you {steps}"))
    marks = [_before(steps[:place], step.mark) for place, step in enumerate(steps) if step.mark]
    inputs = tuple((items,) for _ in range(3) for items in lists(rng, marks))
    gives = phrasing.replace("{steps}", words)
    return Draft(words=asked(rng, right, gives), right=right, mistakes=mistakes, inputs=inputs)


def _before(steps: Sequence[Step], mark: int) -> int:
    """The number that the steps bring nearest to a mark."""
    numbers = list(range(-9, 13))
    changed = numbers
    for step in steps:
        changed = step.expression.value({"xs": changed}) if step.is_change else changed
    return min(zip(numbers, changed, strict=True), key=lambda pair: abs(pair[1] - mark))[0]


def _program(steps: Sequence[Expression]) -> Function:
    if not steps:
        return function("solve", "xs", Return(_XS))
    return function("solve", "xs", *(Assign(_XS, step) for step in steps[:-1]), Return(steps[-1]))


FAMILIES = (Family("pipeline", pipeline, ("one comprehension", "two steps", "three steps", "four steps")),)
