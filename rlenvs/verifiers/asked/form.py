"""Whether an answer of the right value has the form that is asked for, and is more than a copy of the question.

Only where the question is known. The value itself belongs to `rules`.
"""

import re
from collections.abc import Iterator

from rlenvs.verifiers import tree
from rlenvs.verifiers.asked.question import Question
from rlenvs.verifiers.asked.written import is_quotient, why_not_written
from rlenvs.verifiers.notation.reading import read_or_none
from rlenvs.verifiers.notation.text import normal
from rlenvs.verifiers.tree import Node
from rlenvs.verifiers.values import rational
from rlenvs.verifiers.values.canonical import canonical, has_operation, is_calculation, is_worked_out, parts


def why_not_asked(gold: str, answer: str, asked: Question) -> str:
    """Why an answer of the right value is none all the same; empty where it is one.

    Args:
        gold, answer: in normal form, and not the same text.
    """
    if not asked.text:
        return ""
    if why := why_not_written(gold, answer, asked.text):
        return why
    sides = [read_or_none(text) for text in (gold, answer)]
    if sides[0] is None or sides[1] is None:
        return ""
    if asked.asks_string and "".join(gold.split()) != "".join(answer.split()):
        return "another string"
    if isinstance(sides[0], tree.Number) and sides[0].value.denominator == 1 and is_quotient(answer):
        return "a division that is not done"
    if isinstance(sides[0], tree.Number) and any(map(is_calculation, tree.walk(_said(sides[1], sides[0])))):
        return "a calculation that is not done"
    if r"\begin" in answer and all(isinstance(side, tree.EXPRESSIONS) for side in sides):
        return "a determinant that is not worked out"
    return _why_not_worked_out(sides[0], sides[1], asked)


def _said(answer: Node, gold: Node) -> Node:
    """What an answer says is the value: the end of `x = 2 + 3 = 5`, where the reference is no equation."""
    if not isinstance(answer, tree.Relation) or set(answer.signs) != {"="} or isinstance(gold, tree.Relation):
        return answer
    last = answer.sides[-1]
    return answer.sides[0] if isinstance(last, tree.Symbol) and not isinstance(gold, tree.Symbol) else last


def _why_not_worked_out(gold: Node, answer: Node, asked: Question) -> str:
    if isinstance(answer, tree.Relation) and not isinstance(gold, tree.Relation) and _is_given(answer, asked):
        return "an equation of the question"
    answer = _said(answer, gold)
    if _FACTOR.search(asked.text) and _is_product(gold) and not _is_product(answer):
        return "not factored"
    if _EXPAND.search(asked.text) and not _has_bracket(gold) and _has_bracket(answer):
        return "not expanded"
    if not has_operation(answer) or canonical(gold) == canonical(answer):
        return ""
    given = list(_formulas(asked))
    if canonical(answer) in {part for formula in given for part in parts(formula)}:
        return "a part of the question, not worked out"
    if why := _why_left_to_do(gold, answer, asked):
        return why
    value = rational.exact(gold)
    is_asked = value is not None and any(has_operation(part) and rational.exact(part) == value for part in _all(given))
    return "not worked out" if is_asked and is_worked_out(gold) and not is_worked_out(answer) else ""


def _is_given(answer: tree.Relation, asked: Question) -> bool:
    """Whether it ends with an equation of the question's that says more than what a name is: `y = a + b = 0`."""
    sides = [canonical(side) for side in answer.sides]
    for text in asked.equations:
        found = read_or_none(normal(text))
        if isinstance(found, tree.Relation) and has_operation(found.sides[0]):
            given = [canonical(side) for side in found.sides]
            if sides[-len(given) :] == given:
                return True
    return False


def _why_left_to_do(gold: Node, answer: Node, asked: Question) -> str:
    """What is left to be worked out in an answer beside a reference in which nothing is."""
    calls = [{part.name for part in tree.walk(side) if isinstance(part, tree.Call)} for side in (gold, answer)]
    if (calls[1] - calls[0]) & _TO_BE_DONE and not tree.symbols(answer):
        return "not worked out"
    is_rounded = any(isinstance(part, tree.Number) and part.places for part in tree.walk(gold))
    if (
        not is_rounded
        and rational.exact(gold) is not None
        and isinstance(answer, tree.EXPRESSIONS)
        and rational.exact(tree.in_degrees(answer) or answer) is None
    ):
        return "a number that is not worked out"
    if not tree.symbols(answer) and (calls[1] - calls[0]) & _ANGLES:
        return "a value of an angle that is not worked out"
    if isinstance(gold, tree.Matrix) and is_worked_out(gold) and not is_worked_out(answer):
        return "a matrix that is not worked out"
    return "not simplified" if _SIMPLIFY.search(asked.text) and _divides(answer) and not _divides(gold) else ""


_TO_BE_DONE = frozenset(("gcd", "lcm", "mod", "max", "min", "floor", "ceil", "abs", "sgn"))
_ANGLES = frozenset(("sin", "cos", "tan", "cot", "sec", "csc"))
_SIMPLIFY = re.compile(r"\bsimplif", re.IGNORECASE)


def _divides(node: Node) -> bool:
    """Whether something is divided by variables."""
    return any(
        isinstance(part, tree.Power) and part.exponent == tree.MINUS_ONE and bool(tree.symbols(part.base))
        for part in tree.walk(node)
    )


def _all(formulas: list[Node]) -> Iterator[Node]:
    for formula in formulas:
        yield from tree.walk(formula)


def _formulas(asked: Question) -> Iterator[Node]:
    for text in asked.formulas:
        if (found := read_or_none(normal(text))) is not None:
            yield from found.sides if isinstance(found, tree.Relation) else (found,)


def _is_product(node: Node) -> bool:
    return isinstance(node, tree.Product | tree.Power) or (
        isinstance(node, tree.Relation) and isinstance(node.sides[-1], tree.Product | tree.Power)
    )


def _has_bracket(node: Node) -> bool:
    """Whether a sum is multiplied or raised."""
    return any(
        (isinstance(part, tree.Product) and any(isinstance(factor, tree.Sum) for factor in part.factors))
        or (isinstance(part, tree.Power) and isinstance(part.base, tree.Sum) and part.exponent != tree.MINUS_ONE)
        for part in tree.walk(node)
    )


_FACTOR = re.compile(r"\bfactor(?:i[sz]e|i[sz]ation)?\b", re.IGNORECASE)
_EXPAND = re.compile(r"\b(?:expand|multiply out)\b", re.IGNORECASE)
