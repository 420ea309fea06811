"""Lists, sets and assignments: whose items are whose."""

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise

from rlenvs.verifiers import tree
from rlenvs.verifiers.rules.comparison import Comparison
from rlenvs.verifiers.rules.related import are_regions
from rlenvs.verifiers.rules.solutions import as_tuples, assignments, named_value, solutions
from rlenvs.verifiers.tree import Node
from rlenvs.verifiers.values import rational
from rlenvs.verifiers.values.names import is_name
from rlenvs.verifiers.values.rational import UndecidedError

MAX_ITEMS = 40


def listed(gold: Node, answer: Node, comparison: Comparison) -> bool | None:
    """Lists and sets: each item is one of the other's, in any order or in the one asked for, and keeps its name."""
    if not any(_is_list(side) for side in (gold, answer)) or are_regions(gold, answer):
        return None
    if comparison.asked.asks_tuple and (sides := (_as_tuple(gold, answer), _as_tuple(answer, gold))) != (gold, answer):
        return comparison.same(*sides)
    sides = _without_brackets(gold, answer), _without_brackets(answer, gold)
    if not _are_joined_alike(*sides):
        return False
    expected, given = map(items, sides)
    is_row = sides != (gold, answer)  # [3, 1, 2], as programs write a list
    if is_row or comparison.asked.asks_order(len(expected)) or any(map(_is_sequence, (expected, given))):
        return _are_in_order(expected, given, comparison)
    if len(expected) != len(given):
        expected, given = assignments(expected), assignments(given)
        expected = as_tuples(expected, given, comparison) or expected
        given = as_tuples(given, expected, comparison) or given
    return _are_the_same_items(expected, given, comparison)


def _are_the_same_items(expected: list[Node], given: list[Node], comparison: Comparison) -> bool:
    """Items with names by their names, as far as both sides have them, the others in any order."""
    extremes = [_extremes(side) for side in (expected, given)]
    if extremes.count(None) == 1:
        return _are_matched(extremes[0] or expected, extremes[1] or given, comparison)
    names = [[] if _are_roots(found, comparison) else found for found in map(_names, (expected, given))]
    if any(names) and not all(names):
        return _are_in_order(expected, given, comparison)
    are_counted = [isinstance(item, tree.Quantity) for item in (*expected, *given)]
    if all(names) and any(are_counted) and not all(are_counted):  # x = 1, y = 2 beside 1 cm, 2 m
        return False
    if all(names) and not any(are_counted):
        expected, given = _by_solution(expected), _by_solution(given)
    return _are_matched(expected, given, comparison)


def _as_tuple(node: Node, other: Node) -> Node:
    """`1, 2, 3` as (1, 2, 3) beside a tuple."""
    is_tuple = isinstance(other, tree.Bracketed) and other.opening + other.closing == "()"
    is_plain = isinstance(node, tree.Items) and all(isinstance(item, tree.EXPRESSIONS) for item in node.items)
    if isinstance(node, tree.Items) and node.joined == "," and is_tuple and is_plain:
        return tree.Bracketed("(", ")", node.items)
    return node


def _without_brackets(node: Node, other: Node) -> Node:
    """`[1, 2, 4]` as a list beside one: it is no interval."""
    is_list = isinstance(node, tree.Bracketed) and node.opening + node.closing == "[]" and len(node.items) > _ENDS
    return tree.Items(node.items, ",") if is_list and isinstance(other, tree.Items) else node  # type: ignore[attr-defined]


_ENDS = 2  # of an interval


def _are_joined_alike(gold: Node, answer: Node) -> bool:
    """Whether "or" stands in both or in neither, where it says something else than a comma: between words, or names."""
    if not isinstance(gold, tree.Items) or not isinstance(answer, tree.Items) or gold.joined == answer.joined:
        return True
    if "or" not in (gold.joined, answer.joined):
        return True
    everything = (*gold.items, *answer.items)
    return not (all(map(_is_word, everything)) or all(_names(side.items) for side in (gold, answer)))


def _is_word(node: Node) -> bool:
    return isinstance(node, tree.Words | tree.Symbol)


def _is_sequence(listed: Sequence[Node]) -> bool:
    """Whether words are an answer each, and their order says to what: `true, false, true`."""
    words = [item.text for item in listed if isinstance(item, tree.Words)]
    return len(words) == len(listed) > 1 and (len(set(words)) < len(words) or bool(set(words) & _OUTCOMES))


_OUTCOMES = frozenset(("true", "false", "yes", "no", "heads", "tails", "t", "f", "even", "odd"))


def _names(listed: Sequence[Node]) -> list[str]:
    """The names, of items that are all named and not all by the same one."""
    if all(isinstance(item, tree.Quantity) for item in listed):
        names = [item.unit for item in listed if isinstance(item, tree.Quantity)]
        return names if len(set(names)) == len(names) > 1 else []
    found = [named_value(item) for item in listed]
    names = [each[0] for each in found if each is not None]
    return names if len(names) == len(listed) and len(set(names)) > 1 else []


def _extremes(listed: Sequence[Node]) -> list[Node] | None:
    """The values of a minimum and a maximum, which need no names to be told apart; None for other items."""
    found = [named_value(item) for item in listed]
    values = {each[0].removeprefix("mathcal ")[:3]: each[1] for each in found if each is not None}
    if len(listed) != len(values) or set(values) != {"min", "max"}:
        return None
    numbers = [rational.exact(values[name]) for name in ("min", "max")]
    is_in_order = None not in numbers and numbers[0] <= numbers[1]  # type: ignore[operator]
    return list(values.values()) if is_in_order else None


