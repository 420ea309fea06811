"""Values as JSON, between a program and its judge, who trusts nothing that the program says.

Plain values arrive as they are: numbers, text, bytes, lists, tuples, sets, dicts and a few of the standard library. A
subclass arrives as its base, with the object behind it for its attributes; anything else as a number that stands for
the object.
"""

import builtins
import sys
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from importlib import import_module
from types import CoroutineType
from typing import Any

_MAX_DEPTH = 300
_LONG = 1 << 53  # beyond it whole numbers are written in hexadecimal: decimal takes quadratic time

Held = Callable[[Any], int]
"""Keeps an object, and gives the number that stands for it."""
Met = Callable[[dict[str, Any], Any], Any]
"""What one side has for an object of the other's: given what was written of it, and its plain value, if it has one."""


class WireError(ValueError):
    """What came is no value, or what was to be sent is too deep."""


def encoded(value: Any, held: Held, depth: int = 0) -> Any:
    """A value as what JSON can hold.

    Raises:
        WireError: it is nested too deeply.
    """
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        return value if -_LONG < value < _LONG else {"int": hex(value)}
    if kind is float:
        return value if value - value == 0 else {"float": repr(value)}
    if depth > _MAX_DEPTH:
        raise WireError(f"a value nested more than {_MAX_DEPTH} deep")
    if kind is list:
        return [encoded(item, held, depth + 1) for item in value]
    if kind in _WRITTEN:
        return {kind.__name__: _WRITTEN[kind](value)}
    if _is_of_the_library(kind):
        return {kind.__name__: _OF_THE_LIBRARY[kind.__name__][1](value)}
    if kind in _CONTAINERS:
        return {kind.__name__: [encoded(item, held, depth + 1) for item in value]}
    if kind in _MAPPINGS:
        pairs = [[encoded(key, held, depth + 1), encoded(item, held, depth + 1)] for key, item in value.items()]
        return {kind.__name__: pairs}
    name = getattr(value, "__name__", None)
    if isinstance(value, type) and getattr(builtins, str(name), None) is value:
        return {"builtin": name}
    number_of = getattr(value, "item", None)
    if type(value).__module__ == "numpy" and number_of is not None and getattr(value, "ndim", 1) == 0:
        return encoded(number_of(), held, depth + 1)
    return _object(value, held, depth)


def _object(value: Any, held: Held, depth: int) -> dict[str, Any]:
    """What stands for an object; with the value of the plain type that it is a kind of, and what else it is."""
    found: dict[str, Any] = {"object": held(value), "kind": type(value).__name__}
    base = next((base for base in _BASES if isinstance(value, base)), None)
    if base is not None:
        return found | {"plain": encoded(_PLAIN[base](value), held, depth + 1)}
    if isinstance(value, type) and issubclass(value, BaseException):
        return found | {"exception": exception_kinds(value, held)}
    if isinstance(value, CoroutineType | Iterator):
        return found | {"is": "coroutine" if isinstance(value, CoroutineType) else "iterator"}
    return found


def exception_kinds(kind: type[BaseException], held: Held) -> dict[str, Any]:
    """The closest built-in class of a class of exceptions, and its own ones with their numbers, the closest first."""
    built_in = [each for each in kind.__mro__ if getattr(builtins, each.__name__, None) is each]
    own = [each for each in kind.__mro__ if each not in built_in and issubclass(each, BaseException)]
    return {"built_in": built_in[0].__name__, "own": [[each.__name__, held(each)] for each in own]}


def decoded(data: Any, met: Met, depth: int = 0) -> Any:
    """The value that came.

    Raises:
        WireError: that is no value.
    """
    if data is None or isinstance(data, bool | int | float | str):
        return data
    if depth > 2 * _MAX_DEPTH:
        raise WireError("a value that is nested too deeply")
    if isinstance(data, list):
        return [decoded(item, met, depth + 1) for item in data]
    if "object" in data:
        return met(data, decoded(data["plain"], met, depth + 1) if "plain" in data else None)
    try:
        ((kind, written),) = data.items()
        if kind in _READ:
            return _READ[kind](written)
        if kind in _OF_THE_LIBRARY:
            module, _, read = _OF_THE_LIBRARY[kind]
            return read(getattr(import_module(module), kind), written)
        if kind in _NAMED_MAPPINGS:
            pairs = {decoded(k, met, depth + 1): decoded(v, met, depth + 1) for k, v in written}
            return pairs if kind == "dict" else _NAMED_MAPPINGS[kind](pairs)
        if kind in _NAMED_CONTAINERS:
            return _NAMED_CONTAINERS[kind]([decoded(item, met, depth + 1) for item in written])
    except WireError:
        raise
    except Exception as error:  # the program may write anything
        raise WireError(f"no value: {error}") from error
    raise WireError(f"no kind of value: {kind!r}")


