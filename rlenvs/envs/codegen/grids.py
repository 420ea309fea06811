"""Grids: lists of rows of numbers, all of one length."""

from collections.abc import Sequence

import numpy as np

from rlenvs.envs.codegen.inputs import lists
from rlenvs.envs.codegen.predicates import some_change, some_test
from rlenvs.envs.codegen.problem import Draft, Family, asked, function
from rlenvs.envs.codegen.syntax.comprehensions import each
from rlenvs.envs.codegen.syntax.expressions import Expression, Name, call
from rlenvs.envs.codegen.syntax.statements import Return
from rlenvs.envs.procedural import between, pick

_GRID, _ROW, _I, _J = Name("grid"), Name("row"), Name("i"), Name("j")


def grid(rng: np.random.Generator, level: int) -> Draft:
    """Rows, cells, columns and diagonals. Mistake: rows are taken for columns, a test's boundary is off, or one of two
    diagonals is taken for the other.
    """
    return (_rows, _cells, _columns, _diagonals)[level - 1](rng)


def _draft(
    rng: np.random.Generator,
    gives: str,
    marks: Sequence[int],
    results: Sequence[Expression],
    *,
    is_square: bool = False,
) -> Draft:
    right, *mistakes = (function("solve", "grid", Return(result)) for result in results)
    inputs = tuple((cells,) for cells in _grids(rng, marks, is_square=is_square))
    return Draft(words=asked(rng, right, gives), right=right, mistakes=tuple(mistakes), inputs=inputs)


def _grids(rng: np.random.Generator, marks: Sequence[int], *, is_square: bool) -> list[list[list[int]]]:
    """One cell, one row, one column, then rectangles of up to 4 by 4."""
    pool = [value for items in lists(rng, marks, least=1) for value in items]
    shapes = [(1, 1), (2, 2), (3, 3)] if is_square else [(1, 1), (1, 3), (3, 1), (2, 3), (3, 2), (2, 2)]
    sizes = shapes + [(between(rng, 1, 4), between(rng, 1, 4)) for _ in range(24)]
    return [
        [[pick(rng, pool) for _ in range(height if is_square else width)] for _ in range(height)]
        for height, width in sizes
    ]


def _rows(rng: np.random.Generator) -> Draft:
    """One number for each row."""
    number, sign, factor = between(rng, 1, 15), pick(rng, "+-"), between(rng, 1, 4)
    which, words = pick(rng, (("sum", "sum"), ("max", "largest number"), ("min", "smallest number")))
    slip = {"sum": "max", "max": "min", "min": "max"}[which]
    found = [call(name, _ROW) for name in (which, slip)]
    values = [value * factor for value in found] if factor > 1 else found
    times = f"{factor} times " if factor > 1 else ""
    results = [each(value + number if sign == "+" else value - number, "row", _GRID) for value in values]
    said = "plus" if sign == "+" else "minus"
    gives = f"a list with one number for each row of grid, which is {times}its {words}, {said} {number}"
    return _draft(rng, gives, [], results)


def _cells(rng: np.random.Generator) -> Draft:
    """What comes of all cells that a condition holds for, or of the rows that have one."""
    test, change = some_test(rng), some_change(rng)

    def total(condition: Expression) -> Expression:
        return call("sum", each(call("sum", each(change.expression, "x", _ROW, condition)), "row", _GRID))

    def rows(condition: Expression, how: str) -> Expression:
        return call("sum", each(1, "row", _GRID, call(how, each(condition, "x", _ROW))))

    if rng.integers(2):
        gives = f"the sum of what you get if, for every number in grid that is {test.singular}, you {change.words}"
        return _draft(rng, gives, [test.mark], [total(test.condition), total(test.slip)])
    how, other = pick(rng, (("any", "all"), ("all", "any")))
    words = "at least one number is" if how == "any" else "all numbers are"
    gives = f"the number of rows of grid in which {words} {test.singular if how == 'any' else test.words}"
    return _draft(
        rng, gives, [test.mark], [rows(test.condition, how), rows(test.condition, other), rows(test.slip, how)]
    )


