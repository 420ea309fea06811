"""Names of values: `x = 5` beside 5, another letter for a parameter."""

from rlenvs.verifiers import evaluate, tree
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
    known = [side for side in node.sides if not tree.symbols(side)]
    if not all(comparison.same(side, node.sides[-1]) for side in known):
        return node  # x = 4 = 5 says nothing
    if len(known) == len(node.sides) and node.signs[0] == "=":  # 2^{10} = 1024
        return node.sides[-1]
    if not is_name(first) or (node.signs == ("in",) and not isinstance(first, tree.Symbol)):
        return node
    if isinstance(first, tree.Symbol) and first.name in tree.symbols(values[-1]):
        return node
    return values[-1]


def is_name(node: Node) -> bool:
    """Whether it only says what a value is called: `x`, `f(x)`, `NO/BO`, `(a, b)`, `V_1 : V_2`."""
    match node:
        case tree.Symbol() | tree.Constant("e" | "i"):
            return True
        case tree.Call(name, arguments):
            return name not in evaluate.KNOWN and all(isinstance(each, tree.EXPRESSIONS) for each in arguments)
        case tree.Product(factors):  # a segment `AB`, a ratio `NO/BO`, a value `P(x)`; `xy = 6` is an equation
            return all(is_name(factor) for factor in factors) and any(name[:1].isupper() for name in tree.symbols(node))
        case tree.Power(base, tree.Number(value)):
            return value == -1 and is_name(base)
        case tree.Bracketed("(", ")", parts) | tree.Ratio(parts):
            return all(is_name(part) for part in parts)
    return False


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
