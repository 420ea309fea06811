"""Whether two trees say the same answer: what is compared with what, and which differences of writing do not count.

Each rule decides pairs of one shape, or leaves them to the next. Where it is unclear what an answer means, it is not
equal: a wrong refusal costs less than a wrong acceptance.
"""

from rlenvs.verifiers import tree
from rlenvs.verifiers.asked.question import Question
from rlenvs.verifiers.rules.bracketed import bracketed, coordinates, matrices
from rlenvs.verifiers.rules.comparison import Comparison
from rlenvs.verifiers.rules.listed import items, listed
from rlenvs.verifiers.rules.measured import quantities, ratios, residues
from rlenvs.verifiers.rules.named import named, renamed, without_name
from rlenvs.verifiers.rules.related import operations, relations, sets, solved
from rlenvs.verifiers.rules.valued import infinite, valued, worded
from rlenvs.verifiers.rules.vectors import vectors
from rlenvs.verifiers.tree import Node

__all__ = ["items", "say_the_same"]

_RULES = (
    worded,
    sets,
    operations,
    listed,
    named,
    vectors,
    quantities,
    residues,
    ratios,
    coordinates,
    bracketed,
    matrices,
    relations,
    solved,
    infinite,
    valued,
)


def say_the_same(gold: Node, answer: Node, asked: Question, *, has_parameters: bool = False) -> bool:
    """Whether the answer says what the reference says, perhaps with another letter for a parameter.

    Args:
        has_parameters: whether one of them says that a letter in it is any number: `for some integer t`.

    Raises:
        UndecidedError: both may be fine, but comparing them takes more than evaluating.
    """
    comparison = Comparison(asked, _RULES, has_parameters)
    gold, answer = _in_one_form(gold, comparison), _in_one_form(answer, comparison)
    if comparison.same(gold, answer):
        return True
    expected, given = without_name(gold, comparison), without_name(answer, comparison)
    other = renamed(expected, given, comparison)
    return other is not None and comparison.same(other, given)


def _in_one_form(node: Node, comparison: Comparison) -> Node:
    """`1/2 or 0.5` as 1/2: an answer in several forms that all say the same."""
    match node:
        case tree.Items((first, *others), "or") if isinstance(first, tree.EXPRESSIONS):
            if all(isinstance(other, tree.EXPRESSIONS) and comparison.same(first, other) for other in others):
                return first
    return node
