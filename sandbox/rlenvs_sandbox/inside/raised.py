"""What tests catch of a program's exceptions: classes that stand for the program's, and attributes that are its."""

import builtins
from typing import TYPE_CHECKING, Any

from rlenvs_sandbox.inside.attributes import is_hidden

if TYPE_CHECKING:
    from rlenvs_sandbox.inside.program import Program


class OfProgram(BaseException):
    """What exceptions of the program's own classes have in common: attributes and text are the program's."""

    by_program = True
    _program: "Program"
    _number: int

    def __init__(self, *arguments: Any) -> None:
        """Made by the tests: the program makes one, too."""
        kind = type(self)
        made = kind._program.ask({"do": "call", "object": kind.__dict__["_number"]}, arguments)
        self.become(kind._program, made._number)

    def become(self, program: "Program", number: int) -> None:
        """Stand for an exception of the program's."""
        self.__dict__.update(_program=program, _number=number)

    def __getattr__(self, name: str) -> Any:
        if is_hidden(name):
            raise AttributeError(name)
        return self._program.ask({"do": "attribute", "object": self._number}, (name,))

    def __str__(self) -> str:
        return str(self._program.ask({"do": "text", "object": self._number}))


def exception_kind(program: "Program", data: dict[str, Any]) -> type[BaseException]:
    """A class of exceptions that tests can catch: a built-in one, or what stands for one of the program's.

    Args:
        data: as `values.exception_kinds` writes it.

    Raises:
        TypeError: there is no built-in class of exceptions of that name.
    """
    found = getattr(builtins, str(data["built_in"]), None)
    if not isinstance(found, type) or not issubclass(found, BaseException):
        raise TypeError(f"no exception: {data['built_in']!r}")
    kind: type[BaseException] = found
    for name, number in reversed(data["own"]):
        known = program.known.get(number)
        if not isinstance(known, type):
            bases = (kind,) if issubclass(kind, OfProgram) else (OfProgram, kind)
            known = program.known[number] = type(str(name)[:100], bases, {"_program": program, "_number": number})
        kind = known
    return kind