def _are_roots(names: Sequence[str], comparison: Comparison) -> bool:
    """Whether they number the solutions of an equation in whatever order, `x_1` and `x_2`: the question does not."""
    is_numbered = all(re.fullmatch(r"x_[1-9]", name) for name in names)
    return is_numbered and re.search(r"x_\{?[1-9]", comparison.asked.text) is None


def _are_in_order(gold: Sequence[Node], answer: Sequence[Node], comparison: Comparison) -> bool:
    """Items as they are written; named ones in the order that the question has them in."""
    sides = [_in_order(side, comparison) for side in (gold, answer)]
    if len(sides[0]) != len(sides[1]):
        return False
    return all(_is_same_item(a, b, comparison) for a, b in zip(*sides, strict=True))


def _in_order(listed: Sequence[Node], comparison: Comparison) -> list[Node]:
    names = [name.removeprefix("mathcal ") for name in _names(listed)]
    if not names or isinstance(listed[0], tree.Quantity):
        return list(listed)
    order = {name: place for place, name in enumerate(comparison.asked.order_of(names))}
    return [item for _, item in sorted(zip(names, listed, strict=True), key=lambda pair: order[pair[0]])]


def _by_solution(listed: list[Node]) -> list[Node]:
    """Each of several solutions as one item."""
    found = solutions(listed)
    return listed if len(found) == 1 else [tree.Items(tuple(solution.values()), ",") for solution in found]


def _is_list(node: Node) -> bool:
    return isinstance(node, tree.Items | tree.SetOf) or _has_signs(node)


def items(node: Node) -> list[Node]:
    """The answers that a list, a set, or a value with ± holds; repeated ones once where it is a set."""
    match node:
        case tree.Items(inside, _) | tree.SetOf(inside) if (filled := _filled(inside)) is not None:
            return filled
        case tree.Items(inside, _):  # of several sets each is one item
            return [part for item in inside for part in ([item] if isinstance(item, tree.SetOf) else items(item))]
        case tree.SetOf(members):
            return [
                part
                for member in dict.fromkeys(members)
                for part in ([member] if isinstance(member, tree.SetOf) else items(member))
            ]
        case tree.Relation(("=",), (tree.Symbol(), tree.SetOf() as inside)):
            return items(inside)
        case tree.Relation(("=",), (tree.Symbol() as name, value)) if _has_signs(value):
            return [tree.Relation(("=",), (name, part)) for part in items(value)]
        case tree.Relation(("in",), (name, tree.SetOf() as inside)) if is_name(name):
            return items(inside)
    if not _has_signs(node):
        return [node]
    if sum(isinstance(part, tree.Call) and part.name == "pm" for part in tree.walk(node)) > 1:
        raise UndecidedError("several signs, of which nobody knows whether they go together")
    return [tree.rebuilt(node, partial(_with_sign, is_upper=is_upper)) for is_upper in (True, False)]


def _filled(listed: Sequence[Node]) -> list[Node] | None:
    r"""`1, 2, \dots, 10` with the numbers that the dots stand for, if they are in arithmetic progression.

    What is too long for that, or ends with a variable, begins with two numbers. `1, \dots, 10` goes up by one.
    """
    if len(listed) < _PROGRESSION or listed[-2] != _DOTS or _DOTS in listed[:-2]:
        return None
    numbers = [item.value for item in listed[:-2] if isinstance(item, tree.Number)]
    steps = {after - before for before, after in pairwise(numbers)} or {Fraction(1)}
    if len(numbers) != len(listed) - 2 or len(steps) != 1 or not (step := steps.pop()):
        return None
    last = listed[-1].value if isinstance(listed[-1], tree.Number) else None
    num_after = (last - numbers[0]) / step if last is not None else None
    if num_after is not None and (num_after.denominator != 1 or num_after < len(numbers)):
        return None
    if num_after is not None and num_after < MAX_ITEMS:
        return [tree.Number(numbers[0] + place * step) for place in range(int(num_after) + 1)]
    return [tree.Number(numbers[0]), tree.Number(numbers[0] + step), _DOTS, listed[-1]]


_DOTS = tree.Symbol("...")
_PROGRESSION = 3  # items of the shortest one: one, the dots, the last


def _has_signs(node: Node) -> bool:
    return any(isinstance(part, tree.Call) and part.name in ("pm", "mp") for part in tree.walk(node))


def _with_sign(node: Node, *, is_upper: bool) -> Node:
    if not isinstance(node, tree.Call) or node.name not in ("pm", "mp"):
        return node
    return node.arguments[0] if (node.name == "pm") == is_upper else tree.negative(node.arguments[0])


def _are_matched(gold: Sequence[Node], answer: Sequence[Node], comparison: Comparison) -> bool:
    """Whether each item of one is an item of the other, none used twice."""
    if len(gold) != len(answer) or len(gold) > MAX_ITEMS:
        return False
    left = list(answer)
    loose = []
    for item in gold:  # what is the same to the letter first: rounding and units could take it away from another
        if item in left:
            left.remove(item)
        else:
            loose.append(item)
    for item in loose:
        found = next((candidate for candidate in left if _is_same_item(item, candidate, comparison)), None)
        if found is None:
            return False
        left.remove(found)
    return True


def _is_same_item(gold: Node, answer: Node, comparison: Comparison) -> bool:
    """A set among the items is a set: {1} is no 1."""
    if isinstance(gold, tree.SetOf) != isinstance(answer, tree.SetOf):
        return False
    return comparison.same(gold, answer)
