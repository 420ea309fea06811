"""The judge's side of a program: requests to it, and the values that it answers with."""

import sys
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any

from rlenvs_sandbox.inside.frames import EndedError, Stream, TooLongError
from rlenvs_sandbox.inside.raised import OfProgram, exception_kind
from rlenvs_sandbox.inside.stand_ins import alias, number_of, stand_in
from rlenvs_sandbox.inside.values import WireError, decoded, encoded

_NEVER = (StopIteration, StopAsyncIteration, GeneratorExit)  # they would end a loop of the tests, and look like its end
_MAX_CALLBACKS = 100_000
_CONVERSIONS = frozenset(["length", "int", "float", "hash"])


class UnsendableError(Exception):
    """The tests give the program what only they can have: no fault of the program's."""


class RemoteError(Exception):
    """An exception of the program's that is no built-in one, or one that tests must not mistake for their own."""

    by_program = True
    type = "Exception"


class Program:
    """A program that answers calls."""

    def __init__(self, stream: Stream, begun: Callable[[], None]) -> None:
        """Args:
        begun: told when the program is asked for the first time.
        """
        self._stream = stream
        self._begun = begun
        self._functions: list[Callable[..., Any]] = []  # of the judge's, that the program may call
        self._defined: dict[str, bool] = {}
        self.known: dict[int, Any] = {}  # stand-ins, and classes of exceptions, by the program's numbers
        self.num_requests = 0
        self.num_deeds = 0  # those of them that do more than to ask what number an object is
        self.num_calls = 0  # that came back, with a value or an exception
        self.has_values = False  # the tests: what they send may be of the program's making

    def wait(self) -> None:
        """Until the program's text has run.

        Raises:
            RemoteError: it raised an exception.
            EndedError: it has ended.
        """
        message = self._stream.receive()
        if not isinstance(message, dict):
            raise EndedError("it says something else than that it has run")
        if "raised" in message:
            raise _as_remote(message)

    def has(self, name: str) -> bool:
        """Whether the program defines a name."""
        if name not in self._defined:
            try:
                self.ask({"do": "truth", "name": name})
                self._defined[name] = True
            except EndedError:
                raise
            except Exception:
                self._defined[name] = False
        return self._defined[name]

    def value(self, name: str) -> Any:
        """What a name of the program stands for. A built-in type is called there, and not here."""
        found = self.ask({"do": "value", "name": name})
        if not isinstance(found, type) or issubclass(found, OfProgram):
            return found
        return alias(self, name)

    def ask(
        self, request: dict[str, Any], arguments: tuple[Any, ...] = (), keywords: dict[str, Any] | None = None
    ) -> Any:
        """Send a request, serve callbacks, and give what came of it.

        Raises:
            Exception: what the program raised, as a built-in exception or a `RemoteError`.
            TooLongError: the arguments or the value are longer than a message may be.
            EndedError: it has ended, or sends what is no reply.
        """
        if not self.num_requests:
            self._begun()
        self.num_requests += 1
        self.num_deeds += request["do"] not in _CONVERSIONS
        keywords = keywords or {}
        request |= _streams()
        self._stream.send(
            request
            | {"arguments": [self._sent(each) for each in arguments]}
            | {"keywords": {name: self._sent(each) for name, each in keywords.items()}}
        )
        for _ in range(_MAX_CALLBACKS):
            reply = self._stream.receive()
            self.has_values |= not _is_object(reply)
            if not isinstance(reply, dict) or "callback" not in reply:
                break
            self._stream.send(self._called_back(reply))
        self.num_calls += request["do"] == "call"
        try:
            if "too_long" in reply:
                raise TooLongError(str(reply["too_long"])[:100])
            if "raised" in reply:
                raise self._exception(reply)
            if "captures" in request:
                sys.stdout.write(str(reply.get("printed", "")))
            given = {str(place): each for place, each in (dict(enumerate(arguments)) | keywords).items()}
            for place, now in reply.get("changed", {}).items():
                _change(given[place], self._received(now))
            value = given[str(reply["same"])] if "same" in reply else self._received(reply["value"])
        except (WireError, LookupError, TypeError, AttributeError) as error:
            if getattr(error, "by_program", False):
                raise
            raise EndedError(f"no reply: {error}") from error
        return value

    def _called_back(self, message: dict[str, Any]) -> dict[str, Any]:
        number = message["callback"]
        if not isinstance(number, int) or not -len(self._functions) <= number < 0:
            raise EndedError("a call of a function that was never given")
        try:
            function = self._functions[-1 - number]
            return {"value": self._sent(function(*(self._received(each) for each in message["arguments"])))}
        except EndedError:
            raise
        except Exception as error:
            return {"raised": type(error).__name__, "text": str(error)[:300]}

    def _sent(self, value: Any) -> Any:
        try:
            return encoded(value, self._number_of)
        except WireError as error:
            if self.has_values:
                raise
            raise UnsendableError(str(error)) from error

    def _number_of(self, value: Any) -> int:
        """The program's number of one of its objects; a new one below zero for what the tests give it to call."""
        number = number_of(value)
        if number is not None:
            return number
        if isinstance(value, Iterator):
            value = partial(_one_of, value)
        elif not callable(value) or isinstance(value, type):
            error = f"a {type(value).__name__} of the tests cannot be sent to the program"
            raise (
                WireError(error) if isinstance(value, BaseException) else UnsendableError(error)
            )  # it may have raised it
        self._functions.append(value)
        return -len(self._functions)

    def _received(self, data: Any) -> Any:
        return decoded(data, partial(stand_in, self))

    def _exception(self, reply: dict[str, Any]) -> BaseException:
        """What the program raised, as tests may expect it."""
        arguments = self._received(reply["arguments"]) if "arguments" in reply else [reply.get("text", "")]
        kind = exception_kind(self, reply["raised"])
        if not issubclass(kind, Exception | SystemExit) or issubclass(kind, _NEVER):
            return _as_remote(reply)
        try:
            error = kind.__new__(kind, *arguments)
            if isinstance(error, OfProgram):
                error.become(self, int(reply["object"]))
            else:
                error.__init__(*arguments)  # type: ignore[misc]
        except Exception:  # the program may say anything of its arguments
            return _as_remote(reply)
        error.__dict__["by_program"] = True  # a built-in one has no such class
        return error


def _streams() -> dict[str, Any]:
    """What the tests do with streams: they keep what is printed, or give what is read."""
    found: dict[str, Any] = {"captures": True} if sys.stdout is not sys.__stdout__ else {}
    if sys.stdin is not sys.__stdin__ and (text := sys.stdin.read()):
        found["stdin"] = text
    return found


def _one_of(iterator: Iterator[Any]) -> list[Any]:
    return list(islice(iterator, 1))


def _is_object(reply: Any) -> bool:
    """Whether a reply is nothing but the number of an object."""
    value = reply.get("value") if isinstance(reply, dict) and len(reply) == 1 else None
    return isinstance(value, dict) and "object" in value and "plain" not in value


def _change(argument: Any, now: Any) -> None:
    """Give an argument the value that the program's own copy has got."""
    if type(argument) is not type(now):
        return
    if isinstance(argument, list | bytearray):
        argument[:] = now
    elif isinstance(argument, set | dict | deque):
        argument.clear()
        (argument.extend if isinstance(argument, deque) else argument.update)(now)


def _as_remote(reply: dict[str, Any]) -> RemoteError:
    error = RemoteError(str(reply.get("text", ""))[:1000])
    error.type = str(reply.get("type", "Exception"))[:100]
    return error
