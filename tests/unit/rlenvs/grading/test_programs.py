"""Rows of programs: what they may hold, what is refused, and what their verdict depends on."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from rlenvs.code.records import Case, FunctionTests, OutputTests
from rlenvs.grading import GradingError, programs
from rlenvs.grading.code import grade_code
from rlenvs.grading.programs import program_row
from rlenvs_sandbox import Comparison, Limits

ADD = {"id": "a", "program": "def add(a, b):\n    return a + b\n", "tests": ["assert add(1, 2) == 3"]}
ECHO = {"id": "e", "program": "print(input())", "stdin": "hi\n", "expected_stdout": "hi\n"}


def without(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def test_tests_are_text_or_lines_that_run_in_order() -> None:
    lines = ["import math", "assert f(1)", "assert f(2)"]
    row = ADD | {"tests": lines, "entry_point": "f", "check": None}
    assert program_row(row).tests == FunctionTests(text="import math\nassert f(1)\nassert f(2)", entry_point="f")
    assert program_row(row | {"tests": "\n".join(lines)}) == program_row(row)
    checked = program_row(ADD | {"tests": "def check(c): assert c(1)", "entry_point": "f", "check": "check"})
    assert checked.tests == FunctionTests(text="def check(c): assert c(1)", entry_point="f", check="check")


def test_one_case_needs_no_list() -> None:
    cases = [{"stdin": "hi\n", "expected_stdout": "hi\n"}]
    listed = program_row(without(ECHO, "stdin", "expected_stdout") | {"cases": cases})
    assert program_row(ECHO) == listed
    assert listed.tests == OutputTests(cases=(Case(stdin="hi\n", stdout="hi\n"),))
    silent = program_row(without(ECHO, "stdin") | {"language": "bash"})
    assert (silent.tests, silent.language) == (OutputTests(cases=(Case(stdin="", stdout="hi\n"),)), "bash")


def test_outputs_are_compared_as_the_row_says() -> None:
    tolerant = program_row(ECHO | {"float_tol": 1e-6, "checker": "raise SystemExit(42)"}).tests
    assert isinstance(tolerant, OutputTests)
    assert tolerant.comparison == Comparison(absolute_tol=1e-6, relative_tol=1e-6)
    assert tolerant.checker == "raise SystemExit(42)"
    by_tokens = program_row(ECHO | {"comparison": {"by": "tokens", "ignores_case": True, "absolute_tol": 1}}).tests
    assert isinstance(by_tokens, OutputTests)
    assert by_tokens.comparison == Comparison(by="tokens", ignores_case=True, absolute_tol=1)


def test_limits_change_what_they_name_alone() -> None:
    assert program_row(ADD).limits == Limits()
    assert program_row(ADD | {"limits": {"wall_s": 2, "mem_mb": 64}}).limits == Limits(wall_s=2, mem_mb=64)
    assert program_row(ADD | {"limits": {"cpu_s": None}}).limits == Limits()


def test_a_problem_gives_its_tests_and_its_limits(data_folder: str) -> None:
    row = program_row({"id": 1, "program": "x = 1", "problem": "humaneval/HumanEval/0"}, data=data_folder)
    assert isinstance(row.tests, FunctionTests)
    assert (row.tests.check, row.entry_point) == ("check", "has_close_elements")
    assert "def has_close_elements" in row.stub
    changed = {"id": 1, "program": "x = 1", "problem": "humaneval/HumanEval/0", "limits": {"mem_mb": 64}}
    assert program_row(changed, data=data_folder).limits.mem_mb == 64
    assert program_row(changed, data=data_folder).limits.wall_s == row.limits.wall_s


def test_what_others_note_beside_a_program_is_not_read() -> None:
    noted = ADD | {"expect": "pass", "kind": ["any", 1], "source": None, "passed": 1, "why": "sum"}
    words = (
        "meta level comment prompt solution model difficulty title name tags text answer gold setup after then never"
    )
    assert program_row(noted | dict.fromkeys([*words.split(), "also_ok", "max_wall_s"])) == program_row(ADD)


def test_a_program_wins_over_a_reply_that_is_null() -> None:
    assert program_row(ADD | {"reply": None}) == program_row(ADD)
    assert program_row({"reply": None, **ADD}).is_reply is False
    nothing = program_row(without(ADD, "program") | {"reply": None})
    assert (nothing.text, nothing.is_reply, nothing.program()) == (None, True, None)


@pytest.mark.parametrize(
    "change",
    [
        {"program": "def add(a, b):\n    return b + a\n"},
        {"tests": ["assert add(1, 2) == 4"]},
        {"entry_point": "add"},
        {"limits": {"wall_s": 4.0}},
        {"stub": "import math"},
    ],
)
def test_the_fingerprint_is_of_all_that_the_verdict_depends_on(change: dict[str, Any]) -> None:
    assert program_row(ADD | change).fingerprint != program_row(ADD).fingerprint


def test_another_sandbox_or_another_check_makes_another_verdict() -> None:
    assert program_row(ADD, sandbox="process").fingerprint != program_row(ADD).fingerprint
    checked = [program_row(ADD | {"entry_point": "add", "check": name}).fingerprint for name in ("check", "other")]
    assert len(set(checked)) == 2


def test_a_reply_is_not_the_program_of_the_same_text() -> None:
    reply = without(ADD, "program") | {"reply": ADD["program"]}
    assert program_row(reply).fingerprint != program_row(ADD).fingerprint


@pytest.mark.parametrize(
    "change",
    [{"stdin": "ho\n"}, {"expected_stdout": "hi"}, {"float_tol": 0.5}, {"checker": "pass"}, {"language": "bash"}],
)
def test_the_fingerprint_is_of_outputs_too(change: dict[str, Any]) -> None:
    assert program_row(ECHO | change).fingerprint != program_row(ECHO).fingerprint


def test_rules_that_decide_otherwise_make_verdicts_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    before = program_row(ADD).fingerprint
    monkeypatch.setattr(programs, "RULES_VERSION", programs.RULES_VERSION + 1)
    assert program_row(ADD).fingerprint != before


BARE = {"id": "b", "program": "pass"}
BAD: list[tuple[Any, str]] = [
    ("{broken", "Expecting"),
    ([1], "expected an object, got list"),
    (without(ADD, "id"), "no id; there is program, tests"),
    (ADD | {"id": 1.5}, "id is text or a whole number: got 1.5"),
    (ADD | {"id": True}, "id is text or a whole number: got true"),
    (ADD, "the id 'a' is that of line 1"),
    (without(ADD, "program") | {"id": 2}, "no program and no reply; there is id, tests"),
    (BARE | {"program": 5, "tests": ""}, "program is a program's text, or null for none: got 5"),
    (BARE | {"reply": "x", "tests": ""}, "a program and a reply: expected one of them"),
    (BARE, r"expected one of tests, cases, expected_stdout \(with stdin\) and problem: there is none of them"),
    (BARE | {"tests": "", "expected_stdout": ""}, "and problem: there is tests and expected_stdout"),
    (BARE | {"stdin": "1"}, "and problem: there is none of them"),
    (BARE | {"tests": "", "stdin": "1"}, "expected no stdin: tests call functions"),
    (BARE | {"tests": "", "float_tol": 1, "checker": ""}, "expected no checker and no float_tol: tests call"),
    (BARE | {"tests": ["assert 1", 5]}, "tests is text, or a list of lines: got a line 5"),
    (BARE | {"tests": ["assert 1", None]}, "tests is text, or a list of lines: got a line null"),
    (BARE | {"tests": {"a": 1}}, 'tests is text, or a list of lines: got {"a": 1}'),
    (BARE | {"tests": "", "language": "c"}, "tests call functions of Python programs, and this one is in c"),
    (BARE | {"cases": []}, "tests have at least one case"),
    (BARE | {"cases": [{"stdin": "1", "expected_stdout": "1"}, "x"]}, 'case 2: expected an object .*, got "x"'),
    (BARE | {"cases": [{"stdin": "1"}]}, "case 1: no expected_stdout; there is stdin"),
    (BARE | {"cases": [{"stdin": 1, "expected_stdout": "1"}]}, "case 1: stdin is text or null: got 1"),
    (BARE | {"cases": [{"expected_stdout": "1"}], "check": "f"}, "expected no check: what is printed"),
    (BARE | {"cases": [{"expected_stdout": "1"}], "stdin": "f"}, "expected no stdin: each case has its own"),
    (BARE | {"expected_stdout": 5}, "expected_stdout is text or null: got 5"),
    (BARE | {"expected_stdout": "5", "language": "pyton"}, "no language 'pyton'. Did you mean 'python'?"),
    (BARE | {"expected_stdout": "5", "float_tol": -1}, "a tolerance is a number from 0 on: got -1"),
    (BARE | {"expected_stdout": "5", "float_tol": True}, "float_tol is a number or null: got true"),
    (BARE | {"expected_stdout": "5", "comparison": {"absolute_tol": "1"}}, "absolute_tol is a number or null: got .1"),
    (BARE | {"expected_stdout": "5", "float_tol": 10**400}, "a tolerance is a number from 0 up to 2147483647"),
    (BARE | {"expected_stdout": "5", "float_tol": math.nan}, "a tolerance is a number from 0 on: got nan"),
    (BARE | {"expected_stdout": "5", "comparison": {"by": "words"}}, 'comparison by is lines or tokens: got "words"'),
    (BARE | {"expected_stdout": "5", "comparison": {"case": 1}}, "no field of comparison 'case'"),
    (BARE | {"expected_stdout": "5", "comparison": {"ignores_case": 1}}, "ignores_case is true or false: got 1"),
    (ADD | {"id": 2, "limits": {"wall": 1}}, "no limit 'wall'. Did you mean 'wall_s'?"),
    (ADD | {"id": 2, "limits": {"wall_s": 0}}, "the limit wall_s is a number above 0 and up to 1000000: got 0"),
    (ADD | {"id": 2, "limits": {"wall_s": math.inf}}, "the limit wall_s is a number above 0 .* got inf"),
    (ADD | {"id": 2, "limits": {"cpu_s": math.nan}}, "the limit cpu_s is a number above 0 .* got nan"),
    (ADD | {"id": 2, "limits": {"mem_mb": 0.5}}, "the limit mem_mb is a whole number above 0 .* got 0.5"),
    (ADD | {"id": 2, "limits": {"pids": True}}, "the limit pids is a whole number above 0 .* got True"),
    (ADD | {"id": 2, "limits": {"pids": 2**31 - 1}}, "the limit pids is a whole number above 0 and up to 4194304"),
    (ADD | {"id": 2, "Limits": {}}, "no field 'Limits'. Did you mean 'limits'?"),
    (ADD | {"id": 2, "test": "x"}, "no field 'test'. Did you mean 'tests'?"),
    (BARE | {"expected_stdout": "5", "float_tolerance": 1}, "no field 'float_tolerance'. Did you mean 'float_tol'?"),
    (BARE | {"expected_output": "5"}, "no field 'expected_output'. Did you mean 'expected_stdout'?"),
    (BARE | {"expected_stdout": "5", "stdIn": ""}, "no field 'stdIn'. Did you mean 'stdin'?"),
    (BARE | {"tests": "assert f()", "check": "check"}, "check 'check' is called with .* name that with entry_point"),
    (BARE | {"tests": "import math\ndef check(f): assert f()"}, "and nothing calls them: name one with check"),
    (ADD | {"id": 2, "limits": [5]}, r"limits is an object or null: got \[5\]"),
    (BARE | {"problem": "nope/1"}, "begins with its data set's name: no data set 'nope'"),
    (BARE | {"problem": "humaneval/HumanEval/9999"}, "no problem 'humaneval/HumanEval/9999' in humaneval"),
    (BARE | {"problem": "humaneval/HumanEval/0", "check": "f"}, "the problem says how .*: expected no check beside it"),
]


@pytest.mark.parametrize(("bad", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_bad_rows_are_named_by_line_before_any_work(tmp_path: Path, data_folder: str, bad: Any, message: str) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    line = bad if isinstance(bad, str) else json.dumps(bad)
    source.write_text(f"{json.dumps(ADD)}\n\n{line}\n")
    with pytest.raises(GradingError, match=rf"(?s)1 rows cannot be graded\n  line 3: .*{message}"):
        grade_code(source, out, data=data_folder)
    assert not out.exists()
