"""The values of expressions: exactly where they are rational, else to fifty digits, at points for their variables.

Every step is bounded by the size of what it takes, before it is taken: powers, factorials and arguments beyond the
limits are `UndecidedError`, and so is whatever has no value here. So one evaluation costs microseconds for each node.
"""

import threading
from collections.abc import Mapping, Sequence, Set
from fractions import Fraction
from typing import Any

import mpmath

from rlenvs.verifiers import tree
from rlenvs.verifiers.tree import Node
from rlenvs.verifiers.values import functions, rational
from rlenvs.verifiers.values.points import points_for, real_points
from rlenvs.verifiers.values.rational import UndecidedError, UndefinedError, exact, residues

DIGITS = 50
_CLOSE = 10**-44  # relative difference of values that are the same but for rounding
_MAX_EXPONENT = 10**18
_LONGEST_DECIMAL = 10**30
_MAX_NODES = 800  # of two expressions that are evaluated to many digits
_MAX_MAGNITUDE = 10**6  # powers of two


def are_equal(
    one: Node, other: Node, *, positive: Set[str] = frozenset(), is_real: bool = False, of_both: bool = False
) -> bool:
    r"""Whether two expressions have the same value, for all values of their variables.

    Rational numbers and functions are compared exactly. The rest is evaluated at points of both signs, on both sides of
    one, to fifty digits; where terms cancel, to three times as many.

    Args:
        positive: the variables that are only ever positive.
        is_real: only where one of them is real in all its parts: sqrt(1/n) is nothing for a negative n.
        of_both: with `is_real`, only where both of them are.

    Raises:
        UndecidedError: they cannot be evaluated.
    """
    if one == other:
        return True
    values = exact(one), exact(other)
    if values[0] is not None and values[1] is not None:
        return values[0] == values[1]
    if any(value is not None and value.denominator > _LONGEST_DECIMAL for value in values):
        return False  # the digits of an irrational number, more than are evaluated
    names = sorted(tree.symbols(one) | tree.symbols(other))
    if (pair := residues(one, other, names)) is not None:
        return pair[0] == pair[1]
    if sum(1 for side in (one, other) for _ in tree.walk(side)) > _MAX_NODES:
        raise UndecidedError("too long to be evaluated")
    if not names:
        return _are_close_at(one, other, {})
    agreed = 0
    points = points_for(names, one, other)
    if positive:
        points = [{name: abs(at) if name in positive else at for name, at in point.items()} for point in points]
    if is_real:  # enough of them where roots and logarithms are real
        points = [*points, *({name: abs(at) for name, at in point.items()} for point in points)]
    for point in points:
        try:
            if is_real and not (all if of_both else any)(_is_real_at(side, point) for side in (one, other)):
                continue
            if not _are_close_at(one, other, point):
                return False
        except UndefinedError:  # one of them has a value there, and the other one has none
            return False
        except UndecidedError:
            continue
        agreed += 1
    if agreed >= _NUM_NEEDED:
        return True
    raise UndecidedError("too few points at which both have a value")


def is_constant(node: Node) -> bool:
    """Whether an expression has one value, finite and not zero, at all points.

    Raises:
        UndecidedError: it cannot be evaluated.
    """
    if (known := rational.is_constant(node)) is not None:
        return known
    found = []
    for point in real_points(sorted(tree.symbols(node))):
        try:
            found.append(_value_at(node, point))
        except UndecidedError:
            continue
    if len(found) < _NUM_NEEDED:
        raise UndecidedError("too few points at which it has a value")
    return bool(found[0]) and all(abs(each - found[0]) <= abs(found[0]) * _CLOSE for each in found)


def _value_at(node: Node, point: Mapping[str, Fraction]) -> Any:
    """Its value there, to as many digits as the sizes on the way need."""
    (found,), evaluation = _values_at((node,), point, DIGITS)
    if evaluation.span < _USUAL_SPAN and not evaluation.has_cancelled:
        return found
    (found,), _ = _values_at((node,), point, _digits_for(evaluation.span))
    return found


