r"""Vectors by unit vectors: `2\hat{i} + 3\hat{j}` beside `2i + 3j`, a tuple or a column."""

from rlenvs.verifiers import tree
from rlenvs.verifiers.rules.comparison import Comparison
from rlenvs.verifiers.tree import Node

_AXES = "ijk"
_MARKED = {f"{mark} {axis}": axis for mark in ("hat", "vec") for axis in _AXES}


def vectors(gold: Node, answer: Node, comparison: Comparison) -> bool | None:
    """Sums of multiples of unit vectors, component by component."""
    listed = [_entries(side) for side in (gold, answer)]
    is_beside_entries = any(entries is not None for entries in listed)
    sides = [_components(side, may_be_plain=is_beside_entries) for side in (gold, answer)]
    if all(side is None for side in sides):
        return None
    found = [one if one is not None else other for one, other in zip(sides, listed, strict=True)]
    if found[0] is None or found[1] is None:
        return None
    size = max(map(len, found))  # type: ignore[arg-type]
    if any(entries is not None and len(entries) < size for entries in listed):
        return False
    one, other = (side + (tree.ZERO,) * (size - len(side)) for side in found if side is not None)
    return all(comparison.same(a, b) for a, b in zip(one, other, strict=True))


def _components(node: Node, *, may_be_plain: bool) -> tuple[Node, ...] | None:
    """The components of a sum of multiples of unit vectors; None for what is none, or may be a complex number.

    Args:
        may_be_plain: whether any two of i, j and k are unit vectors, and not only i and j.
    """
    terms = node.terms if isinstance(node, tree.Sum) else (node,)
    found: dict[str, Node] = {}
    is_marked = False
    for term in terms:
        factors = _factors(term)
        axes = [(place, named) for place, factor in enumerate(factors) if (named := _axis(factor)) is not None]
        if len(axes) != 1 or axes[0][1][0] in found:
            return None
        place, (axis, has_mark) = axes[0]
        is_marked = is_marked or has_mark
        rest = factors[:place] + factors[place + 1 :]
        found[axis] = tree.Product(rest) if len(rest) > 1 else rest[0] if rest else tree.ONE
    if not is_marked and not ({"i", "j"} <= set(found) or (may_be_plain and len(found) > 1)):
        return None
    return tuple(found.get(axis, tree.ZERO) for axis in (_AXES if "k" in found else _AXES[:2]))


def _factors(node: Node) -> tuple[Node, ...]:
    if not isinstance(node, tree.Product):
        return (node,)
    return tuple(factor for each in node.factors for factor in _factors(each))


def _axis(factor: Node) -> tuple[str, bool] | None:
    """(axis, whether it is marked as a unit vector)."""
    if not isinstance(factor, tree.Symbol | tree.Constant):
        return None
    if factor.name in _MARKED:
        return _MARKED[factor.name], True
    return (factor.name, False) if factor.name in _AXES else None


def _entries(node: Node) -> tuple[Node, ...] | None:
    """The entries of a tuple, a row or a column."""
    if isinstance(node, tree.Bracketed) and node.opening + node.closing in ("()", "⟨⟩", "[]"):
        return node.items
    if isinstance(node, tree.Matrix) and 1 in (len(node.rows), len(node.rows[0])):
        return tuple(entry for row in node.rows for entry in row)
    return None
