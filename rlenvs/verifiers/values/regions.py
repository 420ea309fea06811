"""Sets of real numbers: intervals, unions and the relations of one variable that describe them, in one form.

A region is its pieces from left to right, which do not touch. What it says is exact but for the ends of its pieces,
which are known to fifty digits.
"""

from collections.abc import Iterable, Sequence
from functools import cmp_to_key
from typing import Any, NamedTuple

import mpmath

from rlenvs.verifiers import tree
from rlenvs.verifiers.tree import Node
from rlenvs.verifiers.values import evaluate
from rlenvs.verifiers.values.rational import UndecidedError

_CLOSE = 10**-40  # relative
_INFINITY = mpmath.inf


class Piece(NamedTuple):
    """An interval; a point where low equals high."""

    low: Any  # mpf, or infinite
    has_low: bool  # whether the end belongs to it
    high: Any
    has_high: bool


Region = tuple[Piece, ...]
REALS: Region = (Piece(-_INFINITY, False, _INFINITY, False),)


def are_same(one: Region, other: Region) -> bool:
    """Whether they hold the same numbers."""
    return len(one) == len(other) and all(
        _is_same(a.low, b.low) and _is_same(a.high, b.high) and a.has_low == b.has_low and a.has_high == b.has_high
        for a, b in zip(one, other, strict=True)
    )


def region(node: Node) -> Region:
    """`_region` of something of a size that can be worked with."""
    parts = sum(isinstance(part, tree.Relation | tree.Bracketed | tree.SetOf) for part in tree.walk(node))
    if parts > _MAX_PARTS:
        raise UndecidedError(f"a set of {parts} parts")
    return _region(node)


_MAX_PARTS = 40


def _region(node: Node) -> Region:
    """The numbers that an interval, a set or a relation of one variable stands for.

    Raises:
        UndecidedError: it is none of these, or takes more than comparing with constants to solve.
    """
    match node:
        case tree.Bracketed(opening, closing, (low, high)) if opening != "⟨":
            return _interval(end(low), opening == "[", end(high), closing == "]")
        case tree.SetOf(members):
            return _joined(Piece(point, True, point, True) for point in map(evaluate.number, members))
        case tree.SetNamed("R"):
            return REALS
        case tree.SetNamed("R^+" | "R_+" | "R_>0"):
            return (Piece(evaluate.number(tree.ZERO), False, _INFINITY, False),)
        case tree.SetOperation(name, (one, other)):
            return _OPERATIONS[name](region(one), region(other))
        case tree.SetBuilder(element, condition):
            return _built(element, condition)
        case tree.Relation():
            return _solved(node)
        case tree.Items(items, _) if all(isinstance(item, tree.EXPRESSIONS) for item in items):
            return region(tree.SetOf(items))
        case tree.Items((tree.Relation(("!=",), (tree.Symbol() as name, _)) as first, *values), _) if all(
            isinstance(value, tree.EXPRESSIONS) for value in values
        ):  # x \ne 1, 2
            excluded = (tree.Relation(("!=",), (name, value)) for value in values)
            return _combined([region(first), *map(region, excluded)], ",")
        case tree.Items(items, joined) if len(tree.symbols(node)) <= 1 and joined != "mixed":
            are_intervals = all(isinstance(item, tree.Bracketed | tree.SetOperation) for item in items)
            return _combined([region(item) for item in items], "or" if are_intervals else joined)
    raise UndecidedError(f"a {type(node).__name__} is no set of real numbers")


def end(node: Node) -> Any:
    """An end of an interval, which may be infinite."""
    sign = infinity(node)
    return evaluate.number(node) if sign == 0 else sign * _INFINITY


def infinity(node: Node) -> int:
    """1 or -1 for an infinite value with its sign, else 0."""
    match node:
        case tree.Constant("infinity"):
            return 1
        case tree.Product((tree.Number(value), tree.Constant("infinity"))) if abs(value) == 1:
            return int(value)
    return 0


def variables(node: Node) -> frozenset[str]:
    """What a relation is about."""
    return tree.symbols(node)


def _interval(low: Any, has_low: bool, high: Any, has_high: bool) -> Region:
    if (has_low and abs(low) == _INFINITY) or (has_high and abs(high) == _INFINITY):
        raise UndecidedError("infinity is in no interval")
    if _is_same(low, high):
        if not (has_low and has_high):
            raise UndecidedError("an interval without a number in it")
        return (Piece(low, True, low, True),)
    if low > high:
        raise UndecidedError("an interval that ends before it begins")
    return (Piece(low, has_low and abs(low) != _INFINITY, high, has_high and abs(high) != _INFINITY),)


def _built(element: Node, condition: Node) -> Region:
    inside = region(condition)
    if isinstance(element, tree.Relation) and element.signs == ("in",):
        return _meet(region(element.sides[1]), inside)
    if isinstance(element, tree.Symbol) and tree.symbols(condition) <= {element.name}:
        return inside
    raise UndecidedError("a set of what is computed from a variable")


def _combined(parts: list[Region], joined: str) -> Region:
    if joined == "or":
        return _joined(piece for part in parts for piece in part)
    together = parts[0]
    for part in parts[1:]:
        together = _meet(together, part)
    if joined == "," and not together:  # x < -1, x > 3: both kinds of solution are listed
        return _joined(piece for part in parts for piece in part)
    return together


