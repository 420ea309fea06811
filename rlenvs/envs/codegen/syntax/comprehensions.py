"""Lists and dictionaries: written out, and made from others; functions without a name."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rlenvs.envs.codegen.syntax.expressions import CHOICE, OR, Expression, Scope, lifted


@dataclass(frozen=True, slots=True)
class ListOf(Expression):
    """A list of these items."""

    items: tuple[Expression, ...] = ()

    @property
    def text(self) -> str:  # noqa: D102
        return f"[{', '.join(item.text for item in self.items)}]"

    def value(self, scope: Scope) -> list[Any]:  # noqa: D102
        return [item.value(scope) for item in self.items]


@dataclass(frozen=True, slots=True)
class Pair(Expression):
    """A tuple of items, in brackets: a key to sort by."""

    items: tuple[Expression, ...]

    @property
    def text(self) -> str:  # noqa: D102
        return f"({', '.join(item.text for item in self.items)})"

    def value(self, scope: Scope) -> tuple[Any, ...]:  # noqa: D102
        return tuple(item.value(scope) for item in self.items)


@dataclass(frozen=True, slots=True)
class EmptyDict(Expression):
    """A new dictionary."""

    @property
    def text(self) -> str:  # noqa: D102
        return "{}"

    def value(self, scope: Scope) -> dict[Any, Any]:  # noqa: D102, ARG002
        return {}


@dataclass(frozen=True, slots=True)
class Comprehension(Expression):
    """`[item for names in source if condition]`; in a call that goes through it, without brackets."""

    item: Expression
    names: tuple[str, ...]
    source: Expression
    condition: Expression | None = None

    @property
    def bare(self) -> str:
        """Without brackets: a generator where it is a call's only argument."""
        return f"{self.item.text} {_clauses(self.names, self.source, self.condition)}"

    @property
    def text(self) -> str:  # noqa: D102
        return f"[{self.bare}]"

    def value(self, scope: Scope) -> list[Any]:  # noqa: D102
        return [self.item.value(inner) for inner in _scopes(self.names, self.source, self.condition, scope)]


@dataclass(frozen=True, slots=True)
class DictComprehension(Expression):
    """`{key: held for names in source if condition}`."""

    key: Expression
    held: Expression
    names: tuple[str, ...]
    source: Expression
    condition: Expression | None = None

    @property
    def text(self) -> str:  # noqa: D102
        return f"{{{self.key.text}: {self.held.text} {_clauses(self.names, self.source, self.condition)}}}"

    def value(self, scope: Scope) -> dict[Any, Any]:  # noqa: D102
        inner_scopes = _scopes(self.names, self.source, self.condition, scope)
        return {self.key.value(inner): self.held.value(inner) for inner in inner_scopes}


@dataclass(frozen=True, slots=True)
class Lambda(Expression):
    """A function of one argument, without a name."""

    parameter: str
    body: Expression
    binding = CHOICE

    @property
    def text(self) -> str:  # noqa: D102
        return f"lambda {self.parameter}: {self.body.text}"

    def value(self, scope: Scope) -> Any:  # noqa: D102
        return lambda argument: self.body.value({**scope, self.parameter: argument})


def each(item: Any, names: str, source: Any, condition: Expression | None = None) -> Comprehension:
    """A comprehension; the names are separated by blanks."""
    return Comprehension(lifted(item), tuple(names.split()), lifted(source), condition)


def _clauses(names: tuple[str, ...], source: Expression, condition: Expression | None) -> str:
    test = "" if condition is None else f" if {condition.within(OR)}"
    return f"for {', '.join(names)} in {source.within(OR)}{test}"


def _scopes(names: tuple[str, ...], source: Expression, condition: Expression | None, scope: Scope) -> Iterator[Scope]:
    for found in source.value(scope):
        inner = {**scope, **bound(names, found)}
        if condition is None or condition.value(inner):
            yield inner


def bound(names: tuple[str, ...], found: Any) -> Scope:
    """The names that a loop gives to what it finds.

    Raises:
        ValueError: there are more or fewer names than values.
    """
    if len(names) == 1:
        return {names[0]: found}
    return dict(zip(names, found, strict=True))
