"""What Python text defines and which names it needs, read without running it.

Text may be hostile: its length is bounded, and whatever stops Python's parser makes it text that does not parse.
"""

import ast
import builtins
import os
import symtable
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

MAX_CHARS = 100_000  # of a text that is parsed; a longer one counts as one that does not parse

_T = TypeVar("_T")
_LOCK = threading.Lock()  # the filters of warnings belong to the whole process
_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}
_SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_INNER = _SCOPES | ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_RETURNS = ast.Return | ast.Yield | ast.YieldFrom
_MOVABLE = ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign | ast.If | ast.Try | _SCOPES


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a module."""

    text: str  # whole lines, with decorators
    binds: frozenset[str]  # the module's names that it gives a value; `*` for all names of another module
    last_line: int  # of the text, from 1
    is_definition: bool  # of a function or a class
    is_import: bool
    is_future: bool  # an import from `__future__`, which has to be the first thing in a program
    is_movable: bool  # whether it may stand in front of another program: a definition, an import, an assignment
    is_sketch: bool  # a function with nothing in it but a docstring, `...` or `pass`
    is_idle: bool  # an expression that does nothing: a word, a number


@dataclass(frozen=True, slots=True)
class Module:
    """A text that parses."""

    text: str
    statements: tuple[Statement, ...]
    calls: bool  # whether anything is called anywhere
    is_body: bool  # whether it returns outside of a function, as only the body of one may

    def binds(self, name: str) -> bool:
        """Whether it gives this name of the module a value other than by importing it."""
        return any(name in statement.binds and not statement.is_import for statement in self.statements)

    def defines(self, name: str) -> bool:
        """Whether it is no body, and has a function or class of this name."""
        return not self.is_body and any(each.is_definition and name in each.binds for each in self.statements)

    def is_sketch_of(self, name: str) -> bool:
        """Whether the last thing that it calls so is a function without content."""
        last = [statement for statement in self.statements if name in statement.binds][-1:]
        return any(statement.is_sketch for statement in last)

    def defines_anything(self) -> bool:
        """Whether there is a function or a class at the top level."""
        return any(statement.is_definition for statement in self.statements)

    def future_lines(self) -> int:
        """How many of its lines have to stay in front: up to the last import from `__future__`."""
        return max((each.last_line for each in self.statements if each.is_future), default=0)


def parsed(text: str) -> ast.Module | None:
    """The tree of a text; None where it is none, or is too long or too deep."""
    return _guarded(lambda: ast.parse(text), text)


def module_of(text: str) -> Module | None:
    """What a text holds; None where it does not parse."""
    tree = parsed(text)
    if tree is None:
        return None
    lines = text.split("\n")
    statements = _guarded(lambda: tuple(_statement(node, lines) for node in tree.body), text)
    if statements is None:
        return None
    calls = any(isinstance(node, ast.Call) for node in ast.walk(tree))
    return Module(text, statements, calls, any(isinstance(node, _RETURNS) for node in _outside_functions(tree)))


def with_preamble(program: str, preamble: str) -> str:
    """A program with other statements before its own, but behind what it imports from the future.

    One that does not parse has them in front.
    """
    module = module_of(program)
    lines = program.split("\n")
    place = module.future_lines() if module else 0
    return "\n".join([*lines[:place], preamble, *lines[place:]])


def only_defines_tests(text: str) -> bool:
    """Whether it has functions with assertions, and no statement that could call them or assert anything itself."""
    tree = parsed(text)
    if tree is None or not all(isinstance(node, _DEFINING) or _is_docstring(node) for node in tree.body):
        return False
    return any(isinstance(node, ast.Assert) for function in tree.body for node in ast.walk(function))


_DEFINING = ast.FunctionDef | ast.AsyncFunctionDef | ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def needed_names(text: str) -> frozenset[str]:
    """The names that a text uses, does not define, and Python does not have: it fails unless something gives them."""
    table = _guarded(lambda: symtable.symtable(text, "program", "exec"), text)
    if table is None:
        return frozenset()
    own = {each.get_name() for each in table.get_symbols() if each.is_assigned() or each.is_imported()}
    used: set[str] = set()
    scopes = [table]
    while scopes:
        scope = scopes.pop()
        scopes += scope.get_children()
        for symbol in scope.get_symbols():
            if symbol.is_referenced() and (scope is table or symbol.is_global()):
                used.add(symbol.get_name())
            if scope is not table and symbol.is_declared_global() and symbol.is_assigned():
                own.add(symbol.get_name())
    return frozenset(used - own - _BUILTINS)


def _guarded(read: Callable[[], _T], text: str) -> _T | None:
    if len(text) > MAX_CHARS or "\0" in text:
        return None
    try:
        with _LOCK, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return read()
    except _ERRORS:
        return None


def _forget_lock() -> None:
    """After a fork, in the child: another thread may have held it."""
    global _LOCK
    _LOCK = threading.Lock()


os.register_at_fork(after_in_child=_forget_lock)


def _statement(node: ast.stmt, lines: list[str]) -> Statement:
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
    return Statement(
        text="\n".join(lines[first - 1 : node.end_lineno]),
        binds=frozenset(_bound(node)),
        last_line=node.end_lineno or node.lineno,
        is_definition=isinstance(node, _SCOPES),
        is_import=isinstance(node, ast.Import | ast.ImportFrom),
        is_future=is_future,
        is_movable=isinstance(node, _MOVABLE) and not is_future and not _is_main_guard(node),
        is_sketch=isinstance(node, _SCOPES) and all(map(_does_nothing, node.body)),
        is_idle=isinstance(node, ast.Expr) and _is_idle(node.value),
    )


def _outside_functions(tree: ast.AST) -> Iterator[ast.AST]:
    """A tree's nodes, without those within functions and classes of it."""
    nodes = [tree]
    while nodes:
        node = nodes.pop()
        yield node
        if not isinstance(node, _INNER):
            nodes += ast.iter_child_nodes(node)


def _bound(statement: ast.stmt) -> Iterator[str]:
    for node in _outside_functions(statement):
        if isinstance(node, _SCOPES):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _is_main_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and any(
        isinstance(each, ast.Name) and each.id == "__name__" for each in ast.walk(node.test)
    )


def _does_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _is_idle(value: ast.expr) -> bool:
    if isinstance(value, ast.Constant):
        return not isinstance(value.value, str)  # a docstring belongs to what follows
    return not any(isinstance(each, ast.Call | ast.Await | ast.NamedExpr) for each in ast.walk(value))
