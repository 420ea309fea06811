"""Tuples, vectors and matrices, entry by entry."""

from rlenvs.verifiers import tree
from rlenvs.verifiers.rules.comparison import Comparison
from rlenvs.verifiers.tree import Node


def bracketed(gold: Node, answer: Node, comparison: Comparison) -> bool | None:
    """Tuples, vectors and intervals: the same brackets, item by item."""
    sides = [_as_tuple(side, other) for side, other in ((gold, answer), (answer, gold))]
    if not all(isinstance(side, tree.Bracketed) for side in sides):
        return None
    one, other = sides
    assert isinstance(one, tree.Bracketed)
    assert isinstance(other, tree.Bracketed)
    if len(one.items) != len(other.items) or not _are_alike(one, other):
        return False
    return all(comparison.same(a, b) for a, b in zip(one.items, other.items, strict=True))


def _are_alike(one: tree.Bracketed, other: tree.Bracketed) -> bool:
    r"""Whether the brackets are the same; a vector `\\langle 1, 2 \\rangle` may be written `(1, 2)`."""
    kinds = {side.opening + side.closing for side in (one, other)}
    return len(kinds) == 1 or kinds == {"()", "⟨⟩"}


def _as_tuple(node: Node, other: Node) -> Node:
    """A row or column as a tuple, beside one."""
    if not isinstance(other, tree.Bracketed) or other.opening + other.closing not in ("()", "[]", "⟨⟩"):
        return node
    if isinstance(node, tree.Matrix):
        entries = [entry for row in node.rows for entry in row]
        if len(entries) == max(len(node.rows), len(node.rows[0])):
            return tree.Bracketed(other.opening, other.closing, tuple(entries))
    return node


def coordinates(gold: Node, answer: Node, comparison: Comparison) -> bool | None:
    """A point with its name, `P(2, -3)`, beside its coordinates."""
    if all(isinstance(side, tree.Call) for side in (gold, answer)):
        return None
    sides = [_without_point(side) for side in (gold, answer)]
    if not all(isinstance(side, tree.Bracketed) for side in sides) or sides == [gold, answer]:
        return None
    return comparison.same(*sides)


def _without_point(node: Node) -> Node:
    match node:
        case tree.Call(name, (_, _, *_)) if len(name) == 1 and name.isupper():
            return tree.Bracketed("(", ")", node.arguments)
    return node


def matrices(gold: Node, answer: Node, comparison: Comparison) -> bool | None:
    """Matrices, entry by entry."""
    gold, answer = _as_matrix(gold, answer), _as_matrix(answer, gold)
    if not isinstance(gold, tree.Matrix) or not isinstance(answer, tree.Matrix):
        return None
    if [len(row) for row in gold.rows] != [len(row) for row in answer.rows]:
        return False
    pairs = zip(gold.rows, answer.rows, strict=True)
    return all(comparison.same(a, b) for rows in pairs for a, b in zip(*rows, strict=True))


def _as_matrix(node: Node, other: Node) -> Node:
    """`[[1, 2], [3, 4]]` as a matrix, beside one."""
    if not isinstance(other, tree.Matrix) or not isinstance(node, tree.Bracketed):
        return node
    rows = [row.items for row in node.items if isinstance(row, tree.Bracketed)]
    is_matrix = len(rows) == len(node.items) and len({len(row) for row in rows}) == 1
    return tree.Matrix(tuple(rows)) if is_matrix else node
