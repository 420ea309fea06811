"""What the tests have of a program's objects: attributes, items and calls of a stand-in are the program's.

A stand-in never compares itself with a value of the tests, nor sends one to be compared: the program would learn what
is expected, or say that it is equal. Of two of the program's own objects the program says whether they are equal.
"""

from collections import deque
from collections.abc import Callable, Iterator
from functools import cache
from types import CoroutineType
from typing import TYPE_CHECKING, Any

from rlenvs_sandbox.inside.attributes import is_hidden
from rlenvs_sandbox.inside.raised import OfProgram, exception_kind

if TYPE_CHECKING:
    from rlenvs_sandbox.inside.program import Program


class StandIn:
    """What all stand-ins do: attributes are the program's."""

    _program: "Program"
    _number: int

    def _ask(self, do: str, *arguments: Any, **keywords: Any) -> Any:
        return self._program.ask({"do": do, "object": self._number}, arguments, keywords)

    def __getattr__(self, name: str) -> Any:
        if is_hidden(name):
            raise AttributeError(name)
        return self._ask("attribute", name)


class _Object(StandIn):
    """An object of the program's that is of no plain kind."""

    _items: deque[Any]  # of an iterator: what has come of it and is not taken
    _end: Any  # False: there may be more behind; True: there is not; else the exception that is next

    def _converted(self, to: str) -> Any:
        """What it is as a number: the same until the tests do something else with the program than to convert.

        Else it could be another number each time that one expression needs it, and so fit what no number does.
        """
        kept: dict[str, tuple[int, Any]] = self.__dict__.setdefault("_kept", {})
        if to not in kept or kept[to][0] != self._program.num_deeds:
            kept[to] = (self._program.num_deeds, self._ask(to))
        return kept[to][1]

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Call it, where it is a function, a method or a class."""
        return self._ask("call", *arguments, **keywords)

    def __setattr__(self, name: str, value: Any) -> None:
        self._ask("set", name, value)

    def __iter__(self) -> Iterator[Any]:
        iterator = self._ask("iterate")
        return iterator._taken() if isinstance(iterator, _Object) else iter(iterator)

    def __next__(self) -> Any:
        for value in self._taken():
            return value
        raise StopIteration

    def _taken(self) -> Iterator[Any]:
        """What an iterator gives: one at a time at first, as the program may see when it is asked."""
        count = 1
        while self._items or self._end is not True:
            if self._items:
                yield self._items.popleft()
            elif self._end is False:
                items, self.__dict__["_end"] = self._ask("next", count)
                self._items.extend(items)
                count = min(2 * count, _CHUNK)
            else:
                error, self.__dict__["_end"] = self._end, True
                error._ask("raise")

    def __getitem__(self, key: Any) -> Any:
        return self._ask("item", key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._ask("put", key, value)

    def __delitem__(self, key: Any) -> None:
        self._ask("drop", key)

    def __enter__(self) -> Any:
        return self._ask("enter")

    def __exit__(self, *_: object) -> None:
        """What was raised is not told, and never swallowed: it may be a failed test."""
        self._ask("exit")

    def __len__(self) -> int:
        return int(self._converted("length"))

    def __bool__(self) -> bool:
        return self._ask("truth") is True

    def __int__(self) -> int:
        return int(self._converted("int"))

    def __float__(self) -> float:
        return float(self._converted("float"))

    def __str__(self) -> str:
        return str(self._ask("text"))

    def __repr__(self) -> str:
        return str(self._ask("repr"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Object) and (self._number == other._number or self._ask("equal", other) is True)

    def __hash__(self) -> int:
        return int(self._converted("hash"))

    def __instancecheck__(self, value: object) -> bool:
        return isinstance(value, StandIn) and value._ask("is_kind", self) is True

    def __subclasscheck__(self, kind: object) -> bool:
        return isinstance(kind, StandIn) and kind._ask("is_subclass", self) is True


_CHUNK = 100


def _between_own(name: str) -> Callable[[_Object, object], Any]:
    """An operator, which the program applies to two objects of its own, and never to a value of the tests."""

    def operate(self: _Object, other: object) -> Any:
        return self._ask("operate", name, other) if isinstance(other, StandIn) else NotImplemented

    return operate


for _name in (
    "add",
    "sub",
    "mul",
    "matmul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "and",
    "or",
    "xor",
    "lt",
    "le",
    "gt",
    "ge",
):
    setattr(_Object, f"__{_name}__", _between_own(f"__{_name}__"))


class _Alias(_Object):
    """Another name for a built-in type."""

    _name: str

    def _ask(self, do: str, *arguments: Any, **keywords: Any) -> Any:
        return self._program.ask({"do": do, "name": self._name}, arguments, keywords)


class _Text(StandIn, str):
    """Text of a class of the program's."""


