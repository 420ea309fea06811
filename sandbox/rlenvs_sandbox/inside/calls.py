"""The program's side of its judge's calls: what they name is called, and what comes of it is sent back.

All of this runs in the program's process, where a program may change it at will: it can say what it likes, and no
more than a wrong answer comes of that.
"""

import builtins
import contextlib
import io
import itertools
import operator
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from rlenvs_sandbox.inside.frames import EndedError, Stream, TooLongError
from rlenvs_sandbox.inside.values import decoded, encoded, exception_kinds

_MUTABLE = (list, dict, set, bytearray, deque)


class Server:
    """Serves the calls of a judge until it closes the stream."""

    def __init__(self, file: int) -> None:
        self._stream = Stream(file)
        self._module: ModuleType
        self._objects: list[Any] = []
        self._numbers: dict[int, int] = {}  # of objects by their ids, which stay theirs: objects are kept
        self._owner = os.getpid()

    def serve(self, module: ModuleType, raised: BaseException | None) -> None:
        """Say that the text has run, or what it raised; then answer every request."""
        self._module = module
        try:
            self._stream.send({"ready": True} if raised is None else self._raised(raised))
            while raised is None:
                self._reply_to(self._stream.receive())
        except EndedError:
            return

    def _reply_to(self, request: dict[str, Any]) -> None:
        """Answer a request; in a process that the program has forked, nothing is said.

        Raises:
            EndedError: that process is not the one that was asked, or the judge is gone.
        """
        try:
            reply = self._answer(request)
        except BaseException as error:
            reply = self._raised(error)
        if os.getpid() != self._owner:
            raise EndedError("a forked process")
        try:
            self._stream.send(reply)
        except TooLongError as error:
            self._stream.send({"too_long": str(error)})

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        target = self._target(request)
        written = dict(enumerate(request.get("arguments", ()))) | request.get("keywords", {})
        given = {place: self._decoded(each) for place, each in written.items()}
        arguments = [each for place, each in given.items() if isinstance(place, int)]
        keywords = {place: each for place, each in given.items() if isinstance(place, str)}
        if "stdin" in request:
            sys.stdin = io.StringIO(request["stdin"])
        said = io.StringIO()
        with contextlib.redirect_stdout(said) if request.get("captures") else contextlib.nullcontext():
            value = _OPERATIONS[request["do"]](target, *arguments, **keywords)
        mutable = {place: each for place, each in given.items() if isinstance(each, _MUTABLE)}
        changed = {}
        for place, each in mutable.items():
            now = encoded(each, self._hold)
            if now != written[place]:
                changed[place] = now
        same = next((place for place, each in mutable.items() if each is value), None)
        reply = {"value": encoded(value, self._hold)} if same is None else {"same": same}
        told = {"changed": changed, "printed": said.getvalue()}
        return reply | {name: value for name, value in told.items() if value}

    def _target(self, request: dict[str, Any]) -> Any:
        if "object" in request:
            return self._objects[request["object"]]
        name = request["name"]
        if name not in self._module.__dict__:
            raise NameError(f"name {name!r} is not defined")
        return self._module.__dict__[name]

    def _hold(self, value: Any) -> int:
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self._objects)
            self._objects.append(value)
        return self._numbers[id(value)]

    def _decoded(self, data: Any) -> Any:
        return decoded(data, self._own)

    def _own(self, data: dict[str, Any], _plain: Any) -> Any:
        """The object that a number stands for; below zero, a function or an iterator of the judge's."""
        number = data["object"]
        if number >= 0:
            return self._objects[number]
        function = _Callback(self, number)
        return _items(function) if data.get("is") == "iterator" else function

    def _raised(self, error: BaseException) -> dict[str, Any]:
        """An exception: what kind it is, what it was made of, what it says, and the number that stands for it."""
        try:
            text = str(error)[:1000]
        except BaseException:
            text = ""
        error.__traceback__ = None  # it is kept, and nothing of what its frames hold
        kinds = exception_kinds(type(error), self._hold)
        reply = {"raised": kinds, "text": text, "type": type(error).__name__, "object": self._hold(error)}
        try:
            written = encoded(list(error.args), self._hold)
            return reply if len(str(written)) > _MAX_ARGUMENTS else reply | {"arguments": written}
        except BaseException:
            return reply


_MAX_ARGUMENTS = 10_000  # characters


class _Callback:
    """A function of the judge's, among the arguments of a call."""

    def __init__(self, server: Server, number: int) -> None:
        self._server = server
        self._number = number

    def __call__(self, *arguments: Any) -> Any:
        server = self._server
        server._stream.send(
            {"callback": self._number, "arguments": [encoded(each, server._hold) for each in arguments]}
        )
        while "do" in (reply := server._stream.receive()):  # the function asks for what it was given
            server._reply_to(reply)
        if "raised" in reply:
            raise getattr(builtins, reply["raised"], RuntimeError)(reply.get("text", ""))
        return server._decoded(reply["value"])


def _items(some: Callable[[], list[Any]]) -> Iterator[Any]:
    while found := some():
        yield from found


def _next(iterator: Any, count: int) -> Any:
    """Some more values of an iterator, and whether that was all; or what it raised behind them."""
    found: list[Any] = []
    try:
        found.extend(itertools.islice(iterator, count))
    except BaseException as error:
        return [found, error]
    return [found, len(found) < count]


def _raise(error: BaseException) -> Any:
    raise error


async def _result(awaitable: Any) -> Any:
    return await awaitable


def _awaited(awaitable: Any) -> Any:
    import asyncio

    return asyncio.run(_result(awaitable))


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "value": lambda target: target,
    "call": lambda target, *arguments, **keywords: target(*arguments, **keywords),
    "attribute": getattr,
    "set": setattr,
    "item": lambda target, key: target[key],
    "put": lambda target, key, value: target.__setitem__(key, value),
    "iterate": iter,
    "next": _next,
    "raise": _raise,
    "drop": lambda target, key: target.__delitem__(key),
    "length": len,
    "int": int,
    "float": float,
    "hash": hash,
    "enter": lambda target: target.__enter__(),
    "exit": lambda target: target.__exit__(None, None, None),
    "await": _awaited,
    "operate": lambda target, name, other: getattr(operator, name)(target, other),
    "truth": bool,
    "text": str,
    "repr": repr,
    "equal": lambda target, other: target == other,
    "is_kind": isinstance,
    "is_subclass": issubclass,
}
