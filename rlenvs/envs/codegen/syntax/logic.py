"""Conditions that are joined, and one of two values."""

from dataclasses import dataclass
from typing import Any

from rlenvs.envs.codegen.syntax.expressions import AND, CHOICE, OR, Expression, Scope


@dataclass(frozen=True, slots=True)
class Logic(Expression):
    """`and` or `or` between two conditions."""

    left: Expression
    word: str
    right: Expression

    @property
    def strength(self) -> int:  # noqa: D102
        return AND if self.word == "and" else OR

    @property
    def text(self) -> str:  # noqa: D102
        return f"{self.left.within(self.strength)} {self.word} {self.right.within(self.strength + 1)}"

    def value(self, scope: Scope) -> Any:  # noqa: D102
        left = self.left.value(scope)
        return self.right.value(scope) if bool(left) == (self.word == "and") else left


@dataclass(frozen=True, slots=True)
class Choice(Expression):
    """`then if condition else otherwise`."""

    then: Expression
    condition: Expression
    otherwise: Expression
    binding = CHOICE

    @property
    def text(self) -> str:  # noqa: D102
        return f"{self.then.within(OR)} if {self.condition.within(OR)} else {self.otherwise.within(CHOICE)}"

    def value(self, scope: Scope) -> Any:  # noqa: D102
        return (self.then if self.condition.value(scope) else self.otherwise).value(scope)