class _Int(StandIn, int):
    """A whole number of a class of the program's."""


class _Float(StandIn, float):
    """A number of a class of the program's."""


class _Complex(StandIn, complex):
    """A complex number of a class of the program's."""


class _Bytes(StandIn, bytes):
    """Bytes of a class of the program's."""


class _List(StandIn, list[Any]):
    """A list of a class of the program's."""


class _Tuple(StandIn, tuple[Any, ...]):
    """A tuple of a class of the program's: of a named one too."""


class _Set(StandIn, set[Any]):
    """A set of a class of the program's."""


class _FrozenSet(StandIn, frozenset[Any]):
    """A frozen set of a class of the program's."""


class _Dict(StandIn, dict[Any, Any]):
    """A dict of a class of the program's: one with defaults too."""

    def __missing__(self, key: Any) -> Any:
        return self._ask("item", key)


class _Deque(StandIn, deque[Any]):
    """A deque of a class of the program's."""


_KINDS: dict[type, Callable[[Any], StandIn]] = {
    str: _Text, int: _Int, float: _Float, complex: _Complex, bytes: _Bytes, list: _List, tuple: _Tuple, set: _Set,
    frozenset: _FrozenSet, dict: _Dict, deque: _Deque,
}  # fmt: skip


def stand_in(program: "Program", data: dict[str, Any], plain: Any) -> Any:
    """What stands for an object of the program's: of the plain kind that it is one of, if it is."""
    number = int(data["object"])
    if type(plain) in _KINDS:
        made: StandIn = _KINDS[type(plain)](plain)
        made.__dict__.update(_program=program, _number=number)
        return made
    if number not in program.known:
        if "exception" in data:
            exception_kind(program, data["exception"])
        else:
            made = _kind_named(str(data.get("kind", "object"))[:100])()
            made.__dict__.update(_program=program, _number=number, _items=deque(), _end=False)
            program.known[number] = made
    found = program.known[number]
    return _awaitable(found) if data.get("is") == "coroutine" else found


@cache
def _kind_named(name: str) -> type[_Object]:
    """A class for the stand-ins of a class of the program's, with its name, and documentation that is the object's."""
    return type(name, (_Object,), {"__doc__": property(lambda self: self._ask("attribute", "__doc__"))})


async def _awaitable(found: _Object) -> Any:
    return found._ask("await")


def number_of(value: Any) -> int | None:
    """The program's number of what stands for one of its objects; None: it does not."""
    if isinstance(value, CoroutineType) and value.cr_code is _awaitable.__code__ and value.cr_frame is not None:
        value = value.cr_frame.f_locals["found"]
    if isinstance(value, StandIn | OfProgram) or (isinstance(value, type) and issubclass(value, OfProgram)):
        return value.__dict__.get("_number")
    return None


def alias(program: "Program", name: str) -> StandIn:
    """What stands for a built-in type that the program has under a name."""
    made = _Alias()
    made.__dict__.update(_program=program, _number=0, _name=name)
    return made
