"""What a mathematical text says, as a small tree of values: numbers, names, sums, functions, and what holds them.

Nothing is worked out here. `parse` makes trees, `evaluate` gives expressions their values, `regions` reads relations
as sets of reals, and `compare` decides.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any


class Node:
    """A part of a tree. Trees are values: equal if they say the same in the same way, and hashable."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A rational, exactly as it was written."""

    value: Fraction
    places: int | None = field(default=None, compare=False)  # decimals that it was written with


@dataclass(frozen=True, slots=True)
class Symbol(Node):
    r"""A variable, with its subscript: `x`, `V_{1}` as "V_1", `\\lambda` as "lambda"."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant(Node):
    """One of pi, e, i, infinity."""

    name: str


@dataclass(frozen=True, slots=True)
class Sum(Node):
    """Terms that are added."""

    terms: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Product(Node):
    """Factors that are multiplied."""

    factors: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Power(Node):
    """`base ** exponent`; a quotient is a product with a power of -1."""

    base: Node
    exponent: Node


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A function of arguments: one of `FUNCTIONS`, or a name that nobody defines, such as `f`."""

    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Quantity(Node):
    """A value and the name of its unit, as it was written."""

    value: Node
    unit: str


@dataclass(frozen=True, slots=True)
class Words(Node):
    """A text that is no mathematics, in lower case with single blanks."""

    text: str


@dataclass(frozen=True, slots=True)
class Items(Node):
    """Several answers side by side, in any order."""

    items: tuple[Node, ...]
    joined: str  # "," "and" "or": what stands between the last two


@dataclass(frozen=True, slots=True)
class Bracketed(Node):
    """A tuple, a list or an interval: what it is depends on what it is compared with."""

    opening: str  # ( or [
    closing: str  # ) or ]
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class SetOf(Node):
    """A set by its members; without any, the empty set."""

    members: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class SetNamed(Node):
    """A set that has a name: R, Q, Z, N, C."""

    name: str


@dataclass(frozen=True, slots=True)
class SetOperation(Node):
    """Sets put together: "cup", "cap" or "setminus", from left to right."""

    name: str
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class SetBuilder(Node):
    """All `element` that meet `condition`."""

    element: Node
    condition: Node


@dataclass(frozen=True, slots=True)
class Relation(Node):
    """`a < b <= c`: sides with a sign between each two: = != < <= > >= in."""

    signs: tuple[str, ...]
    sides: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Matrix(Node):
    """Rows of entries."""

    rows: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True, slots=True)
class Ratio(Node):
    """`a : b`, of two or more; a time of day where it can be one."""

    parts: tuple[Node, ...]
    is_clock: bool = False  # whether it can be nothing else: 6:05, 2:30 p.m.


ZERO, ONE, MINUS_ONE = Number(Fraction(0)), Number(Fraction(1)), Number(Fraction(-1))
EXPRESSIONS = (Number, Symbol, Constant, Sum, Product, Power, Call)
"""Nodes that stand for one value."""
SETS = (SetOf, SetNamed, SetOperation, SetBuilder)
"""Nodes that are sets whatever they are compared with."""


def negative(node: Node) -> Node:
    """`-node`; a number's sign goes into the number."""
    return Number(-node.value, node.places) if isinstance(node, Number) else Product((MINUS_ONE, node))


def quotient(top: Node, bottom: Node) -> Node:
    """`top / bottom`; of two numbers, the number."""
    if isinstance(top, Number) and isinstance(bottom, Number) and bottom.value:
        return Number(top.value / bottom.value)
    return Product((top, Power(bottom, MINUS_ONE)))


def children(node: Node) -> Iterator[Node]:
    """The nodes right below."""
    for each in fields(node):  # type: ignore[arg-type]  # every node is a dataclass
        yield from _nodes(getattr(node, each.name))


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, parents first."""
    todo = [node]
    while todo:
        found = todo.pop()
        yield found
        todo += children(found)


def symbols(node: Node) -> frozenset[str]:
    """The names of the variables in it."""
    return frozenset(found.name for found in walk(node) if isinstance(found, Symbol))


def rebuilt(node: Node, change: Callable[[Node], Node]) -> Node:
    """The tree with `change` applied to every node, children first."""
    values = [_changed(getattr(node, each.name), change) for each in fields(node)]  # type: ignore[arg-type]
    return change(type(node)(*values))


def substituted(node: Node, name: str, value: Node) -> Node:
    """The tree with a value in the place of a variable."""
    return rebuilt(node, lambda part: value if part == Symbol(name) else part)


def _nodes(value: Any) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes(item)


def _changed(value: Any, change: Callable[[Node], Node]) -> Any:
    if isinstance(value, Node):
        return rebuilt(value, change)
    return tuple(_changed(item, change) for item in value) if isinstance(value, tuple) else value


DEGREE = quotient(Constant("pi"), Number(Fraction(180)))
"""A degree, in radians."""


def in_degrees(node: Node) -> Node | None:
    r"""The number of degrees of `60^\circ`; None where none are written."""
    match node:
        case Product((value, factor)) if factor == DEGREE:
            return value
        case Product((sign, Product((value, factor)))) if sign == MINUS_ONE and factor == DEGREE:
            return negative(value)
    return None
