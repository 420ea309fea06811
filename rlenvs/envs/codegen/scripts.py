"""Whole programs, which read lines and print."""

from collections.abc import Sequence

import numpy as np

from rlenvs.envs.codegen.inputs import WORDS, lists, tuples
from rlenvs.envs.codegen.predicates import X, some_test
from rlenvs.envs.codegen.problem import Draft, Family
from rlenvs.envs.codegen.syntax.comprehensions import EmptyDict, each
from rlenvs.envs.codegen.syntax.expressions import Call, Expression, Item, Name, call, lifted
from rlenvs.envs.codegen.syntax.statements import (
    Assign,
    Augment,
    Do,
    For,
    If,
    Script,
    Statement,
    Together,
)
from rlenvs.envs.procedural import between, pick

_A, _B, _N, _XS, _W, _PARTS, _TOTAL = map(Name, ("a", "b", "n", "xs", "w", "parts", "total"))
_TOTALS, _NAME, _AMOUNT = map(Name, ("totals", "name", "amount"))
_LINE = call("input")
_NUMBER = call("int", _LINE)
_NUMBERS = each(call("int", _W), "w", _LINE.method("split"))


def script(rng: np.random.Generator, level: int) -> Draft:
    """Programs that read and print. Mistake: a line too few is read, a boundary is off, or only the last amount is
    kept.
    """
    return (_two_lines, _one_line, _counted_lines, _table)[level - 1](rng)


def _print(*parts: Expression) -> Statement:
    return Do(Call("print", parts))


def _asked(rng: np.random.Generator, reads: str, prints: str) -> str:
    phrasing = pick(
        rng,
        (
            "Write a program. It reads {reads}. It prints {prints}.",
            "The input is {reads}. Print {prints}.",
            "Read {reads}, from standard input. Print {prints}.",
        ),
    )
    return phrasing.replace("{reads}", reads).replace("{prints}", prints)


def _draft(
    rng: np.random.Generator,
    reads: str,
    prints: str,
    inputs: Sequence[str],
    right: tuple[Statement, ...],
    *wrong: tuple[Statement, ...],
) -> Draft:
    mistakes = tuple(Script(body) for body in wrong)
    given = tuple((text,) for text in inputs)
    return Draft(words=_asked(rng, reads, prints), right=Script(right), mistakes=mistakes, inputs=given)


def _two_lines(rng: np.random.Generator) -> Draft:
    """Two numbers, and a formula of them."""
    number, sign, factor = between(rng, 2, 20), pick(rng, "+-*"), between(rng, 1, 4)
    first = _A * factor if factor > 1 else _A
    inner = {"+": first + _B, "-": first - _B, "*": first * _B}[sign]
    turned = {"+": first - _B, "-": _B - first, "*": first + _B}[sign]
    said = {"+": "plus", "-": "minus", "*": "times"}[sign]
    words = f"{factor} times a, {said} b" if factor > 1 else f"a {said} b"
    last = pick(rng, "+-")
    reads: tuple[Statement, ...] = Assign(_A, _NUMBER), Assign(_B, _NUMBER)

    def body(value: Expression) -> tuple[Statement, ...]:
        return (*reads, _print(value + number if last == "+" else value - number))

    prints = f"{words}, {'plus' if last == '+' else 'minus'} {number}"
    inputs = [f"{a}\n{b}\n" for a, b in tuples(rng, 2)]
    return _draft(
        rng, "two whole numbers a and b, each on a line of its own", prints, inputs, body(inner), body(turned)
    )


def _one_line(rng: np.random.Generator) -> Draft:
    """A line of numbers, and what comes of those that a condition holds for."""
    test, what = some_test(rng), pick(rng, ("sum", "number", "list", "reversed", "sorted"))
    is_list = what in ("list", "reversed", "sorted")
    numbers = {"list": _XS, "reversed": _XS[::-1], "sorted": call("sorted", _XS)}.get(what, _XS)

    def body(condition: Expression | None) -> tuple[Statement, ...]:
        item = call("str", X) if is_list else lifted(1) if what == "number" else X
        kept = each(item, "x", numbers, condition)
        value = lifted(" ").method("join", kept) if is_list else call("sum", kept)
        return Assign(_XS, _NUMBERS), _print(value)

    prints = {
        "sum": f"the sum of those that are {test.words}",
        "number": f"how many of them are {test.words}",
        "list": f"those that are {test.words}, in the same order, on one line and separated by blanks",
        "reversed": f"those that are {test.words}, the last one first, on one line and separated by blanks",
        "sorted": f"those that are {test.words}, the smallest first, on one line and separated by blanks",
    }[what]
    inputs = [" ".join(map(str, items)) + "\n" for items in lists(rng, [test.mark], least=1)]
    reads = "whole numbers on one line, separated by blanks"
    return _draft(rng, reads, prints, inputs, body(test.condition), body(test.slip), body(None))


