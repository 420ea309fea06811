"""One tree for what differs only in order and brackets: how an answer that copies the question is recognised."""

import math
from collections.abc import Iterator
from fractions import Fraction

from rlenvs.verifiers import tree
from rlenvs.verifiers.tree import Node
from rlenvs.verifiers.values import rational


def canonical(node: Node) -> Node:
    """The tree with terms and factors flat and in one order, without numbers that cancel; nothing else is worked out.

    So what is written around a copy, two signs, a denominator of 1, `x + 1 - 1`, is gone.
    """
    return tree.rebuilt(node, _ordered)


def parts(node: Node) -> Iterator[Node]:
    """Its parts in that form, itself among them."""
    return tree.walk(canonical(node))


def has_operation(node: Node) -> bool:
    """Whether it is more than a number as it is written, a name, or a list of these."""
    return any(_is_operation(part) for part in tree.walk(node))


def is_calculation(node: Node) -> bool:
    """Whether numbers are to be added or multiplied in it; a quotient and a root are none."""
    match node:
        case tree.Sum(terms):
            return sum(rational.exact(term) is not None for term in terms) > 1
        case tree.Product(factors):
            plain = [factor for factor in factors if isinstance(factor, tree.Number) and factor != tree.MINUS_ONE]
            return len(plain) > 1
    return False


def is_worked_out(node: Node) -> bool:
    r"""Whether no numbers are left to be added, multiplied or raised: as in `3\sqrt{2}`, `2^{100}`, `\frac{\pi}{6}`."""
    return not any(_is_left_to_do(part) for part in tree.walk(node))


def _ordered(node: Node) -> Node:
    match node:
        case tree.Sum(terms):
            return _flat(tree.Sum, terms, tree.ZERO)
        case tree.Product(factors):
            return _flat(tree.Product, factors, tree.ONE)
        case tree.Power(base, exponent) if exponent == tree.ONE or base == tree.ONE:
            return base
        case tree.Power(tree.Number(value), exponent) if exponent == tree.MINUS_ONE and value:
            return tree.Number(1 / value)
    return node


def _flat(kind: type[tree.Sum] | type[tree.Product], given: tuple[Node, ...], neutral: Node) -> Node:
    found: list[Node] = []
    for each in given:
        found += _inside(each) if isinstance(each, kind) else [each]
    numbers = [each.value for each in found if isinstance(each, tree.Number)]
    value = sum(numbers, Fraction(0)) if kind is tree.Sum else math.prod(numbers, start=Fraction(1))
    is_sign = kind is tree.Product and set(numbers) <= {1, -1}
    if tree.Number(value) == neutral or is_sign:
        found = [each for each in found if not isinstance(each, tree.Number)]
        found += [tree.MINUS_ONE] if is_sign and value < 0 else []
    kept = sorted((each for each in found if each != neutral), key=repr)
    if not kept:
        return neutral
    return kept[0] if len(kept) == 1 else kind(tuple(kept))


def _inside(node: Node) -> tuple[Node, ...]:
    assert isinstance(node, tree.Sum | tree.Product)
    return node.terms if isinstance(node, tree.Sum) else node.factors


def _is_operation(node: Node) -> bool:
    match node:
        case tree.Product((tree.MINUS_ONE, inside)):
            return isinstance(inside, tree.Product | tree.Sum)
        case tree.Product(factors):
            return factors[-1] != tree.DEGREE
        case tree.Sum() | tree.Power() | tree.Call():
            return True
    return False


_LARGEST = 10**15  # that a power is to be worked out to


def _is_left_to_do(node: Node) -> bool:
    match node:
        case tree.Sum(terms):
            return sum(rational.exact(term) is not None for term in terms) > 1
        case tree.Product(factors):
            return sum(rational.exact(factor) is not None and factor != tree.MINUS_ONE for factor in factors) > 1
        case tree.Power():
            value = rational.exact(node)
            return value is not None and abs(value) < _LARGEST and node.exponent != tree.MINUS_ONE
        case tree.Call():
            return rational.exact(node) is not None
    return False
