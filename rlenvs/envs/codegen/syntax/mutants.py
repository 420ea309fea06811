"""Near misses: a program with one piece changed, as people get it wrong, and what a program gives for an input.

Off by one, the wrong comparison, the wrong operator, swapped sides, a step left out, a condition left out, a wrong
start. Tests are chosen so that they tell a program from these.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from rlenvs.envs.codegen.syntax.builtin import LimitError
from rlenvs.envs.codegen.syntax.comprehensions import Comprehension, DictComprehension
from rlenvs.envs.codegen.syntax.expressions import (
    Binary,
    Call,
    Compare,
    Constant,
    Expression,
    Method,
    Negative,
    Slice,
)
from rlenvs.envs.codegen.syntax.logic import Choice, Logic
from rlenvs.envs.codegen.syntax.statements import Augment, If, Return, Routine, Statement

RaisedType = type("RaisedType", (), {"__repr__": lambda _: "an error"})
RAISED: Any = RaisedType()
"""What a program gives that ends with an error, or runs too long. Equal to itself alone."""

ERRORS = (
    *(TypeError, ValueError, LookupError, ZeroDivisionError, AttributeError, NameError, OverflowError, EOFError),
    *(LimitError, RecursionError),
)

_SIGNS = {"+": "-", "-": "+", "*": "+", "//": "%", "%": "//"}
_COMPARISONS = {
    "<": ("<=", ">"),
    "<=": ("<", ">="),
    ">": (">=", "<"),
    ">=": (">", "<="),
    "==": ("!=",),
    "!=": ("==",),
    "in": ("not in",),
    "not in": ("in",),
}
_NAMES = {
    **{"max": "min", "min": "max", "any": "all", "all": "any", "sum": "len"},
    **{"upper": "lower", "lower": "upper", "startswith": "endswith", "endswith": "startswith", "title": "upper"},
}
_LEFT_OUT = ("abs", "sorted", "set", "reversed", "str", "list")  # calls that people forget

Node = TypeVar("Node")


def result_of(routine: Routine, arguments: tuple[Any, ...]) -> Any:
    """What a program gives, or RAISED."""
    try:
        return routine.run(arguments)
    except ERRORS:
        return RAISED


def near_misses(routine: Routine) -> Iterator[Routine]:
    """The program with one piece changed, each possible change in turn. Some may mean the same as before."""
    for body in _of_body(routine.body):
        yield replace(routine, body=body)


def _of_body(body: tuple[Statement, ...]) -> Iterator[tuple[Statement, ...]]:
    for place, statement in enumerate(body):
        before, after = body[:place], body[place + 1 :]
        if len(body) > 1 and not isinstance(statement, Return):
            yield (*before, *after)
        if isinstance(statement, If) and any(isinstance(inner, Return) for inner in statement.body):
            yield (*before, *statement.body)
        for variant in _of_node(statement):
            yield (*before, variant, *after)


def _of_node(node: Node) -> Iterator[Node]:
    """Variants of a node: of itself, then of what it is made of."""
    yield from _own(node)
    if not is_dataclass(node):
        return
    for field in fields(node):
        part = getattr(node, field.name)
        for variant in _of_part(part):
            yield replace(node, **{field.name: variant})  # type: ignore[type-var]


def _of_part(part: Any) -> Iterator[Any]:
    if isinstance(part, Expression | Statement):
        yield from _of_node(part)
    elif isinstance(part, tuple) and part and isinstance(part[0], Statement):
        yield from _of_body(part)
    elif isinstance(part, tuple):
        for place, inner in enumerate(part):
            for variant in _of_part(inner):
                yield (*part[:place], variant, *part[place + 1 :])


def _own(node: Any) -> Iterator[Any]:
    match node:
        case Constant(held=bool() as held):
            yield Constant(not held)
        case Constant(held=int() as held):
            yield Constant(held + 1)
            yield Constant(held - 1)
        case Constant(held=str() as held):
            yield Constant("" if held else " ")
        case Binary(left=left, sign=sign, right=right):
            yield Binary(left, _SIGNS[sign], right)
            if sign in ("-", "//", "%", "+"):
                yield Binary(right, sign, left)
            yield left
        case Augment(target=target, sign=sign, expression=expression):
            yield Augment(target, _SIGNS[sign], expression)
        case Compare(left=left, sign=sign, right=right):
            for other in _COMPARISONS[sign]:
                yield Compare(left, other, right)
        case Logic(left=left, word=word, right=right):
            yield Logic(left, "or" if word == "and" else "and", right)
            yield left
            yield right
        case Negative(inner=inner):
            yield inner
        case Choice(then=then, condition=condition, otherwise=otherwise):
            yield Choice(otherwise, condition, then)
            yield then
            yield otherwise
        case Comprehension() | DictComprehension() if node.condition is not None:
            yield replace(node, condition=None)
        case Slice():
            given = [name for name in ("start", "stop", "step") if getattr(node, name) is not None]
            yield from (replace(node, **{name: None}) for name in given)  # type: ignore[arg-type]
        case Call():
            yield from _of_call(node)
        case Method():
            yield node.receiver
            if node.name in _NAMES:
                yield replace(node, name=_NAMES[node.name])


def _of_call(node: Call) -> Iterator[Expression]:
    if node.function in _LEFT_OUT:
        yield node.arguments[0]
    if node.function in _NAMES:
        yield replace(node, function=_NAMES[node.function])
    for place in range(len(node.keywords)):
        yield replace(node, keywords=(*node.keywords[:place], *node.keywords[place + 1 :]))
