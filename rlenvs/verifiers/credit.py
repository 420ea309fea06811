"""Partial credit: how much is right of an answer that has several parts, where it is not right as a whole.

Items are read and compared as they are for a verdict; here they are only matched and counted.
"""

from collections.abc import Sequence
from typing import Any

from rlenvs.verifiers import VerifierError, judge, rules, tree
from rlenvs.verifiers.asked.question import Question
from rlenvs.verifiers.notation.lexer import UnreadableError
from rlenvs.verifiers.notation.reading import read
from rlenvs.verifiers.notation.text import MAX_CHARS, normal
from rlenvs.verifiers.rules.solutions import named_value
from rlenvs.verifiers.tree import Node
from rlenvs.verifiers.values.rational import UndecidedError

MAX_PARTS = 40  # of an answer: one that lists more is a list of guesses


def partial_credit(gold: Any, answer: str, question: str = "") -> float:
    """The share of an answer's parts that are right.

    matched / (parts of the reference + parts of the answer - matched), each part matched with one at most: 1 exactly
    for what is equal as a whole, and less with every part that is wrong, missing or too many. Parts are the members of
    a list or a set and the values of a ± in any order, the places of a tuple and the entries of a matrix each in its
    own, values with names (`x = 1, y = 2`) by name. A reference of one part has no partial credit, nor have intervals
    and inequalities; nor has an answer of more than `MAX_PARTS` parts.

    Raises:
        VerifierError: the reference cannot be read, or the workers are broken.
    """
    judged = judge(gold, answer, question)
    if judged.verdict in ("bad_gold", "error"):
        raise VerifierError(f"{judged.verdict} for the reference {str(gold)[:100]!r}: {judged.reason}")
    if judged.verdict == "equal":
        return 1.0
    if len(answer) > MAX_CHARS:
        return 0.0
    asked = Question(question)
    try:
        return _share(_read(str(gold), asked), _read(answer, asked), asked)
    except (UnreadableError, UndecidedError, RecursionError):
        return 0.0


def _read(text: str, asked: Question) -> Node:
    return _values(read(normal(text), is_grouped=not asked.asks_list))


def _values(node: Node) -> Node:
    """`(x, y) = (1, 2)` as the tuple of values."""
    match node:
        case tree.Relation(("=",), (tree.Bracketed(), tree.Bracketed() as values)):
            return values
    return node


def _share(gold: Node, answer: Node, asked: Question) -> float:
    """What is right of an answer that is not equal."""
    places = _places(gold)
    if places is not None:
        own_places = _places(answer)
        if own_places is None or _form(gold) != _form(answer):
            return 0.0
        return _overlap(_matched_in_order(places, own_places, asked), places, own_places)
    expected, given = rules.items(gold), rules.items(answer)
    if len(expected) < 2 or len(given) > MAX_PARTS or any(map(_is_region, (*expected, *given))):
        return 0.0
    matched = _matched if _have_names(expected) == _have_names(given) else _matched_in_order
    return _overlap(matched(expected, given, asked), expected, given)


def _have_names(parts: Sequence[Node]) -> bool:
    """Whether names tell the parts apart: `x = 1, y = 2`, and not `x = 1, x = 2`."""
    names = [named[0] for named in map(named_value, parts) if named is not None]
    return len(names) == len(parts) and len(set(names)) > 1


def _overlap(num_matched: int, expected: Sequence[Node], given: Sequence[Node]) -> float:
    """Jaccard's index. Where all parts match and yet the whole is not equal, one counts as wrong."""
    union = len(expected) + len(given) - num_matched
    return min(num_matched / union, num_matched / (num_matched + 1)) if num_matched else 0.0


def _places(node: Node) -> Sequence[Node] | None:
    """What stands in the places of a tuple or a matrix; None for what has none, an interval without end among it."""
    match node:
        case tree.Bracketed("(", ")", items) | tree.Bracketed("[", "]", items) if len(items) > 1:
            return None if any(tree.Constant("infinity") in tree.walk(item) for item in items) else items
        case tree.Matrix(rows):
            return [entry for row in rows for entry in row]
    return None


def _form(node: Node) -> object:
    """What has to agree for places to be compared: the brackets of a tuple, the size of a matrix."""
    match node:
        case tree.Bracketed(opening, closing):
            return opening, closing
        case tree.Matrix(rows):
            return [len(row) for row in rows]
    return None


def _is_region(node: Node) -> bool:
    """Whether it is a set of reals rather than a value."""
    match node:
        case tree.Relation(signs):
            return set(signs) != {"="}
        case tree.Bracketed(opening, closing, items):
            return opening + closing not in ("()", "[]") or len(items) < 2
    return isinstance(node, tree.SetNamed | tree.SetOperation | tree.SetBuilder)


def _matched_in_order(expected: Sequence[Node], given: Sequence[Node], asked: Question) -> int:
    return sum(_are_same(gold, answer, asked) for gold, answer in zip(expected, given, strict=False))


def _matched(expected: Sequence[Node], given: Sequence[Node], asked: Question) -> int:
    """How many parts of one can be paired with parts of the other, at most, no part twice."""
    edges = [[place for place, item in enumerate(given) if _are_same(gold, item, asked)] for gold in expected]
    partner: dict[int, int] = {}

    def is_paired(gold: int, tried: set[int]) -> bool:
        for place in edges[gold]:
            if place not in tried:
                tried.add(place)
                if place not in partner or is_paired(partner[place], tried):
                    partner[place] = gold
                    return True
        return False

    return sum(is_paired(gold, set()) for gold in range(len(expected)))


def _are_same(gold: Node, answer: Node, asked: Question) -> bool:
    try:
        return rules.say_the_same(gold, answer, asked)
    except UndecidedError:
        return False