def _columns(rng: np.random.Generator) -> Draft:
    """Something about each column."""
    test, factor, number = some_test(rng), between(rng, 1, 5), between(rng, 0, 12)
    width, height = call("len", _GRID[0]), call("len", _GRID)
    column = each(_ROW[_I], "row", _GRID)
    times = f"{factor} times the " if factor > 1 else "the "
    plus = f", plus {number}" if number else ""

    def scaled(item: Expression) -> Expression:
        item = item * factor if factor > 1 else item
        return item + number if number else item

    def of_columns(item: Expression) -> Expression:
        return each(scaled(item), "i", call("range", width))

    def of_rows(item: Expression) -> Expression:
        return each(scaled(item), "i", call("range", height))

    if rng.integers(2):
        columns = [call("sum", each(1, "x", column, condition)) for condition in (test.condition, test.slip)]
        gives = f"a list that has for each column of grid {times}number of its numbers that are {test.words}{plus}"
        in_rows = call("sum", each(1, "x", _GRID[_I], test.condition))
        return _draft(rng, gives, [test.mark], [of_columns(columns[0]), of_rows(in_rows), of_columns(columns[1])])
    which, words = pick(rng, (("sum", "sum of the numbers"), ("max", "largest number"), ("min", "smallest number")))
    gives = f"a list that has for each column of grid {times}{words} in it{plus}"
    return _draft(rng, gives, [], [of_columns(call(which, column)), of_rows(call(which, _GRID[_I]))])


def _diagonals(rng: np.random.Generator) -> Draft:
    """The two diagonals of a square, or what lies on one side of the first."""
    size, factor, other = call("len", _GRID), between(rng, 1, 9), between(rng, 1, 9)
    span = call("range", size)
    down, up = _GRID[_I][_I], _GRID[_I][size - 1 - _I]
    kind = pick(rng, ("both", "above", "below"))
    if kind == "both":
        sign = pick(rng, "+-")

        def joined(first: Expression, second: Expression) -> Expression:
            first, second = (item * times if times > 1 else item for item, times in ((first, factor), (second, other)))
            return each(first + second if sign == "+" else first - second, "i", span)

        right, early, turned = joined(down, up), each(down - up, "i", span), joined(up, down)
        first, second = (f"{times} times the sum" if times > 1 else "the sum" for times in (factor, other))
        gives = (
            f"{first} of the numbers on the diagonal of the square grid that begins at the top left,"
            f" {'plus' if sign == '+' else 'minus'} {second} of the numbers on the other diagonal"
        )
        return _draft(rng, gives, [], [call("sum", found) for found in (right, early, turned)], is_square=True)
    later = call("range", _I + 1, size)
    earlier = call("range", _I)

    def side(columns: Expression) -> Expression:
        total: Expression = call("sum", each(call("sum", each(_GRID[_I][_J], "j", columns)), "i", span))
        total = total * factor if factor > 1 else total
        return total + plus if plus else total

    is_wide, plus = bool(rng.integers(2)), between(rng, 0, 20)
    inside = {"above": later, "below": earlier}[kind]
    wide = {"above": call("range", _I, size), "below": call("range", _I + 1)}[kind]
    times = f"{factor} times " if factor > 1 else ""
    lie = f"that lie on or {kind}" if is_wide else f"that lie {kind}, not on,"
    gives = (
        f"{times}the sum of the numbers of the square grid {lie} the diagonal from the top left to the bottom right"
        f"{f', plus {plus}' if plus else ''}"
    )
    ranges = (wide, inside) if is_wide else (inside, wide)
    return _draft(rng, gives, [], [side(columns) for columns in ranges], is_square=True)


FAMILIES = (
    Family("grid", grid, ("a number for each row", "all cells, or rows that have one", "columns", "diagonals")),
)
