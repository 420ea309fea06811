"""The values of expressions: exactly where they are rational, else to fifty digits, at points for their variables.

Every step is bounded by the size of what it takes, before it is taken: powers, factorials and arguments beyond the
limits are `UndecidedError`, and so is whatever has no value here. So one evaluation costs microseconds for each node.
"""

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from typing import Any

import mpmath

from rlenvs.verifiers import rational, tree
from rlenvs.verifiers.points import points_for, real_points
from rlenvs.verifiers.rational import UndecidedError, UndefinedError, exact, residues
from rlenvs.verifiers.tree import Node

DIGITS = 50
_CLOSE = 10**-44  # relative difference of values that are the same but for rounding
_MAX_EXPONENT = 10**18
_MAX_ARGUMENT = 10**40  # of a periodic function, whose period must be known to as many digits
_MAX_NODES = 800  # of two expressions that are evaluated to many digits
_MAX_FACTORIAL = 10**12
_MAX_MAGNITUDE = 10**6  # powers of two
_MAX_WHOLE = 10**60  # of what is turned into a whole number


def are_equal(one: Node, other: Node, *, is_positive: bool = False) -> bool:
    """Whether two expressions have the same value, for all values of their variables, or for all positive ones.

    Rational numbers and functions are compared exactly. The rest is evaluated at points of both signs, on both sides of
    one, to fifty digits; where terms cancel, to three times as many.

    Raises:
        UndecidedError: they cannot be evaluated.
    """
    if one == other:
        return True
    values = exact(one), exact(other)
    if values[0] is not None and values[1] is not None:
        return values[0] == values[1]
    names = sorted(tree.symbols(one) | tree.symbols(other))
    if (pair := residues(one, other, names)) is not None:
        return pair[0] == pair[1]
    if sum(1 for side in (one, other) for _ in tree.walk(side)) > _MAX_NODES:
        raise UndecidedError("too long to be evaluated")
    if not names:
        return _are_close_at(one, other, {})
    agreed = 0
    points = points_for(names, one, other)
    if is_positive:
        points = [{name: abs(value) for name, value in point.items()} for point in points]
    for point in points:
        try:
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
    is_close = bool(abs(values[0] - values[1]) <= scale * _CLOSE)
    if is_close and evaluation.span < _USUAL_SPAN and not evaluation.has_cancelled:
        return True
    if not is_close and scale > _SMALL and not evaluation.has_cancelled:
        return False
    digits = _digits_for(evaluation.span if is_close else 0)
    finer, _ = _values_at((one, other), point, digits)
    largest, difference = max(map(abs, finer)), abs(finer[0] - finer[1])
    if largest < _SMALL and largest < scale * _SMALL:  # it shrinks with the digits: both are zero
        return True
    return bool(difference <= largest * finer[0].context.mpf(10) ** (12 - digits))


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
        if fraction is not None and fraction.denominator % 2 and not _imaginary(base) and base.real < 0:
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
        if name in _PERIODIC and abs(arguments[0]) > _MAX_ARGUMENT:
            raise UndecidedError(f"too large an argument of {name}")
        if name in _EXPONENTIAL:  # tanh x is 1 but for e^{-2x}
            self.span = max(self.span, int(3 * abs(arguments[0])))
        if name in _OF_ONE and len(arguments) == 1:
            return getattr(context, _OF_ONE[name])(arguments[0])
        if name in _OTHERS:
            return _OTHERS[name](context, *arguments)
        return _undefined(context, name, arguments)


_EXPONENTIAL = frozenset(["sinh", "cosh", "tanh", "coth", "sech", "csch"])
_PERIODIC = frozenset(["sin", "cos", "tan", "cot", "sec", "csc", *_EXPONENTIAL])
_OF_ONE = {
    **{name: name for name in ("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth")},
    **{name: name for name in ("sech", "csch", "log")},
    "ln": "log",
    **{f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh")},
}


def _imaginary(value: Any) -> bool:
    return bool(getattr(value, "imag", 0) != 0)


def _real(value: Any) -> Any:
    if _imaginary(value):
        raise UndefinedError("a complex number where a real one is needed")
    return value.real


def _whole(value: Any) -> int:
    real = _real(value)
    if abs(real) > _MAX_WHOLE or real != int(real):
        raise UndefinedError("no whole number")
    return int(real)


def _factorial(context: Any, number: Any) -> Any:
    if abs(number) > _MAX_FACTORIAL:
        raise UndecidedError("too large a factorial")
    return context.gamma(number + 1)


def _binomial(context: Any, above: Any, below: Any) -> Any:
    if max(abs(above), abs(below)) > _MAX_FACTORIAL:
        raise UndecidedError("too large a binomial")
    return context.binomial(above, below)


def _undefined(context: Any, name: str, arguments: list[Any]) -> Any:
    """A value that a function nobody defines could have there: the same for the same arguments, to thirty digits."""
    shown = ",".join(context.nstr(argument, 30) for argument in arguments)
    return context.mpf(int.from_bytes(sha256(f"{name}({shown})".encode()).digest()[:16])) / 2**128 + 1


_OTHERS: dict[str, Callable[..., Any]] = {
    "log": lambda context, number, base: context.log(number) / context.log(base),
    "abs": lambda _, number: abs(number),
    "floor": lambda context, number: context.floor(_real(number)),
    "ceil": lambda context, number: context.ceil(_real(number)),
    "sgn": lambda context, number: context.sign(_real(number)),
    "arg": lambda context, number: context.arg(number),
    "max": lambda _, *numbers: max(_real(number) for number in numbers),
    "min": lambda _, *numbers: min(_real(number) for number in numbers),
    "gcd": lambda context, *numbers: context.mpf(math.gcd(*map(_whole, numbers))),
    "lcm": lambda context, *numbers: context.mpf(math.lcm(*map(_whole, numbers))),
    "factorial": _factorial,
    "binomial": _binomial,
}

KNOWN = frozenset((*_OF_ONE, *_OTHERS, "det", "pm", "mp"))
"""The functions that have values here."""
