"""Formulas of parameters: steps of arithmetic, and whole division."""

from collections.abc import Sequence

import numpy as np

from rlenvs.envs.codegen.inputs import tuples
from rlenvs.envs.codegen.problem import Draft, Family, asked, function
from rlenvs.envs.codegen.syntax.expressions import Expression, Name, call, lifted
from rlenvs.envs.codegen.syntax.statements import Return
from rlenvs.envs.procedural import between, distinct, pick

_A, _B, _C = Name("a"), Name("b"), Name("c")


def formula(rng: np.random.Generator, level: int) -> Draft:
    """Arithmetic in steps. Mistake: brackets are left out, so that multiplication comes first, or a sign is turned."""
    if level == 1:
        return _two_steps(rng)
    names = [_A, _B] if level == 2 else [_A, _B, _C]
    first, others = names[0], names[1:]
    num_steps = max(level, 3)
    given: list[Expression | int] = [*others, *(between(rng, 2, 29) for _ in range(num_steps - len(others)))]
    operands = [given[place] for place in distinct(rng, num_steps, 0, num_steps - 1)]
    signs = [pick(rng, "+-") if i % 2 == 0 else "*" for i in range(len(operands))]
    right, words = _step(first, signs[0], operands[0]), [_said(signs[0], operands[0])]
    for sign, operand in zip(signs[1:], operands[1:], strict=True):
        right = _step(right, sign, operand)
        words.append(_said(sign, operand))
    unbracketed = _without_brackets(first, signs, operands)
    last = _step(_chain(first, signs[:-1], operands[:-1]), {"+": "-", "-": "+", "*": "+"}[signs[-1]], operands[-1])
    gives = f"start with {first.name}, then {', then '.join(words)}"
    phrasing = pick(rng, ("Write {head}: {gives}. Return the result.", "{head} returns the result of this: {gives}."))
    return _draft(rng, right, (unbracketed, last), [name.name for name in names], gives, phrasing=phrasing)


def _two_steps(rng: np.random.Generator) -> Draft:
    """Two parameters, and a number added to their product, sum or difference."""
    sign, number, last = pick(rng, "+-*"), between(rng, 2, 30), pick(rng, "+-")
    right = _step(_step(_A, sign, _B), last, number)
    inner = pick(rng, {"+": ("a plus b", "the sum of a and b"), "-": ("a minus b", "a less b"),
                       "*": ("a times b", "the product of a and b")}[sign])  # fmt: skip
    gives = f"{inner}, {'plus' if last == '+' else 'minus'} {number}"
    misread = _step(_A, "*" if sign != "*" else "+", _B)
    wrong = _step(misread, last, number)
    return _draft(rng, right, (wrong,), ["a", "b"], gives)


def _draft(
    rng: np.random.Generator,
    right: Expression,
    mistakes: Sequence[Expression],
    names: Sequence[str],
    gives: str,
    *,
    phrasing: str = "",
    marks: Sequence[int] = (),
) -> Draft:
    solve, *wrong = (function("solve", " ".join(names), Return(each)) for each in (right, *mistakes))
    words = phrasing.replace("{head}", solve.signature).replace("{gives}", gives) or asked(rng, solve, gives)
    inputs = tuples(rng, len(names), marks, low=0, high=99) if marks else tuples(rng, len(names))
    return Draft(words=words, right=solve, mistakes=tuple(wrong), inputs=tuple(inputs))


def _step(left: Expression, sign: str, right: Expression | int) -> Expression:
    return left + right if sign == "+" else left - right if sign == "-" else left * right


def _chain(first: Expression, signs: Sequence[str], operands: Sequence[Expression | int]) -> Expression:
    for sign, operand in zip(signs, operands, strict=True):
        first = _step(first, sign, operand)
    return first


def _without_brackets(first: Expression, signs: Sequence[str], operands: Sequence[Expression | int]) -> Expression:
    """The steps as they read from left to right: a product takes only what is beside it."""
    total: Expression | None = None
    last_sign, last = "+", first
    for sign, operand in zip(signs, operands, strict=True):
        if sign == "*":
            last = last * operand
            continue
        total = last if total is None else _step(total, last_sign, last)
        last_sign, last = sign, lifted(operand)
    return last if total is None else _step(total, last_sign, last)


def _said(sign: str, operand: Expression | int) -> str:
    name = operand.text if isinstance(operand, Expression) else operand
    return {"+": f"add {name}", "-": f"subtract {name}", "*": f"multiply by {name}"}[sign]


def division(rng: np.random.Generator, level: int) -> Draft:
    """Whole division and remainders of numbers from 0 on. Mistake: quotient and remainder are taken for each other, or
    the part that is left over is not counted.
    """
    size, other = between(rng, 3, 12), between(rng, 2, 20)
    marks = (size, 2 * size, 5 * size)
    if level == 1:
        is_rest = bool(rng.integers(2))
        right, wrong = (_A % size + other, _A // size + other) if is_rest else (_A // size + other, _A % size + other)
        gives = f"{'what is left over' if is_rest else 'the whole number'} when a is divided by {size}, plus {other}"
        return _draft(rng, right, (wrong,), ["a"], gives, marks=marks)
    if level == 2:
        return _boxes(rng, size, other, marks)
    if level == 3:
        single = between(rng, 1, 5)
        packs, left = _A // size * other, _A % size
        right = packs + (left * single if single > 1 else left)
        gives = (
            f"the price of a apples, which cost {other} for every full bag of {size} and {single} for each apple that"
            " is left over"
        )
        return _draft(rng, right, (packs,), ["a"], gives, marks=marks)
    which, words = pick(rng, (("max", "larger"), ("min", "smaller")))
    sign, said = pick(rng, (("+", "plus"), ("-", "minus")))
    whole = call(which, _A, _B) // other
    right, wrong = (_step(distance % size, sign, whole) for distance in (call("abs", _A - _B), _A - _B))
    gives = (
        f"the remainder when the distance between a and b is divided by {size}, {said} the whole part of the {words} of"
        f" a and b divided by {other}"
    )
    return _draft(rng, right, (wrong,), ["a", "b"], gives, marks=marks)


def _boxes(rng: np.random.Generator, size: int, other: int, marks: Sequence[int]) -> Draft:
    """How many boxes are filled, the last one perhaps in part, and spare ones or their price."""
    things = pick(rng, ("red and b blue balls", "big and b small eggs", "old and b new books"))
    packed = f"a {things} packed together, {size} in a box, where the last box may be partly empty"
    boxes, fewer = (_A + _B + (size - 1)) // size, (_A + _B) // size
    if rng.integers(2):
        gives = f"the number of boxes that you need for {packed}, plus {other} spare boxes"
        return _draft(rng, boxes + other, (fewer + other,), ["a", "b"], gives, marks=marks)
    gives = f"the price of the boxes that you need for {packed}; a box costs {other}"
    return _draft(rng, boxes * other, (fewer * other,), ["a", "b"], gives, marks=marks)


FAMILIES = (
    Family("formula", formula, ("two steps with a and b", "three steps", "three parameters", "four steps")),
    Family("division", division, ("one division", "rounding up", "quotient and remainder", "distances")),
)
