"""What programs of the small Python may call, and how large values may grow."""

from collections.abc import Callable
from typing import Any

MAX_BITS = 512  # of an integer: a mutated program may square a number in a loop
SMALL = 2**32
MAX_ITEMS = 10_000  # of a list, a text or a range


class LimitError(Exception):
    """A program ran too long, or made something too large."""


def _range(*bounds: int) -> list[int]:
    made = range(*bounds)
    if len(made) > MAX_ITEMS:
        raise LimitError(f"a range of {len(made)}")
    return list(made)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "all": all,
    "any": any,
    "dict": dict,
    "divmod": divmod,
    "enumerate": lambda items, start=0: list(enumerate(items, start)),
    "int": int,
    "len": len,
    "list": list,
    "max": max,
    "min": min,
    "range": _range,
    "reversed": lambda items: list(reversed(items)),
    "set": set,
    "sorted": sorted,
    "str": str,
    "sum": sum,
    "zip": lambda *several: list(zip(*several, strict=False)),
}
"""What may be called by name. What Python gives piece by piece is a list here: programs cannot tell in a loop."""

TAKE_ALL = frozenset(["all", "any", "dict", "list", "max", "min", "set", "sorted", "sum"])
"""Functions that go through what they are given: a comprehension in one of them needs no brackets."""

METHODS: dict[type, frozenset[str]] = {
    str: frozenset(
        [
            *("upper", "lower", "title", "swapcase", "strip", "split", "join", "replace", "count", "find"),
            *("startswith", "endswith", "isdigit", "isalpha", "isupper", "islower"),
        ]
    ),
    list: frozenset(["append", "count", "index", "pop"]),
    dict: frozenset(["get", "items", "keys", "values", "setdefault"]),
}
"""What may be called on a value."""


def check_size(left: Any, sign: str, right: Any) -> None:
    """Refuse arithmetic whose result could be large.

    Raises:
        LimitError: it could.
    """
    if type(left) is int and type(right) is int and -SMALL < left < SMALL and -SMALL < right < SMALL:
        return
    for one, other in ((left, right), (right, left)):
        if isinstance(one, int) and one.bit_length() > MAX_BITS:
            raise LimitError("a large number")
        if sign == "*" and isinstance(one, str | list) and isinstance(other, int) and len(one) * other > MAX_ITEMS:
            raise LimitError("a long text or list")
    if sign == "+" and isinstance(left, str | list) and len(left) > MAX_ITEMS:
        raise LimitError("a long text or list")
