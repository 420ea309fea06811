"""Rational expressions exactly: numbers as fractions, functions of variables by their values modulo a prime.

Every step is bounded by the size of what it takes, before it is taken.
"""

import math
import secrets
from collections.abc import Callable, Mapping
from fractions import Fraction
from hashlib import sha256

from rlenvs.verifiers import tree
from rlenvs.verifiers.tree import Node

_MAX_BITS = 20_000  # of an exact power


class UndecidedError(ValueError):
    """An expression whose value cannot be said here: it is too large, not defined, or infinite."""


class UndefinedError(UndecidedError):
    """An expression that has no value: a division by zero, the largest of complex numbers."""


def exact(node: Node) -> Fraction | None:
    """The value of a rational expression without variables; None for everything else, and for what is too large."""
    match node:
        case tree.Number(value):
            return value
        case tree.Sum(terms):
            return _folded(terms, Fraction(0), Fraction.__add__)
        case tree.Product(factors):
            return _folded(factors, Fraction(1), Fraction.__mul__)
        case tree.Power(base, exponent):
            return _exact_power(exact(base), exact(exponent))
        case tree.Call(name, arguments) if name in _EXACT:
            values = [each for argument in arguments if (each := exact(argument)) is not None]
            return _EXACT[name](*values) if len(values) == len(arguments) else None
    return None


def _folded(
    nodes: tuple[Node, ...], start: Fraction, operation: Callable[[Fraction, Fraction], Fraction]
) -> Fraction | None:
    found = start
    for node in nodes:
        value = exact(node)
        if value is None or _bits(found) + _bits(value) > _MAX_BITS:
            return None
        found = operation(found, value)
    return found


def _exact_power(base: Fraction | None, exponent: Fraction | None) -> Fraction | None:
    if base is None or exponent is None or exponent.denominator != 1 or (not base and exponent <= 0):
        return None
    return base**exponent.numerator if abs(exponent) * _bits(base) <= _MAX_BITS else None


def _exact_factorial(number: Fraction) -> Fraction | None:
    is_small = number.denominator == 1 and 0 <= number <= _MAX_EXACT
    return Fraction(math.factorial(int(number))) if is_small else None


def _exact_double_factorial(number: Fraction) -> Fraction | None:
    """The product of every second number down from this one."""
    is_small = number.denominator == 1 and 0 <= number <= _MAX_EXACT
    return Fraction(math.prod(range(int(number), 0, -2))) if is_small else None


def _exact_binomial(above: Fraction, below: Fraction) -> Fraction | None:
    is_small = above.denominator == below.denominator == 1 and 0 <= above <= _MAX_EXACT and below >= 0
    return Fraction(math.comb(int(above), int(below))) if is_small else None


_MAX_EXACT = 2000  # of a factorial or a binomial that is worked out


_EXACT: dict[str, Callable[..., Fraction | None]] = {
    "factorial": _exact_factorial,
    "factorial2": _exact_double_factorial,
    "binomial": _exact_binomial,
    "abs": abs,
    "floor": lambda number: Fraction(math.floor(number)),
    "ceil": lambda number: Fraction(math.ceil(number)),
    "mod": lambda number, modulus: number % modulus if modulus else None,
    "max": lambda *numbers: max(numbers),
    "min": lambda *numbers: min(numbers),
}


def _bits(value: Fraction) -> int:
    return value.numerator.bit_length() + value.denominator.bit_length()


def _random_prime(bits: int) -> int:
    """A prime that nobody could know beforehand: to a fixed one answers could be fitted (Fermat)."""
    while True:
        number = secrets.randbits(bits) | (1 << (bits - 1)) | 1
        if all(number % small for small in (3, 5, 7, 11, 13)) and all(
            _passes_miller_rabin(number, secrets.randbelow(number - 3) + 2) for _ in range(20)
        ):
            return number


def _passes_miller_rabin(number: int, base: int) -> bool:
    odd = number - 1
    while not odd % 2:
        odd //= 2
    power = pow(base, odd, number)
    if power in (1, number - 1):
        return True
    while (odd := 2 * odd) < number - 1:
        power = power * power % number
        if power == number - 1:
            return True
    return False


_PRIME = _random_prime(128)


_SECRET = secrets.token_bytes(16)


def residues(one: Node, other: Node, names: list[str]) -> tuple[int, int] | None:
    """Both values modulo a prime, where both are rational functions; None for anything else.

    Rational functions that differ do so at all but a share of about degree / 2**128 of the points (Schwartz, Zippel).
    """
    point = _secret_point(names)
    try:
        return _residue(one, point), _residue(other, point)
    except (UndecidedError, ValueError):  # ValueError: a divisor that is zero there
        return None


def is_constant(node: Node) -> bool | None:
    """Whether a rational function has one value that is not zero; None for anything else."""
    names = sorted(tree.symbols(node))
    try:
        values = {_residue(node, _secret_point(names, salt)) for salt in range(3)}
    except (UndecidedError, ValueError):
        return None
    return len(values) == 1 and 0 not in values


def _secret_point(names: list[str], salt: int = 0) -> dict[str, int]:
    return {name: int.from_bytes(sha256(_SECRET + f"{salt}{name}".encode()).digest()) % _PRIME for name in names}


def _residue(node: Node, point: Mapping[str, int]) -> int:
    match node:
        case tree.Number(value):
            return value.numerator * pow(value.denominator, -1, _PRIME) % _PRIME
        case tree.Symbol(name):
            return point[name]
        case tree.Sum(terms):
            return sum(_residue(term, point) for term in terms) % _PRIME
        case tree.Product(factors):
            found = 1
            for factor in factors:
                found = found * _residue(factor, point) % _PRIME
            return found
        case tree.Power(base, exponent):
            power = exact(exponent)
            below = _residue(base, point)
            if power is not None and power.denominator == 1 and (below or power > 0):
                return pow(below, power.numerator, _PRIME)
        case tree.Call():
            if (known := exact(node)) is not None:
                return _residue(tree.Number(known), point)
    raise UndecidedError("no rational function")