def _index(value: Any) -> int | None:
    if value is not None and type(value) is not int:
        raise WireError(f"a slice from or to a {type(value).__name__}")
    return value


def _builtin_type(name: str) -> type:
    found = getattr(builtins, name)
    if not isinstance(found, type):
        raise WireError(f"no type: {name!r}")
    return found


_PLAIN: dict[type, Callable[[Any], Any]] = {  # by the methods of the base: those of the class may say anything
    int: lambda value: int.__add__(value, 0),
    float: lambda value: float.__add__(value, 0.0),
    complex: lambda value: complex.__add__(value, 0),
    str: str.__str__,
    bytes: lambda value: bytes(memoryview(value)),
    bytearray: lambda value: bytearray(memoryview(value)),
    list: lambda value: list.__getitem__(value, slice(None)),
    tuple: lambda value: tuple.__getitem__(value, slice(None)),
    set: lambda value: set(set.__iter__(value)),
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
    dict: lambda value: dict(dict.items(value)),
    deque: lambda value: deque(deque.__iter__(value)),
}
_BASES = tuple(_PLAIN)
_VIEWS: dict[type, Callable[[Any], Any]] = {
    type({}.keys()): lambda items: dict.fromkeys(items).keys(),
    type({}.values()): lambda items: dict(enumerate(items)).values(),
    type({}.items()): lambda items: dict(items).items(),
}
_CONTAINERS = (tuple, set, frozenset, deque, *_VIEWS)
_NAMED_CONTAINERS: dict[str, Callable[[Any], Any]] = {kind.__name__: _VIEWS.get(kind, kind) for kind in _CONTAINERS}
_MAPPINGS = (dict, Counter, OrderedDict)
_NAMED_MAPPINGS: dict[str, Callable[[Any], Any]] = {kind.__name__: kind for kind in _MAPPINGS}
_WRITTEN: dict[type, Callable[[Any], Any]] = {
    bytes: bytes.hex,
    bytearray: bytearray.hex,
    complex: lambda value: [repr(value.real), repr(value.imag)],
    range: lambda value: [hex(value.start), hex(value.stop), hex(value.step)],
    slice: lambda value: [_index(each) for each in (value.start, value.stop, value.step)],
    type(Ellipsis): lambda _: None,
    type(NotImplemented): lambda _: None,
}
_READ: dict[str, Callable[[Any], Any]] = {
    "int": lambda written: int(written, 16),
    "float": float,
    "bytes": bytes.fromhex,
    "bytearray": bytearray.fromhex,
    "complex": lambda written: complex(float(written[0]), float(written[1])),
    "range": lambda written: range(*(int(each, 16) for each in written)),
    "slice": lambda written: slice(*(_index(each) for each in written)),
    "ellipsis": lambda _: ...,
    "NotImplementedType": lambda _: NotImplemented,
    "builtin": _builtin_type,
}

_Library = tuple[str, Callable[[Any], Any], Callable[[Any, Any], Any]]
_OF_THE_LIBRARY: dict[str, _Library] = {  # name: its module, how it is written, how it is made of what was written
    "Fraction": (
        "fractions",
        lambda value: [hex(value.numerator), hex(value.denominator)],
        lambda kind, written: kind(int(written[0], 16), int(written[1], 16)),
    ),
    "Decimal": ("decimal", str, lambda kind, written: kind(written)),
    "datetime": ("datetime", lambda value: value.isoformat(), lambda kind, written: kind.fromisoformat(written)),
    "date": ("datetime", lambda value: value.isoformat(), lambda kind, written: kind.fromisoformat(written)),
    "time": ("datetime", lambda value: value.isoformat(), lambda kind, written: kind.fromisoformat(written)),
    "timedelta": (
        "datetime",
        lambda value: [value.days, value.seconds, value.microseconds],
        lambda kind, written: kind(*written),
    ),
    "PosixPath": ("pathlib", str, lambda kind, written: kind(written)),
    "array": ("array", lambda value: [value.typecode, value.tolist()], lambda kind, written: kind(*written)),
}


def _is_of_the_library(kind: type) -> bool:
    """Whether a type is one of these; their modules are imported when there is a value of them, and not before."""
    module = _OF_THE_LIBRARY.get(kind.__name__, ("",))[0]
    return bool(module) and getattr(sys.modules.get(module), kind.__name__, None) is kind