def _digits_for(span: int) -> int:
    digits = 3 * DIGITS + int(2 * span * 0.302)
    if digits > _MAX_DIGITS:
        raise UndecidedError("too large to tell the difference")
    return digits


def is_constant_in(node: Node) -> bool:
    """Whether an expression with variables has one value all the same, as `6 + x - x` has; False where nobody knows."""
    names = sorted(tree.symbols(node))
    moved = node
    for name in names:
        moved = tree.substituted(moved, name, tree.Sum((tree.Product((tree.Symbol(name), _THREE)), tree.ONE)))
    try:
        return are_equal(node, moved)
    except UndecidedError:
        return False


_THREE = tree.Number(Fraction(3))
_NUM_NEEDED = 4


def _are_close_at(one: Node, other: Node, point: Mapping[str, Fraction]) -> bool:
    """Whether two values are the same but for rounding; where fifty digits cannot tell, by more of them."""
    values, evaluation = _values_at((one, other), point, DIGITS)
    scale = max(map(abs, values))
    difference = abs(values[0] - values[1])
    is_close = bool(difference <= scale * _CLOSE)
    if is_close and evaluation.span < _USUAL_SPAN and not evaluation.has_cancelled:
        return True
    if difference > scale * _SMALL and scale > _SMALL and not evaluation.has_cancelled:
        return False
    digits = _digits_for(evaluation.span if difference <= scale * _SMALL else 0)
    finer, _ = _values_at((one, other), point, digits)
    largest, difference = max(map(abs, finer)), abs(finer[0] - finer[1])
    if largest < _SMALL and largest < scale * _SMALL:  # it shrinks with the digits: both are zero
        return True
    return bool(difference <= largest * finer[0].context.mpf(10) ** (12 - digits))


def _is_real_at(node: Node, point: Mapping[str, Fraction]) -> bool:
    """Whether it is real there, and all its parts are."""
    try:
        return _values_at((node,), point, DIGITS)[1].is_real
    except UndecidedError:
        return False


def _values_at(nodes: Sequence[Node], point: Mapping[str, Fraction], digits: int) -> tuple[list[Any], "_Evaluation"]:
    """The values of nodes at a point.

    Raises:
        UndefinedError: some of them have a value there, and some have none.
        UndecidedError: none of them has one, or one cannot be worked out.
    """
    with _LOCK:  # mpmath keeps the digits of its constants for all threads
        evaluation = _Evaluation(_context(digits), point)
        found, missing = [], []
        for node in nodes:
            try:
                found.append(evaluation.value(node))
            except UndefinedError as error:
                missing.append(error)
        if missing:
            raise missing[0] if found else UndecidedError(str(missing[0]))
        return found, evaluation


_SMALL = 10.0**-30
_USUAL_SPAN = 70  # powers of two: values of this size are known to more than twenty digits when there are fifty
_MAX_DIGITS = 1500
_LOCK = threading.RLock()


def number(node: Node) -> Any:
    """The real value of an expression without variables, as an mpf.

    Raises:
        UndecidedError: it has none.
    """
    found = value(node, {})
    if abs(found.imag) > abs(found) * _CLOSE:
        raise UndecidedError("a complex number")
    return found.real


def value(node: Node, point: Mapping[str, Fraction]) -> Any:
    """The complex value of an expression, as an mpc of a context of this thread.

    Raises:
        UndecidedError: it has none that can be said here.
    """
    with _LOCK:
        return _Evaluation(_context(DIGITS), point).value(node)


_LOCAL = threading.local()


def _context(digits: int) -> Any:
    """A context of mpmath that no other thread uses: its precision changes while it works."""
    contexts = _LOCAL.__dict__.setdefault("contexts", {})
    if digits not in contexts:
        contexts[digits] = mpmath.MPContext()
        contexts[digits].dps = digits
    return contexts[digits]


