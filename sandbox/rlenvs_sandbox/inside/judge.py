"""The judge of a program: runs its tests, in which the program's names are calls over a stream to the program.

What comes back is plain values, and the comparison is made here. The parent is told of every test when it is done.
"""

import ast
import builtins
import importlib
import json
import sys
from typing import Any

from rlenvs_sandbox.inside import telling
from rlenvs_sandbox.inside.frames import EndedError, Stream, TooLongError
from rlenvs_sandbox.inside.program import Program, RemoteError, UnsendableError

_FILE = "tests"


def run(text: bytes, channel: int, report: int) -> None:
    """Run the tests of a request: JSON with `tests`, `entry_point` and `check`, the function to call with it."""
    request = json.loads(text)
    told = Stream(report)
    entry_point = request.get("entry_point")
    try:
        body, total = with_reports(ast.parse(request["tests"], _FILE), entry_point, request.get("check"))
    except Exception as error:
        told.send({"broken": f"{type(error).__name__}: {error}"[:1000], "is_ours": True})
        return
    told.send({"total": total})
    program = Program(Stream(channel), lambda: told.send({"called": True}))
    results = _Results(told, program)
    names = _Names(program, entry_point, _called(body), is_only=not _free_names(body))
    names.update(__name__="tests", __builtins__=builtins, _passed_=results.passed, _failed_=results.failed)
    names[telling.NAME] = telling.agree
    try:
        program.wait()
        told.send({"ready": True})
        exec(compile(body, _FILE, "exec", dont_inherit=True), names)
        if request.get("check"):
            names[request["check"]](names[entry_point])
        told.send({"end": True, "calls": program.num_calls})
    except TooLongError as error:
        # Before there is a value of the program's, what is too long are the tests' own arguments.
        told.send({"too_long": str(error)} if program.has_values else {"broken": str(error), "is_ours": True})
    except EndedError as error:
        told.send({"lost": str(error), "calls": program.num_calls})
    except RemoteError as error:
        told.send({"end": True, "raised": error.type, "text": str(error)[:1000], "calls": program.num_calls})
    except BaseException as error:
        broken = f"{type(error).__name__}: {error}"[:1000]
        told.send({"broken": broken, "is_ours": not program.num_requests or _is_of_tests(error)})


class _Results:
    """Tells the parent of each test."""

    def __init__(self, told: Stream, program: Program) -> None:
        self._told = told
        self._program = program

    def passed(self, place: int) -> None:
        self._told.send({"test": place, "passed": True})

    def failed(self, place: int, error: BaseException) -> None:
        if isinstance(error, EndedError) or _is_of_tests(error):
            raise error
        found = {"test": place, "passed": False, "raised": type(error).__name__, "text": str(error)[:500]}
        self._told.send(found | {"by_program": bool(getattr(error, "by_program", False))})


def _is_of_tests(error: BaseException) -> bool:
    """Whether no value of a program's can be what is wrong: the tests name something that nobody has."""
    return isinstance(error, NameError | ImportError | UnsendableError) and not getattr(error, "by_program", False)


class _Names(dict[str, Any]):
    """The tests' names; what they do not have themselves is the program's, if it is no built-in or module."""

    def __init__(self, program: Program, entry_point: str | None, called: frozenset[str], *, is_only: bool) -> None:
        self._program = program
        self._entry_point = entry_point
        self._called = called  # names that the tests call: no modules
        self._is_only = is_only  # the tests name nothing but built-ins: then one of them is what is tested

    def __missing__(self, name: str) -> Any:
        if name != self._entry_point and hasattr(builtins, name):
            if not (self._is_only and callable(getattr(builtins, name)) and self._program.has(name)):
                raise KeyError(name)
        elif name != self._entry_point and name in sys.stdlib_module_names and name not in self._called:
            return importlib.import_module(name)
        return self._program.value(name)


def with_reports(tests: ast.Module, entry_point: str | None, check: str | None) -> tuple[ast.Module, int]:
    """The tests, each of them with a report of how it went, and how many they are.

    A test is a statement of the text, or of the function `check`: one with an assertion in it, a call of a function of
    the text that has one, or a loop, `with` or `try` that has to do with the program. A definition of the entry point
    is left out: it is the program's.

    Raises:
        ValueError: there is no function `check`.
    """
    tests.body = [node for node in tests.body if getattr(node, "name", None) != entry_point or entry_point is None]
    tests = telling.Telling().visit(tests)
    holder: Any = tests
    of_program = _free_names(tests) | {entry_point or ""}
    if check:
        holder = next((node for node in tests.body if isinstance(node, ast.FunctionDef) and node.name == check), None)
        if holder is None:
            raise ValueError(f"the tests have no function {check!r}")
        of_program |= {argument.arg for argument in holder.args.args[:1]}
    asserting = _asserting_functions(tests)
    total = 0
    for place, node in enumerate(holder.body):
        if _is_test(node, of_program, asserting):
            holder.body[place] = _reported(node, total)
            total += 1
    return ast.fix_missing_locations(tests), total


def _is_test(node: ast.stmt, of_program: frozenset[str], asserting: frozenset[str]) -> bool:
    """Whether a program could get it wrong."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return False
    if any(isinstance(each, ast.Assert) and not isinstance(each.test, ast.Constant) for each in ast.walk(node)):
        return True
    named = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    if isinstance(node, ast.For | ast.While | ast.With | ast.Try):
        return bool(named & (of_program | asserting))
    return isinstance(node, ast.Expr) and bool(named & asserting)


def _asserting_functions(tests: ast.Module) -> frozenset[str]:
    """The functions of the tests that have an assertion, or call one that has."""
    functions = [node for node in ast.walk(tests) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    found = {node.name for node in functions if any(isinstance(each, ast.Assert) for each in ast.walk(node))}
    while more := {
        node.name
        for node in functions
        if node.name not in found and any(isinstance(each, ast.Name) and each.id in found for each in ast.walk(node))
    }:
        found |= more
    return frozenset(found)


def _reported(node: ast.stmt, place: int) -> ast.stmt:
    report = ast.parse("try:\n    _passed_(0)\nexcept BaseException as _error_:\n    _failed_(0, _error_)").body[0]
    assert isinstance(report, ast.Try)
    for each in ast.walk(report):
        if isinstance(each, ast.Constant):
            each.value = place
    report.orelse = report.body
    report.body = [node]
    return report


def _called(tests: ast.Module) -> frozenset[str]:
    """The names that the tests call as functions."""
    calls = (node.func for node in ast.walk(tests) if isinstance(node, ast.Call))
    return frozenset(function.id for function in calls if isinstance(function, ast.Name))


def _free_names(tests: ast.Module) -> frozenset[str]:
    """What the tests name and do not bind, and that is no built-in or module: the program has it."""
    nodes = list(ast.walk(tests))
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    bound |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    bound |= {(each.asname or each.name).partition(".")[0] for node in nodes
              if isinstance(node, ast.Import | ast.ImportFrom) for each in node.names}  # fmt: skip
    used = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    own = {"_passed_", "_failed_", "_error_", telling.NAME}
    free = used - bound - own
    return frozenset(name for name in free if not hasattr(builtins, name) and name not in sys.stdlib_module_names)
