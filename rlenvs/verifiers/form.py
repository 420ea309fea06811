"""Whether an answer of the right value has the form that is asked for, and is more than a copy of the question.

Only where the question is known. The value itself belongs to `rules`.
"""

import re
from collections.abc import Callable, Iterator
from fractions import Fraction

from rlenvs.verifiers import rational, tree
from rlenvs.verifiers.canonical import canonical, has_operation, is_worked_out, parts
from rlenvs.verifiers.lexer import UnreadableError
from rlenvs.verifiers.question import Question
from rlenvs.verifiers.reading import read
from rlenvs.verifiers.text import normal
from rlenvs.verifiers.tree import Node


def why_not_asked(gold: str, answer: str, asked: Question) -> str:
    """Why an answer of the right value is none all the same; empty where it is one.

    Args:
        gold, answer: in normal form, and not the same text.
    """
    if not asked.text:
        return ""
    for is_asked, is_missing, sentence in _FORMS:
        if is_asked.search(asked.text) and is_missing(gold, answer):
            return sentence
    sides = [_tree_or_none(text) for text in (gold, answer)]
    if sides[0] is None or sides[1] is None:
        return ""
    return _why_not_worked_out(sides[0], sides[1], asked)


def _why_not_worked_out(gold: Node, answer: Node, asked: Question) -> str:
    if _FACTOR.search(asked.text) and _is_product(gold) and not _is_product(answer):
        return "not factored"
    if _EXPAND.search(asked.text) and not _has_bracket(gold) and _has_bracket(answer):
        return "not expanded"
    if not has_operation(answer) or canonical(gold) == canonical(answer):
        return ""
    given = list(_formulas(asked))
    if canonical(answer) in {part for formula in given for part in parts(formula)}:
        return "a part of the question, not worked out"
    value = rational.exact(gold)
    is_asked = value is not None and any(has_operation(part) and rational.exact(part) == value for part in _all(given))
    return "not worked out" if is_asked and is_worked_out(gold) and not is_worked_out(answer) else ""


def _all(formulas: list[Node]) -> Iterator[Node]:
    for formula in formulas:
        yield from tree.walk(formula)


def _formulas(asked: Question) -> Iterator[Node]:
    for text in asked.formulas:
        if (found := _tree_or_none(normal(text))) is not None:
            yield from found.sides if isinstance(found, tree.Relation) else (found,)


def _tree_or_none(text: str) -> Node | None:
    try:
        return read(text)
    except (UnreadableError, RecursionError):
        return None


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


_QUOTIENT = re.compile(r"\\frac\s*\{?\s*(\d+)\s*\}?\s*\{?\s*(\d+)\s*\}?|(?<![\d.])(\d+)\s*/\s*(\d+)(?![\d.])")


def _is_reducible(text: str) -> bool:
    return any(
        int(bottom) and Fraction(int(top), int(bottom)).denominator != int(bottom)
        for found in _QUOTIENT.finditer(text)
        for top, bottom in [tuple(digits for digits in found.groups() if digits)]
    )


def _is_quotient(text: str) -> bool:
    return _QUOTIENT.search(text) is not None


_DECIMAL = re.compile(r"\d*\.\d+")
_SCIENTIFIC = re.compile(r"10\s*\^|\d[eE]")

_Missing = Callable[[str, str], bool]
_FORMS: list[tuple[re.Pattern[str], _Missing, str]] = [
    (re.compile(pattern, re.IGNORECASE), is_missing, sentence)
    for pattern, is_missing, sentence in [
        (
            r"simplif|simplest|lowest terms|reduced (?:form|fraction)|common fraction|irreducible",
            lambda gold, answer: _is_reducible(answer) and not _is_reducible(gold),
            "a fraction that is not reduced",
        ),
        (
            r"\bas an? (?:\w+ )?(?:fraction|mixed number)\b|\bfraction in (?:its )?(?:lowest|simplest)",
            lambda gold, answer: _is_quotient(gold) and not _is_quotient(answer) and bool(_DECIMAL.search(answer)),
            "a decimal where a fraction is asked for",
        ),
        (
            r"\b(?:as|to|into|in) (?:an? )?decimal\b",
            lambda gold, answer: bool(_DECIMAL.search(gold)) and ("%" in answer or _is_quotient(answer)),
            "a fraction or a percentage where a decimal is asked for",
        ),
        (
            r"\b(?:scientific notation|standard form)\b",
            lambda gold, answer: bool(_SCIENTIFIC.search(gold)) and not _SCIENTIFIC.search(answer),
            "not in scientific notation",
        ),
    ]
]
_FACTOR = re.compile(r"\bfactor(?:i[sz]e|i[sz]ation)?\b", re.IGNORECASE)
_EXPAND = re.compile(r"\b(?:expand|multiply out)\b", re.IGNORECASE)