def _solved(relation: tree.Relation) -> Region:
    """Where all signs of a chain hold."""
    if len(tree.symbols(relation)) != 1:
        raise UndecidedError("a relation of no variable, or of several")
    found = REALS
    for sign, left, right in zip(relation.signs, relation.sides, relation.sides[1:], strict=False):
        found = _meet(found, _solved_pair(sign, left, right))
    return found


_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}


def _solved_pair(sign: str, left: Node, right: Node) -> Region:
    if sign == "in":
        if not isinstance(left, tree.Symbol):
            raise UndecidedError("an expression in a set")
        return region(right)
    if not isinstance(left, tree.EXPRESSIONS) or not isinstance(right, tree.EXPRESSIONS):
        raise UndecidedError("a relation of sets")
    if sign not in _FLIPPED:
        raise UndecidedError(f"the relation {sign!r} is no order")
    if infinity(left):
        sign, left, right = _FLIPPED[sign], right, left
    if infinity(right):
        is_real = sign == ("<" if infinity(right) > 0 else ">")
        if not isinstance(left, tree.Symbol) or not is_real:
            raise UndecidedError("no real number is beyond infinity")
        return REALS
    if tree.symbols(right):
        sign, left, right = _FLIPPED.get(sign, sign), right, left
    match left:
        case tree.Call("abs", (tree.Symbol(),)) if not tree.symbols(right):
            return _magnitude(sign, evaluate.number(right))
        case tree.Product((tree.MINUS_ONE, tree.Symbol() as left)):  # -x > -1
            sign, right = _FLIPPED.get(sign, sign), tree.negative(right)
    if not isinstance(left, tree.Symbol) or tree.symbols(right):
        raise UndecidedError("a relation that is not solved")
    return _beside(sign, evaluate.number(right))


def _beside(sign: str, bound: Any) -> Region:
    """What stands in this relation to a number."""
    return {
        "<": (Piece(-_INFINITY, False, bound, False),),
        "<=": (Piece(-_INFINITY, False, bound, True),),
        ">": (Piece(bound, False, _INFINITY, False),),
        ">=": (Piece(bound, True, _INFINITY, False),),
        "=": (Piece(bound, True, bound, True),),
        "!=": (Piece(-_INFINITY, False, bound, False), Piece(bound, False, _INFINITY, False)),
    }[sign]


def _magnitude(sign: str, bound: Any) -> Region:
    """Where `|x|` stands in this relation to a number."""
    if bound < 0:
        raise UndecidedError("an absolute value beside a negative number")
    if sign in ("<", "<="):
        return _meet(_beside(sign, bound), _beside(_FLIPPED[sign], -bound))
    if sign in (">", ">="):
        return _joined((*_beside(sign, bound), *_beside(_FLIPPED[sign], -bound)))
    raise UndecidedError("an equation that is not solved")


def _is_same(one: Any, other: Any) -> bool:
    if abs(one) == _INFINITY or abs(other) == _INFINITY:
        return bool(one == other)
    return bool(abs(one - other) <= max(abs(one), abs(other)) * _CLOSE)


def _joined(pieces: Iterable[Piece]) -> Region:
    """Their union."""
    found: list[Piece] = []
    for piece in sorted(pieces, key=cmp_to_key(_order)):
        last = found[-1] if found else None
        touches = last is not None and (
            (_is_same(last.high, piece.low) and (last.has_high or piece.has_low))
            or (last.high > piece.low and not _is_same(last.high, piece.low))
        )
        if last is None or not touches:
            found.append(piece)
        elif _is_same(last.high, piece.high):
            found[-1] = last._replace(has_high=last.has_high or piece.has_high)
        elif piece.high > last.high:
            found[-1] = last._replace(high=piece.high, has_high=piece.has_high)
    return tuple(found)


def _order(one: Piece, other: Piece) -> int:
    if not _is_same(one.low, other.low):
        return -1 if one.low < other.low else 1
    return int(other.has_low) - int(one.has_low)


def _meet(one: Sequence[Piece], other: Sequence[Piece]) -> Region:
    """What belongs to both."""
    found = []
    for a in one:
        for b in other:
            low, has_low = _inner(a.low, a.has_low, b.low, b.has_low, is_low=True)
            high, has_high = _inner(a.high, a.has_high, b.high, b.has_high, is_low=False)
            if _is_same(low, high):
                found += [Piece(low, True, low, True)] if has_low and has_high else []
            elif low < high:
                found.append(Piece(low, has_low, high, has_high))
    return _joined(found)


def _inner(one: Any, has_one: bool, other: Any, has_other: bool, *, is_low: bool) -> tuple[Any, bool]:
    """The end that leaves less."""
    if _is_same(one, other):
        return one, has_one and has_other
    return (one, has_one) if (one > other) == is_low else (other, has_other)


def _without(one: Sequence[Piece], other: Sequence[Piece]) -> Region:
    """What belongs to the first and not to the second."""
    return _meet(one, _complement(other))


def _complement(pieces: Sequence[Piece]) -> Region:
    found = []
    low: Any = -_INFINITY
    has_low = False
    for piece in pieces:
        found.append((low, has_low, piece.low, not piece.has_low and piece.low != -_INFINITY))
        low, has_low = piece.high, not piece.has_high and piece.high != _INFINITY
    found.append((low, has_low, _INFINITY, False))
    return _joined(
        Piece(*ends) for ends in found if (ends[0] < ends[2] or (ends[1] and ends[3])) and ends[0] != _INFINITY
    )


_OPERATIONS = {"cup": lambda one, other: _joined((*one, *other)), "cap": _meet, "setminus": _without}
