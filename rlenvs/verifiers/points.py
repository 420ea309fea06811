"""Where expressions with variables are compared: points that what differs hardly agrees at."""

from fractions import Fraction

from rlenvs.verifiers import tree
from rlenvs.verifiers.tree import Node


def points_for(names: list[str], one: Node, other: Node) -> list[dict[str, Fraction]]:
    """Points for these variables: whole ones where a function of whole numbers is applied to them."""
    return whole_points(names) if _is_discrete(one) or _is_discrete(other) else real_points(names)


_COORDINATES = ("0.7390851332", "-1.3247179572", "2.6651441426", "-0.5671432904", "1.9021605831", "-2.5849817596")


_SCALES = (1, 1, -1, 13, 1, -1, 2013, -2013)  # what is the same near zero need not be so far away
_WHOLE = (1, 2, 3, 4, 5, 6, 9, 12, 25, 38)


def real_points(names: list[str]) -> list[dict[str, Fraction]]:
    """Points whose coordinates have both signs, small and large, no two the same."""
    return [{name: _coordinate(row, column) for column, name in enumerate(names)} for row in range(len(_SCALES))]


def _coordinate(row: int, column: int) -> Fraction:
    known = Fraction(_COORDINATES[(row + column) % len(_COORDINATES)])
    if abs(_SCALES[row]) > 1:
        return (abs(known) + column) * _SCALES[row]
    return (known + row * column + Fraction(row, 7)) * _SCALES[row]


def whole_points(names: list[str]) -> list[dict[str, Fraction]]:
    """Points with whole coordinates, for what is about whole numbers."""
    return [
        {name: Fraction(_WHOLE[(row * (1 + 2 * column) + column) % len(_WHOLE)]) for column, name in enumerate(names)}
        for row in range(len(_WHOLE))
    ]


def _is_discrete(node: Node) -> bool:
    """Whether a function of whole numbers is applied to a variable."""
    return any(
        isinstance(part, tree.Call) and part.name in _DISCRETE and tree.symbols(part) for part in tree.walk(node)
    )


_DISCRETE = frozenset(("floor", "ceil", "gcd", "lcm", "factorial", "binomial"))