class _Evaluation:
    """The values of a tree's nodes at one point."""

    def __init__(self, context: Any, point: Mapping[str, Fraction]) -> None:
        self._context = context
        self._point = point
        self.has_cancelled = False  # whether the terms of a sum cancelled, but for what may be rounding
        self.is_real = True  # whether every value on the way is
        self.span = 0  # powers of two, of the largest or smallest value on the way: beside it others may vanish

    def value(self, node: Node) -> Any:
        """The value of the whole, which is finite."""
        try:
            found = self._context.mpc(self.of(node))
        except UndecidedError:
            raise
        except (ValueError, ZeroDivisionError, OverflowError, TypeError, ArithmeticError) as error:
            raise UndefinedError(str(error)) from error
        if not self._context.isfinite(found):
            raise UndefinedError("an infinite value")
        return found

    def of(self, node: Node) -> Any:
        """The value of a part, if it is finite, and of a size that can be worked with."""
        found = self._of(node)
        self.is_real = self.is_real and not found.imag
        for part in (found.real, found.imag):
            if part:
                magnitude = self._context.mag(part)
                if not -_MAX_MAGNITUDE < magnitude < _MAX_MAGNITUDE:
                    raise UndecidedError("too large, too small or infinite")
                self.span = max(self.span, abs(int(magnitude)))
        return found

    def _of(self, node: Node) -> Any:
        context = self._context
        match node:
            case tree.Number(number):
                return self._rational(number)
            case tree.Symbol(name) if name in self._point:
                return self._rational(self._point[name])
            case tree.Constant(name):
                return self._constant(name)
            case tree.Sum(terms):
                return self._sum([self.of(term) for term in terms])
            case tree.Product(factors):
                return context.fprod(self.of(factor) for factor in factors)
            case tree.Power(base, exponent):
                return self._power(self.of(base), exponent)
            case tree.Call(name, arguments):
                return self._call(name, [self.of(argument) for argument in arguments])
        raise UndecidedError(f"a {type(node).__name__} has no value")

    def _sum(self, terms: list[Any]) -> Any:
        total = self._context.fsum(terms)
        if abs(total) <= max(map(abs, terms)) * self._context.mpf(10) ** (8 - self._context.dps):
            self.has_cancelled = True
            return self._context.zero
        return total

    def _rational(self, number: Fraction) -> Any:
        top = self._context.mpf(number.numerator)
        return top if number.denominator == 1 else top / number.denominator

    def _constant(self, name: str) -> Any:
        context = self._context
        if name == "infinity":
            raise UndecidedError("infinity is no value")
        return {"pi": +context.pi, "e": +context.e, "i": context.j}[name]

    def _power(self, base: Any, exponent: Node) -> Any:
        """A power; the real root where a negative number has one."""
        context = self._context
        fraction = exact(exponent)
        if fraction is not None and abs(fraction) > _MAX_EXPONENT:
            raise UndecidedError("too large an exponent")
        if fraction is not None and fraction <= 0 and not base:
            raise UndefinedError("a power of zero that has no value")
        if fraction is not None and fraction.denominator == 1:
            return base ** int(fraction)
        if fraction is not None and fraction.denominator % 2 and not functions.is_imaginary(base) and base.real < 0:
            root = -((-base.real) ** self._rational(fraction))
            return root if fraction.numerator % 2 else -root
        if fraction is not None and fraction.denominator == 2:
            return context.sqrt(base) ** fraction.numerator
        power = self.of(exponent)
        if abs(power) > _MAX_EXPONENT:
            raise UndecidedError("too large an exponent")
        return context.power(base, power)

    def _call(self, name: str, arguments: list[Any]) -> Any:
        context = self._context
        self.span = max(self.span, functions.lost_digits(name, arguments))
        return functions.applied(context, name, arguments)
