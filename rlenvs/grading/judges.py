"""What a row says a program is judged by: tests of its functions, or what it is to print; and within which limits."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from rlenvs.code.records import Case, FunctionTests, OutputTests, Tests
from rlenvs.code.replies.syntax import only_defines_tests
from rlenvs.errors import unknown
from rlenvs.grading.rows import TEXT, Field, check_fields, shown
from rlenvs_sandbox import Comparison, Limits

_MOST = 2**31 - 1  # of a tolerance

_NUMBER: Field = (int | float | None, "a number or null")
_TOLERANCES = ("absolute_tol", "relative_tol")

FIELDS: Mapping[str, Field] = {
    "tests": (str | list | None, "text, or a list of lines"),
    "cases": (list | None, "a list of objects with stdin and expected_stdout"),
    "stdin": TEXT,
    "expected_stdout": TEXT,
    "entry_point": TEXT,
    "check": TEXT,
    "checker": (str | None, "the text of a Python program, or null"),
    "float_tol": _NUMBER,
    "comparison": (dict | None, "an object or null"),
    "limits": (dict | None, "an object or null"),
}
_OF_OUTPUT = ("stdin", "checker", "comparison", "float_tol")


def own_tests(record: Mapping[str, Any]) -> Tests:
    """The tests that a row has itself: `tests`, `cases` or `expected_stdout`.

    Raises:
        ValueError: they are malformed, or there is something beside them that does not go with them.
    """
    check_fields(record, (), FIELDS)
    if record.get("tests") is not None:
        _refuse(record, _OF_OUTPUT, "tests call functions, and say nothing of what is printed")
        text, check = _test_text(record["tests"]), record.get("check") or ""
        entry_point = record.get("entry_point") or ""
        if check and not entry_point:
            raise ValueError(f"check {check!r} is called with a function of the program: name that with entry_point")
        if not check and only_defines_tests(text):
            raise ValueError("tests define functions with assertions, and nothing calls them: name one with check")
        return FunctionTests(text=text, entry_point=entry_point, check=check)
    _refuse(record, ("check",), "what is printed is judged without one")
    if record.get("cases") is None:
        return _output_tests((_case(record),), record)
    _refuse(record, ("stdin",), "each case has its own")
    return _output_tests(tuple(map(_numbered_case, enumerate(record["cases"], start=1))), record)


def _refuse(record: Mapping[str, Any], names: tuple[str, ...], why: str) -> None:
    present = [name for name in names if record.get(name) is not None]
    if present:
        raise ValueError(f"expected no {' and no '.join(present)}: {why}")


def _test_text(given: str | list[Any]) -> str:
    if not isinstance(given, str):
        strange = next((line for line in given if not isinstance(line, str)), None)
        if strange is not None or None in given:
            raise ValueError(f"tests is text, or a list of lines: got a line {shown(strange)}")
        given = "\n".join(given)
    return given


def _numbered_case(numbered: tuple[int, Any]) -> Case:
    number, given = numbered
    if not isinstance(given, dict):
        raise ValueError(f"case {number}: expected an object with stdin and expected_stdout, got {shown(given)}")
    try:
        return _case(given)
    except ValueError as error:
        raise ValueError(f"case {number}: {error}") from error


def _case(given: Mapping[str, Any]) -> Case:
    check_fields(given, ("expected_stdout",), {"stdin": TEXT, "expected_stdout": (str, "text")})
    return Case(stdin=given.get("stdin") or "", stdout=given["expected_stdout"])


def _output_tests(cases: tuple[Case, ...], record: Mapping[str, Any]) -> OutputTests:
    comparison = comparison_of(record)
    return OutputTests(cases=cases, comparison=comparison, checker=record.get("checker") or "")


def comparison_of(record: Mapping[str, Any]) -> Comparison:
    """How a row wants outputs compared.

    `comparison` has fields of `rlenvs_sandbox.Comparison`; `float_tol` is both tolerances at once.

    Raises:
        ValueError: so they cannot be compared.
    """
    given = dict(record.get("comparison") or {})
    _known("field of comparison", given, Comparison)
    by, ignores_case = given.get("by", "lines"), given.get("ignores_case", False)
    if by not in ("lines", "tokens"):
        raise ValueError(f"comparison by is lines or tokens: got {shown(by)}")
    if not isinstance(ignores_case, bool):
        raise ValueError(f"comparison ignores_case is true or false: got {shown(ignores_case)}")
    if record.get("float_tol") is not None:
        given |= dict.fromkeys(_TOLERANCES, record["float_tol"])
    check_fields(given, (), dict.fromkeys(_TOLERANCES, _NUMBER))
    for name in _TOLERANCES:
        if (given.get(name) or 0) > _MOST:
            raise ValueError(f"a tolerance is a number from 0 up to {_MOST}: {name} is {shown(given[name])}")
    return Comparison(**given)


def limits_of(record: Mapping[str, Any], default: Limits) -> Limits:
    """The default, with what `limits` changes: fields of `rlenvs_sandbox.Limits`.

    Raises:
        ValueError: there is no such limit, or it cannot be that.
    """
    check_fields(record, (), {"limits": FIELDS["limits"]})
    given: dict[str, Any] = record.get("limits") or {}
    _known("limit", given, Limits)
    return replace(default, **given)


def _known(kind: str, given: Mapping[str, Any], of: type[Any]) -> None:
    names = [field.name for field in fields(of)]
    for name in given:
        if name not in names:
            raise ValueError(unknown(kind, name, names))
