"""Expressions: names, constants, operators, comparisons, calls, items and slices.

`and`, `or` and choices are in `logic`, comprehensions in `comprehensions`, what may be called in `builtin`, statements
in `statements`.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from rlenvs.envs.codegen.syntax.builtin import FUNCTIONS, METHODS, TAKE_ALL, check_size

Scope = dict[str, Any]
"""The names of a running program and their values."""

# How strongly an expression holds together: brackets go around one that holds less strongly than its place demands.
CHOICE, OR, AND, COMPARISON, SUM, PRODUCT, SIGN, ATOM = range(1, 9)


class Expression:
    """A piece of Python that has a value. Operators on expressions make larger ones."""

    __slots__ = ()
    binding: ClassVar[int] = ATOM
    __iter__ = None  # there is `__getitem__`, and Python would try to go through it

    @property
    def text(self) -> str:
        """As it is written in Python."""
        raise NotImplementedError

    def value(self, scope: Scope) -> Any:
        """What it is worth where names have these values. Raises what Python would."""
        raise NotImplementedError

    def within(self, binding: int) -> str:
        """Its text, in brackets unless it holds together at least this strongly."""
        return self.text if self.strength >= binding else f"({self.text})"

    @property
    def strength(self) -> int:
        """How strongly it holds together."""
        return self.binding

    def __add__(self, other: Any) -> "Expression":
        return Binary(self, "+", lifted(other))

    def __sub__(self, other: Any) -> "Expression":
        return Binary(self, "-", lifted(other))

    def __mul__(self, other: Any) -> "Expression":
        return Binary(self, "*", lifted(other))

    def __floordiv__(self, other: Any) -> "Expression":
        return Binary(self, "//", lifted(other))

    def __mod__(self, other: Any) -> "Expression":
        return Binary(self, "%", lifted(other))

    def __neg__(self) -> "Expression":
        return Negative(self)

    def __getitem__(self, index: Any) -> "Expression":
        if isinstance(index, slice):
            start, stop, step = (
                None if part is None else lifted(part) for part in (index.start, index.stop, index.step)
            )
            return Slice(self, start, stop, step)
        return Item(self, lifted(index))

    def is_(self, sign: str, other: Any) -> "Compare":
        """A comparison: `x.is_("<", 3)`."""
        return Compare(self, sign, lifted(other))

    def method(self, name: str, *arguments: Any) -> "Method":
        """A call of one of its methods."""
        return Method(self, name, tuple(map(lifted, arguments)))


def lifted(value: Any) -> Expression:
    """An expression as it is; anything else as a constant."""
    return value if isinstance(value, Expression) else Constant(value)


def call(function: str, *arguments: Any, **keywords: Any) -> "Call":
    """A call of a built-in function."""
    return Call(function, tuple(map(lifted, arguments)), tuple((name, lifted(v)) for name, v in keywords.items()))


@dataclass(frozen=True, slots=True)
class Constant(Expression):
    """A number, a text, True, False or None."""

    held: int | str | bool | None

    @property
    def text(self) -> str:  # noqa: D102
        is_plain = isinstance(self.held, str) and self.held.isprintable() and not set(self.held) & {'"', "\\"}
        return f'"{self.held}"' if is_plain else repr(self.held)

    @property
    def strength(self) -> int:  # noqa: D102
        return SIGN if isinstance(self.held, int) and self.held < 0 else ATOM

    def value(self, scope: Scope) -> Any:  # noqa: D102, ARG002
        return self.held


@dataclass(frozen=True, slots=True)
class Name(Expression):
    """A variable."""

    name: str

    @property
    def text(self) -> str:  # noqa: D102
        return self.name

    def value(self, scope: Scope) -> Any:  # noqa: D102
        if self.name not in scope:
            raise NameError(self.name)
        return scope[self.name]


BINARY: dict[str, tuple[int, Callable[[Any, Any], Any]]] = {
    "+": (SUM, operator.add),
    "-": (SUM, operator.sub),
    "*": (PRODUCT, operator.mul),
    "//": (PRODUCT, operator.floordiv),
    "%": (PRODUCT, operator.mod),
}


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    """Arithmetic with two sides."""

    left: Expression
    sign: str
    right: Expression

    @property
    def strength(self) -> int:  # noqa: D102
        return BINARY[self.sign][0]

    @property
    def text(self) -> str:  # noqa: D102
        strength = self.strength
        return f"{self.left.within(strength)} {self.sign} {self.right.within(strength + 1)}"

    def value(self, scope: Scope) -> Any:  # noqa: D102
        left, right = self.left.value(scope), self.right.value(scope)
        if self.sign == "%" and isinstance(left, str):
            raise TypeError("texts are not formatted with %")
        check_size(left, self.sign, right)
        return BINARY[self.sign][1](left, right)


COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "in": lambda item, items: item in items,
    "not in": lambda item, items: item not in items,
}


@dataclass(frozen=True, slots=True)
class Compare(Expression):
    """A comparison."""

    left: Expression
    sign: str
    right: Expression
    binding = COMPARISON

    @property
    def text(self) -> str:  # noqa: D102
        return f"{self.left.within(SUM)} {self.sign} {self.right.within(SUM)}"

    def value(self, scope: Scope) -> bool:  # noqa: D102
        return COMPARISONS[self.sign](self.left.value(scope), self.right.value(scope))


@dataclass(frozen=True, slots=True)
class Negative(Expression):
    """A number with the other sign."""

    inner: Expression
    binding = SIGN

    @property
    def text(self) -> str:  # noqa: D102
        return f"-{self.inner.within(SIGN)}"

    def value(self, scope: Scope) -> Any:  # noqa: D102
        return -self.inner.value(scope)


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """A call of a built-in function."""

    function: str
    arguments: tuple[Expression, ...]
    keywords: tuple[tuple[str, Expression], ...] = ()

    @property
    def text(self) -> str:  # noqa: D102
        is_alone = len(self.arguments) == 1 and not self.keywords and self.function in TAKE_ALL
        written = [getattr(each, "bare", each.text) if is_alone else each.text for each in self.arguments]
        written += [f"{name}={each.text}" for name, each in self.keywords]
        return f"{self.function}({', '.join(written)})"

    def value(self, scope: Scope) -> Any:  # noqa: D102
        function = scope.get(self.function) or FUNCTIONS[self.function]
        arguments = [each.value(scope) for each in self.arguments]
        return function(*arguments, **{name: each.value(scope) for name, each in self.keywords})


@dataclass(frozen=True, slots=True)
class Method(Expression):
    """A call of a method of a text, a list or a dictionary."""

    receiver: Expression
    name: str
    arguments: tuple[Expression, ...] = ()

    @property
    def text(self) -> str:  # noqa: D102
        is_alone = len(self.arguments) == 1 and self.name == "join"
        written = (getattr(each, "bare", each.text) if is_alone else each.text for each in self.arguments)
        return f"{self.receiver.within(ATOM)}.{self.name}({', '.join(written)})"

    def value(self, scope: Scope) -> Any:  # noqa: D102
        receiver = self.receiver.value(scope)
        if self.name not in METHODS.get(type(receiver), ()):
            raise AttributeError(f"{type(receiver).__name__} has no method {self.name}")
        return getattr(receiver, self.name)(*(each.value(scope) for each in self.arguments))


@dataclass(frozen=True, slots=True)
class Item(Expression):
    """An item by its index or key."""

    receiver: Expression
    index: Expression

    @property
    def text(self) -> str:  # noqa: D102
        return f"{self.receiver.within(ATOM)}[{self.index.text}]"

    def value(self, scope: Scope) -> Any:  # noqa: D102
        return self.receiver.value(scope)[self.index.value(scope)]


@dataclass(frozen=True, slots=True)
class Slice(Expression):
    """Items from a start to a stop, in steps."""

    receiver: Expression
    start: Expression | None = None
    stop: Expression | None = None
    step: Expression | None = None

    @property
    def text(self) -> str:  # noqa: D102
        start, stop = ("" if part is None else part.text for part in (self.start, self.stop))
        step = "" if self.step is None else f":{self.step.text}"
        return f"{self.receiver.within(ATOM)}[{start}:{stop}{step}]"

    def value(self, scope: Scope) -> Any:  # noqa: D102
        parts = (None if part is None else part.value(scope) for part in (self.start, self.stop, self.step))
        return self.receiver.value(scope)[slice(*parts)]
