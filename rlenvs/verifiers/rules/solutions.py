"""Values with names: `x = 1, y = 2`, one solution or several, and the tuples that say the same without names."""

from collections.abc import Sequence

from rlenvs.verifiers import tree
from rlenvs.verifiers.rules.comparison import Comparison
from rlenvs.verifiers.tree import Node
from rlenvs.verifiers.values.names import is_name


def named_value(node: Node) -> tuple[str, Node] | None:
    """("x", 5) of `x = 5`."""
    match node:
        case tree.Relation(("=",), (name, value)) if is_name(name):
            return name.name if isinstance(name, tree.Symbol) else repr(name), value
    return None


def assignments(listed: Sequence[Node]) -> list[Node]:
    """`(x, y) = (1, 2)` as `x = 1` and `y = 2`."""
    found: list[Node] = []
    for item in listed:
        match item:
            case tree.Relation(("=",), (tree.Bracketed("(", ")", names), tree.Bracketed("(", ")", values))):
                if len(names) == len(values):
                    found += [tree.Relation(("=",), pair) for pair in zip(names, values, strict=True)]
                    continue
        found.append(item)
    return found


def solutions(listed: Sequence[Node]) -> list[dict[str, tree.Relation]]:
    """Solutions of a system one after the other, `x = 1, y = 2 or x = 3, y = 4`, each by name; none of other items."""
    found: list[dict[str, tree.Relation]] = [{}]
    for item in listed:
        named = named_value(item)
        if named is None or not isinstance(item, tree.Relation):
            return []
        if named[0] in found[-1]:
            found.append({})
        found[-1][named[0]] = item
    return found


def as_tuples(listed: Sequence[Node], others: Sequence[Node], comparison: Comparison) -> list[Node] | None:
    """`x = 1, y = 2; x = 3, y = 4` as (1, 2) and (3, 4), where the other items are tuples of that size; else None.

    The names stand in the question's order, or else in the alphabet's.
    """
    sizes = {_size(item) for item in others}
    found = solutions(listed)
    names = [list(solution) for solution in found]
    if not found or sizes != {len(names[0])} or len({frozenset(each) for each in names}) > 1:
        return None
    ordered = comparison.asked.tuple_of(names[0]) or sorted(names[0])
    if set(ordered) != set(names[0]):
        return None
    return [tree.Bracketed("(", ")", tuple(solution[name].sides[-1] for name in ordered)) for solution in found]


def _size(node: Node) -> int | None:
    return len(node.items) if isinstance(node, tree.Bracketed) and node.opening + node.closing == "()" else None
