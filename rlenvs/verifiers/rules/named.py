"""Names of values: `x = 5` beside 5, another letter for a parameter."""

import re

from rlenvs.verifiers import tree
from rlenvs.verifiers.rules.comparison import Comparison
from rlenvs.verifiers.tree import Node
from rlenvs.verifiers.values import evaluate
from rlenvs.verifiers.values.names import is_name


def named(gold: Node, answer: Node, comparison: Comparison) -> bool | None:
    """`x = 5` beside 5; `x + z = 1` stays an equation."""
    signs = [side.signs if isinstance(side, tree.Relation) else () for side in (gold, answer)]
    if signs[0] == signs[1] or (all(signs) and {*signs} != {("=",), ("in",)}):
        return None
    expected, given = without_name(gold, comparison), without_name(answer, comparison)
    if (expected, given) == (gold, answer):
        return None
    return True if comparison.same(expected, given) else None


def without_name(node: Node, comparison: Comparison) -> Node:
    """`x = 5` as 5, `2^{10} = 1024` as 1024; what is no name for a value as it is."""
    if not isinstance(node, tree.Relation) or set(node.signs) not in ({"="}, {"in"}):
        return node
    if is_name(node.sides[-1]) and not is_name(node.sides[0]):  # 7 = x
        node = tree.Relation(node.signs, node.sides[::-1]) if node.signs == ("=",) else node
    first, *values = node.sides
    if not all(_may_stand_between(side, first, node.sides[-1], comparison) for side in node.sides[:-1]):
        return node  # x = 4 = 5 says nothing
    if node.signs[0] == "=" and not any(tree.symbols(side) or is_name(side) for side in node.sides):
        return node.sides[-1]  # 2^{10} = 1024
    if not is_name(first) or (node.signs == ("in",) and not isinstance(first, tree.Symbol)):
        return node
    if isinstance(first, tree.Symbol) and first.name in tree.symbols(values[-1]):
        return node
    return values[-1] if _is_sought(first, comparison) else node


def shortened(relation: tree.Relation, comparison: Comparison) -> tree.Relation:
    """`x = 5 + 6 = 11` as `x = 11`, where nothing in between contradicts it."""
    first, last = relation.sides[0], relation.sides[-1]
    is_chain = len(relation.sides) > 2 and set(relation.signs) == {"="} and is_name(first)
    if is_chain and all(_may_stand_between(side, first, last, comparison) for side in relation.sides[:-1]):
        return tree.Relation(("=",), (first, last))
    return relation


def _may_stand_between(side: Node, first: Node, last: Node, comparison: Comparison) -> bool:
    r"""Whether a side of a chain does not contradict its last one: `A = \pi r^2 = 25\pi`, not `x = 4 = 5`."""
    if side is first and is_name(side):
        return True
    if isinstance(side, tree.Constant) or not tree.symbols(side):
        return comparison.same(side, last)
    if tree.symbols(first) & tree.symbols(side) and not is_name(side):  # x = x + 1 = 5
        return False
    return not isinstance(side, tree.EXPRESSIONS) or not evaluate.is_constant_in(side) or comparison.same(side, last)


def _is_sought(name: Node, comparison: Comparison) -> bool:
    """Whether the value of this name is what the question asks for, as far as it says so."""
    if isinstance(name, tree.Bracketed):
        names = [part.name for part in name.items if isinstance(part, tree.Symbol)]
        return len(names) != len(name.items) or names == (
            comparison.asked.tuple_of(names) or sorted(names, key=str.lower)
        )
    if (pair := _compared(name)) is not None:
        return not comparison.asked.has_ratio(pair[1], pair[0]) or comparison.asked.has_ratio(*pair)
    if isinstance(name, tree.Symbol) and name.name.startswith(_LABEL):
        return comparison.asked.may_label(name.name.removeprefix(_LABEL))
    return not comparison.asked.seeks_another(_spelled(name))


_LABEL = "mathcal "  # how `reading` writes the words before a value


def _compared(name: Node) -> tuple[str, str] | None:
    """The two names of a ratio or a quotient, `V_1 : V_2`, `NO/BO`."""
    match name:
        case tree.Ratio((one, other)):
            return _spelled(one), _spelled(other)
        case tree.Product(factors):
            below = [factor.base for factor in factors if isinstance(factor, tree.Power)]
            above = [factor for factor in factors if not isinstance(factor, tree.Power)]
            if above and below:
                return "".join(map(_spelled, above)), "".join(map(_spelled, below))
    return None


def _spelled(node: Node) -> str:
    """A name as a question would write it, without blanks and braces; empty for what is longer."""
    match node:
        case tree.Symbol(name) | tree.Constant(name):
            return name
        case tree.Call(name, arguments):
            return f"{name}({','.join(map(_spelled, arguments))})"
        case tree.Number(value):
            return str(value)
        case tree.Product(factors):
            return "".join(map(_spelled, factors))
    return ""


_PARAMETERS = frozenset("cCjkKlmnpqrstx")
_CONSTANTS, _COUNTERS = frozenset("cCkK"), frozenset("jklmn")


def renamed(gold: Node, answer: Node, comparison: Comparison) -> Node | None:
    r"""The reference with the answer's letter for a parameter that the question does not name: `k\pi`, `n\pi`."""
    own, others = tree.symbols(gold) - tree.symbols(answer), tree.symbols(answer) - tree.symbols(gold)
    if (capitals := _with_capital_constants(gold, own, others)) is not None:
        return capitals
    if len(own) != 1 or len(others) != 1 or isinstance(gold, tree.Symbol):
        return None
    if not comparison.asked.text and not comparison.has_parameters:
        return None
    (before,), (after,) = own, others
    if not {before, after} <= _PARAMETERS or {before, after} & comparison.asked.letters:
        return None
    is_parameter = (
        comparison.has_parameters
        or before.lower() == after.lower()
        or (_is_parameter(before, gold) and _is_parameter(after, answer))
    )
    return tree.substituted(gold, before, tree.Symbol(after)) if is_parameter else None


def _is_parameter(name: str, node: Node) -> bool:
    """Whether a letter is any number by what it does: added as a constant, or multiplied by pi."""
    for part in tree.walk(node):
        match part:
            case tree.Sum(terms) if name in _CONSTANTS and tree.Symbol(name) in terms:
                return True
            case tree.Product(factors) if name in _COUNTERS and tree.Symbol(name) in factors:
                if tree.Constant("pi") in tree.walk(part):
                    return True
    return False


def _with_capital_constants(gold: Node, own: frozenset[str], others: frozenset[str]) -> Node | None:
    """The reference with `C_1` for `c_1`, if that is all the difference in names."""
    pairs = {name: name.swapcase() for name in own if re.fullmatch(r"[cCkK](?:_\d)?", name)}
    if not own or isinstance(gold, tree.Symbol) or set(pairs) != own or set(pairs.values()) != others:
        return None
    for before, after in pairs.items():
        gold = tree.substituted(gold, before, tree.Symbol(after))
    return gold
