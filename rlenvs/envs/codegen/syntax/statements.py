"""Statements, and the two kinds of whole program: a function, and a script that reads lines and prints."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rlenvs.envs.codegen.syntax.builtin import LimitError, check_size
from rlenvs.envs.codegen.syntax.comprehensions import bound
from rlenvs.envs.codegen.syntax.expressions import BINARY, Expression, Item, Name, Scope

MAX_STEPS = 600  # statements that are run; right programs need a few hundred
STEPS = "steps left"  # in the scope: no program can have such a name


class _Returned(Exception):  # noqa: N818  # how a function ends, no error
    def __init__(self, value: Any) -> None:
        self.value = value


class Statement:
    """A piece of Python that does something."""

    __slots__ = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """As it is written, without indentation of its own."""
        raise NotImplementedError

    def run(self, scope: Scope) -> None:
        """Do it. Raises what Python would, and LimitError."""
        raise NotImplementedError


Body = tuple[Statement, ...]


def run_all(body: Body, scope: Scope) -> None:
    """Do one after the other."""
    for statement in body:
        scope[STEPS] -= 1
        if scope[STEPS] < 0:
            raise LimitError(f"more than {MAX_STEPS} steps")
        statement.run(scope)


def indented(body: Iterable[Statement]) -> tuple[str, ...]:
    """The lines of a block."""
    return tuple(f"    {line}" for statement in body for line in statement.lines)


@dataclass(frozen=True, slots=True)
class Assign(Statement):
    """`target = expression`; the target is a name or an item."""

    target: Name | Item
    expression: Expression

    @property
    def lines(self) -> tuple[str, ...]:  # noqa: D102
        return (f"{self.target.text} = {self.expression.text}",)

    def run(self, scope: Scope) -> None:  # noqa: D102
        _store(self.target, self.expression.value(scope), scope)


@dataclass(frozen=True, slots=True)
class Augment(Statement):
    """`target += expression`, or with another sign."""

    target: Name
    sign: str
    expression: Expression

    @property
    def lines(self) -> tuple[str, ...]:  # noqa: D102
        return (f"{self.target.text} {self.sign}= {self.expression.text}",)

    def run(self, scope: Scope) -> None:  # noqa: D102
        before, by = self.target.value(scope), self.expression.value(scope)
        check_size(before, self.sign, by)
        _store(self.target, BINARY[self.sign][1](before, by), scope)


@dataclass(frozen=True, slots=True)
class Together(Statement):
    """`a, b = first, second`: all sides are worked out before any is stored."""

    targets: tuple[Name, ...]
    expressions: tuple[Expression, ...]

    @property
    def lines(self) -> tuple[str, ...]:  # noqa: D102
        sides = (", ".join(each.text for each in side) for side in (self.targets, self.expressions))
        return (" = ".join(sides),)

    def run(self, scope: Scope) -> None:  # noqa: D102
        values = [each.value(scope) for each in self.expressions]
        for target, value in zip(self.targets, values, strict=True):
            _store(target, value, scope)


@dataclass(frozen=True, slots=True)
class Do(Statement):
    """A call for what it does."""

    expression: Expression

    @property
    def lines(self) -> tuple[str, ...]:  # noqa: D102
        return (self.expression.text,)

    def run(self, scope: Scope) -> None:  # noqa: D102
        self.expression.value(scope)


@dataclass(frozen=True, slots=True)
class Return(Statement):
    """The function's result."""

    expression: Expression

    @property
    def lines(self) -> tuple[str, ...]:  # noqa: D102
        return (f"return {self.expression.text}",)

    def run(self, scope: Scope) -> None:  # noqa: D102
        raise _Returned(self.expression.value(scope))


@dataclass(frozen=True, slots=True)
class If(Statement):
    """One block or another."""

    condition: Expression
    body: Body
    otherwise: Body = ()

    @property
    def lines(self) -> tuple[str, ...]:  # noqa: D102
        head = (f"if {self.condition.text}:", *indented(self.body))
        if not self.otherwise:
            return head
        if len(self.otherwise) == 1 and isinstance(self.otherwise[0], If):
            first, *others = self.otherwise[0].lines
            return (*head, f"el{first}", *others)
        return (*head, "else:", *indented(self.otherwise))

    def run(self, scope: Scope) -> None:  # noqa: D102
        run_all(self.body if self.condition.value(scope) else self.otherwise, scope)


@dataclass(frozen=True, slots=True)
class For(Statement):
    """A block for everything that is found in a source."""

    names: tuple[str, ...]
    source: Expression
    body: Body

    @property
    def lines(self) -> tuple[str, ...]:  # noqa: D102
        return (f"for {', '.join(self.names)} in {self.source.text}:", *indented(self.body))

    def run(self, scope: Scope) -> None:  # noqa: D102
        for found in self.source.value(scope):
            scope.update(bound(self.names, found))
            run_all(self.body, scope)


@dataclass(frozen=True, slots=True)
class While(Statement):
    """A block as long as a condition holds."""

    condition: Expression
    body: Body

    @property
    def lines(self) -> tuple[str, ...]:  # noqa: D102
        return (f"while {self.condition.text}:", *indented(self.body))

    def run(self, scope: Scope) -> None:  # noqa: D102
        while self.condition.value(scope):
            run_all(self.body, scope)


def _copied(value: Any) -> Any:
    """A JSON value of its own; an order of magnitude faster than `copy.deepcopy`, which is asked for everything."""
    if isinstance(value, list):
        return [_copied(item) for item in value]
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return value


def _store(target: Name | Item, value: Any, scope: Scope) -> None:
    if isinstance(target, Name):
        scope[target.name] = value
    else:
        target.receiver.value(scope)[target.index.value(scope)] = value


@dataclass(frozen=True, slots=True)
class Function:
    """A program that is one function."""

    name: str
    parameters: tuple[str, ...]
    body: Body

    @property
    def signature(self) -> str:
        """As it is called: `solve(a, b)`."""
        return f"{self.name}({', '.join(self.parameters)})"

    @property
    def text(self) -> str:
        """As it is written in Python, with a line end."""
        return "\n".join((f"def {self.signature}:", *indented(self.body), ""))

    def run(self, arguments: tuple[Any, ...]) -> Any:
        """What it returns; the arguments are left as they are. Raises what Python would, and LimitError."""
        scope: Scope = dict(zip(self.parameters, map(_copied, arguments), strict=True))
        scope[STEPS] = MAX_STEPS
        try:
            run_all(self.body, scope)
        except _Returned as returned:
            return returned.value
        return None


@dataclass(frozen=True, slots=True)
class Script:
    """A program that reads standard input with `input()` and prints."""

    body: Body

    @property
    def text(self) -> str:
        """As it is written in Python, with a line end."""
        return "\n".join((*(line for statement in self.body for line in statement.lines), ""))

    def run(self, arguments: tuple[str]) -> str:
        """What it prints when it reads this text. Raises what Python would, and LimitError."""
        printed: list[str] = []
        lines = iter(arguments[0].removesuffix("\n").split("\n") if arguments[0] else ())

        def read() -> str:
            line = next(lines, None)
            if line is None:
                raise EOFError
            return line

        def write(*parts: Any) -> None:
            printed.append(" ".join(map(str, parts)))

        scope: Scope = {"input": read, "print": write, STEPS: MAX_STEPS}
        run_all(self.body, scope)
        return "".join(f"{line}\n" for line in printed)


Routine = Function | Script
