"""The functions that have values, by name: what they take, and how large it may be."""

import math
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from rlenvs.verifiers.values.rational import UndecidedError, UndefinedError

_MAX_FACTORIAL = 10**12
_MAX_WHOLE = 10**60  # of what is turned into a whole number
_MAX_ARGUMENT = 10**40  # of a periodic function, whose period must be known to as many digits


def applied(context: Any, name: str, arguments: list[Any]) -> Any:
    """The value of a function; of one that nobody defines, a value that it could have.

    Raises:
        UndecidedError: the arguments are too large, or it has no value there.
    """
    if name in _PERIODIC and abs(arguments[0]) > _MAX_ARGUMENT:
        raise UndecidedError(f"too large an argument of {name}")
    if name in _OF_ONE and len(arguments) == 1:
        return getattr(context, _OF_ONE[name])(arguments[0])
    if name in _OTHERS:
        return _OTHERS[name](context, *arguments)
    return _undefined(context, name, arguments)


def lost_digits(name: str, arguments: list[Any]) -> int:
    """How many binary digits of an argument its value hides: tanh x is 1 but for e^{-2x}."""
    return int(3 * abs(arguments[0])) if name in _EXPONENTIAL else 0


_EXPONENTIAL = frozenset(["sinh", "cosh", "tanh", "coth", "sech", "csch"])
_PERIODIC = frozenset(["sin", "cos", "tan", "cot", "sec", "csc", *_EXPONENTIAL])
_OF_ONE = {
    **{name: name for name in ("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth")},
    **{name: name for name in ("sech", "csch", "log")},
    "ln": "log",
    **{f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh")},
}


def is_imaginary(value: Any) -> bool:
    """Whether it has an imaginary part."""
    return bool(getattr(value, "imag", 0) != 0)


def _real(value: Any) -> Any:
    if is_imaginary(value):
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


def _too_large() -> Any:
    raise UndecidedError("too large a factorial")


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
    "mod": lambda context, number, modulus: number - modulus * context.floor(_real(number / modulus)),
    "factorial": _factorial,
    "factorial2": lambda context, number: context.fac2(number) if abs(number) <= _MAX_FACTORIAL else _too_large(),
    "binomial": _binomial,
}

KNOWN = frozenset((*_OF_ONE, *_OTHERS, "det", "pm", "mp"))
"""The functions that have values here."""
