"""Where expressions with variables are compared: points that what differs hardly agrees at."""

import secrets
from fractions import Fraction

from rlenvs.verifiers import tree
from rlenvs.verifiers.tree import Node


def points_for(names: list[str], one: Node, other: Node) -> list[dict[str, Fraction]]:
    """Points for these variables: whole ones where a function of whole numbers is applied to them."""
    if _has(_OF_WHOLE, one, other) or (_has(_ROUNDING, one, other) and set(names) <= _WHOLE_NAMES):
        return whole_points(names)
    return [*real_points(names), *(whole_points(names) if _has(_ROUNDING, one, other) else ())]


_COORDINATES = ("0.7390851332", "-1.3247179572", "2.6651441426", "-0.5671432904", "1.9021605831", "-2.5849817596")


_SCALES = (1, 1, -1, 13, 1, -1, 10**7, -(10**7))  # what is the same near zero need not be so far away
_RANGES = [(1, 1), (2, 2), (3, 3), (4, 6), (5, 9), (7, 12), (13, 30), (31, 60), (61, 200), (201, 999), (10**3, 10**4)]
_WHOLE = tuple(low + secrets.randbelow(high - low + 1) for low, high in (*_RANGES, (10**6, 10**7)))
_SHIFT = Fraction(secrets.randbelow(10**9), 10**11)  # nobody can know the points, and fit an answer to them


def real_points(names: list[str]) -> list[dict[str, Fraction]]:
    """Points whose coordinates have both signs, small and large, no two the same."""
    return [{name: _coordinate(row, column) for column, name in enumerate(names)} for row in range(len(_SCALES))]


def _coordinate(row: int, column: int) -> Fraction:
    known = Fraction(_COORDINATES[(row + column) % len(_COORDINATES)]) + _SHIFT * (row + 1)
    if abs(_SCALES[row]) > 1:
        return (abs(known) + column) * _SCALES[row]
    return (known + row * column + Fraction(row, 7)) * _SCALES[row]


def whole_points(names: list[str]) -> list[dict[str, Fraction]]:
    """Points with whole coordinates, for what is about whole numbers."""
    return [
        {name: Fraction(_WHOLE[(row * (1 + 2 * column) + column) % len(_WHOLE)]) for column, name in enumerate(names)}
        for row in range(len(_WHOLE))
    ]


def _has(functions: frozenset[str], *nodes: Node) -> bool:
    """Whether one of these functions is applied to a variable."""
    return any(
        isinstance(part, tree.Call) and part.name in functions and tree.symbols(part)
        for node in nodes
        for part in tree.walk(node)
    )


_OF_WHOLE = frozenset(("gcd", "lcm"))
_ROUNDING = frozenset(("floor", "ceil"))
_WHOLE_NAMES = frozenset("nmkij")
