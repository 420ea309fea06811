"""Expressions by their values, infinity, rounding, words."""

from fractions import Fraction

from rlenvs.verifiers import tree
from rlenvs.verifiers.rules.comparison import Comparison
from rlenvs.verifiers.tree import Node
from rlenvs.verifiers.values import evaluate, rational, regions
from rlenvs.verifiers.values.canonical import canonical
from rlenvs.verifiers.values.rational import UndecidedError


def infinite(gold: Node, answer: Node, _: Comparison) -> bool | None:
    """Infinite values by their signs."""
    signs = regions.infinity(gold), regions.infinity(answer)
    return signs[0] == signs[1] if any(signs) else None


def valued(gold: Node, answer: Node, comparison: Comparison) -> bool | None:
    """Expressions by their values; `log` without a base is natural or of base ten, on both sides alike."""
    if not isinstance(gold, tree.EXPRESSIONS) or not isinstance(answer, tree.EXPRESSIONS):
        return None
    if any(tree.Symbol("...") in tree.walk(side) for side in (gold, answer)):  # what dots stand for, nobody can add up
        return canonical(gold) == canonical(answer)
    if comparison.asked.is_about_matrices and any(map(_has_order, (gold, answer))):
        return gold == answer
    if evaluate.are_equal(gold, answer) or _are_rounded(gold, answer, comparison):
        return True
    positive = comparison.asked.positive & (tree.symbols(gold) | tree.symbols(answer))
    if positive and evaluate.are_equal(gold, answer, positive=positive):
        return True
    if _are_logarithms(gold, answer) and evaluate.are_equal(gold, answer, is_real=True, of_both=True):
        return True
    if _have_roots(gold, answer) and evaluate.are_equal(gold, answer, is_real=True):
        return True
    one, other = tree.rebuilt(gold, _with_base_ten), tree.rebuilt(answer, _with_base_ten)
    return (one, other) != (gold, answer) and evaluate.are_equal(one, other)


def _has_order(node: Node) -> bool:
    """Whether factors stand in an order that may matter: capitals, or a letter beside its inverse."""
    names = tree.symbols(node)
    return any(name.isupper() for name in names) or any(
        isinstance(part, tree.Product) and len(tree.symbols(part)) > 1 for part in tree.walk(node)
    )


def _have_roots(gold: Node, answer: Node) -> bool:
    """Whether roots of variables are taken on both sides, and absolute values on neither."""
    for side in (gold, answer):
        parts = [part for part in tree.walk(side) if tree.symbols(part)]
        if any(isinstance(part, tree.Call) and part.name == "abs" for part in parts):
            return False
        if not any(isinstance(part, tree.Power) and not _is_whole(part.exponent) for part in parts):
            return False
    return True


def _are_logarithms(gold: Node, answer: Node) -> bool:
    r"""Whether both are about logarithms of variables, which are then positive: `\ln xy` is `\ln x + \ln y`.

    Not where an absolute value or a root says that they need not be.
    """
    for side in (gold, answer):
        parts = [part for part in tree.walk(side) if tree.symbols(part)]
        if not any(isinstance(part, tree.Call) and part.name in ("ln", "log") for part in parts):
            return False
        if any(isinstance(part, tree.Call) and part.name == "abs" for part in parts) or any(
            isinstance(part, tree.Power) and tree.symbols(part.base) and not _is_whole(part.exponent) for part in parts
        ):
            return False
    return True


def _is_whole(node: Node) -> bool:
    value = rational.exact(node)
    return value is not None and value.denominator == 1


_LEAST_DIGITS = 3  # significant ones, of a decimal that nobody asked to round


def _are_rounded(gold: Node, answer: Node, comparison: Comparison) -> bool:
    """Whether one is the other rounded: as the question asks, or a fraction in a problem of everyday life."""
    rounded, full = sorted((gold, answer), key=lambda side: _MANY if _places(side) is None else _places(side) or 0)
    places, value = _places(rounded), _algebraic(full)
    if places is None or value is None or not isinstance(rounded, tree.Number) or not rounded.value:
        return False
    if not _is_rounded_to(rounded.value, value, places):
        return False
    is_answer, is_decimal = rounded is answer, _places(full) is not None
    asked = comparison.asked
    if asked.places is not None:  # 3.14159 is not rounded as it is asked, whatever else it is
        return places >= asked.places and (is_answer or rational.exact(full) is None)
    if _significant(rounded.value, places) < _LEAST_DIGITS or places < _LEAST_PLACES:
        return False
    if asked.asks_approximation:
        return is_answer or not is_decimal
    is_fraction = rational.exact(full) is not None and value.denominator > 1
    return not is_decimal and asked.is_everyday and (is_fraction or not is_answer)


def _is_rounded_to(rounded: Fraction, value: Fraction, places: int) -> bool:
    """Whether a number is the nearest with so many decimals; halves are rounded up."""
    difference = abs(rounded - value) * 2 * 10**places
    return difference < 1 or (difference == 1 and abs(rounded) > abs(value))


_LEAST_PLACES = 2


def _significant(value: Fraction, places: int) -> int:
    """How many digits a decimal has from its first one that is no zero."""
    return len(str(abs(value.numerator * 10**places // value.denominator)))


def _algebraic(node: Node) -> Fraction | None:
    """The value of numbers and roots, which rounding may stand for; pi and e are asked for by name."""
    if (value := rational.exact(node)) is not None:
        return value
    if tree.symbols(node) or any(isinstance(part, tree.Constant | tree.Call) for part in tree.walk(node)):
        return None
    try:
        return Fraction(str(evaluate.number(node)))
    except UndecidedError:
        return None


_MANY = 10**6


def _places(node: Node) -> int | None:
    """How many decimals a number was written with; None for what is no decimal."""
    return node.places if isinstance(node, tree.Number) else None


def _with_base_ten(node: Node) -> Node:
    if isinstance(node, tree.Call) and node.name == "log" and len(node.arguments) == 1:
        return tree.Call("log", (*node.arguments, tree.Number(Fraction(10))))
    return node


def worded(gold: Node, answer: Node, _: Comparison) -> bool | None:
    """Words by their letters."""
    if not isinstance(gold, tree.Words) and not isinstance(answer, tree.Words):
        return None
    signs = _sign_of_infinity(gold), _sign_of_infinity(answer)
    return gold == answer or (signs[0] == signs[1] != 0)


def _sign_of_infinity(node: Node) -> int:
    return _INFINITE.get(node.text, 0) if isinstance(node, tree.Words) else regions.infinity(node)


_INFINITE = {
    "infinitely many": 1, "infinite": 1, "infinity": 1, "infinitely many solutions": 1, "positive infinity": 1,
    "plus infinity": 1, "negative infinity": -1, "minus infinity": -1,
}  # fmt: skip
