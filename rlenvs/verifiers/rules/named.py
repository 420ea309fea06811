"""Names of values: `x = 5` beside 5, another letter for a parameter."""

from rlenvs.verifiers import tree
from rlenvs.verifiers.names import is_name
from rlenvs.verifiers.rules.comparison import Comparison
from rlenvs.verifiers.tree import Node


def named(gold: Node, answer: Node, comparison: Comparison) -> bool | None:
    """`x = 5` beside 5; `x + z = 1` stays an equation."""
    if isinstance(gold, tree.Relation) == isinstance(answer, tree.Relation):
        return None
    expected, given = without_name(gold, comparison), without_name(answer, comparison)
    if (expected, given) == (gold, answer):
        return None
    return True if comparison.same(expected, given) else None


def without_name(node: Node, comparison: Comparison) -> Node:
    """`x = 5` as 5, `2^{10} = 1024` as 1024; what is no name for a value as it is."""
    if not isinstance(node, tree.Relation) or set(node.signs) not in ({"="}, {"in"}):
        return node
    first, *values = node.sides
    known = [side for side in node.sides if not tree.symbols(side) and not is_name(side)]
    if not all(comparison.same(side, node.sides[-1]) for side in known):
        return node  # x = 4 = 5 says nothing
    if len(known) == len(node.sides) and node.signs[0] == "=":  # 2^{10} = 1024
        return node.sides[-1]
    if not is_name(first) or (node.signs == ("in",) and not isinstance(first, tree.Symbol)):
        return node
    if isinstance(first, tree.Symbol) and first.name in tree.symbols(values[-1]):
        return node
    return values[-1]


_PARAMETERS = frozenset("cCjklmnpqrstx")


def renamed(gold: Node, answer: Node, comparison: Comparison) -> Node | None:
    r"""The reference with the answer's letter for a parameter that the question does not name: `k\\pi`, `n\\pi`."""
    own, others = tree.symbols(gold) - tree.symbols(answer), tree.symbols(answer) - tree.symbols(gold)
    if len(own) != 1 or len(others) != 1 or not comparison.asked.text or isinstance(gold, tree.Symbol):
        return None
    (before,), (after,) = own, others
    if not {before, after} <= _PARAMETERS or {before, after} & comparison.asked.letters:
        return None
    return tree.substituted(gold, before, tree.Symbol(after))