def _counted_lines(rng: np.random.Generator) -> Draft:
    """A number of lines, each of which counts."""
    test, start = some_test(rng), between(rng, 0, 9)
    is_sum = bool(rng.integers(2))

    def body(rounds: Expression, condition: Expression) -> tuple[Statement, ...]:
        add = If(condition, (Augment(_TOTAL, "+", X if is_sum else lifted(1)),))
        inner: tuple[Statement, ...] = (Assign(X, _NUMBER), add)
        loop = For(("_",), call("range", rounds), inner)
        return Together((_N, _TOTAL), (_NUMBER, lifted(start))), loop, _print(_TOTAL)

    plus = f", plus {start}" if start else ""
    prints = f"{'the sum' if is_sum else 'the number'} of those of the n numbers that are {test.words}{plus}"
    inputs = ["\n".join(map(str, (len(items), *items))) + "\n" for items in lists(rng, [test.mark])]
    reads = "a line with the number n, and then n lines with a whole number each"
    bodies = body(_N, test.condition), body(_N - 1, test.condition), body(_N, test.slip)
    return _draft(rng, reads, prints, inputs, *bodies)


def _table(rng: np.random.Generator) -> Draft:
    """Names and amounts, and the total of each name."""
    least, has_least = between(rng, 3, 50), rng.integers(8) > 0
    sign, said, slip = pick(rng, ((">=", "at least", ">"), ("<=", "at most", "<")))
    begin: tuple[Statement, ...] = Assign(_TOTALS, EmptyDict()), Assign(_N, _NUMBER)
    names, sorting = pick(
        rng,
        (
            (call("sorted", _TOTALS), "in alphabetical order"),
            (call("sorted", _TOTALS, reverse=True), "in reverse alphabetical order"),
            (_TOTALS, "in the order in which the names first come"),
        ),
    )

    def body(amount: Expression, sign: str) -> tuple[Statement, ...]:
        read: tuple[Statement, ...] = (
            Assign(_PARTS, _LINE.method("split")),
            Assign(_NAME, _PARTS[0]),
            Assign(_AMOUNT, call("int", _PARTS[1])),
        )
        out = _print(_NAME, _TOTALS[_NAME])
        shown: Statement = If(_TOTALS[_NAME].is_(sign, least), (out,)) if has_least else out
        loop = For(("_",), call("range", _N), (*read, Assign(Item(_TOTALS, _NAME), amount)))
        return (*begin, loop, For(("name",), names, (shown,)))

    added = _TOTALS.method("get", _NAME, 0) + _AMOUNT
    bodies = body(added, sign), body(_AMOUNT, sign), body(added, slip)
    limit = f" whose total is {said} {least}" if has_least else ""
    prints = f"a line for each name{limit}, with the name, a blank and the total of its numbers, {sorting}"
    reads = "a line with the number n, and then n lines, each with a name, a blank and a whole number"
    chosen = [word.lower() for word in WORDS[:4]]
    tables = [[(pick(rng, chosen), between(rng, 1, least)) for _ in range(size)] for size in _SIZES]
    tables += [[("tree", least), ("map", least - 1), ("tree", 1), ("ant", 1), ("map", 1)]]
    inputs = [f"{len(rows)}\n" + "".join(f"{name} {amount}\n" for name, amount in rows) for rows in reversed(tables)]
    return _draft(rng, reads, prints, inputs, *bodies)


_SIZES = (6, 5, 4, 3, 6, 5, 4, 3, 2, 6, 5, 4, 0, 2, 3, 4, 1)

FAMILIES = (Family("script", script, ("two lines", "numbers on one line", "a number of lines", "totals by name")),)
