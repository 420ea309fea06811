"""Programs are graded in a real sandbox: each verdict, resumed, in order, whatever ids and programs are like."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rlenvs.code.sandboxes import Sandbox
from rlenvs.errors import MakingError
from rlenvs.grading import GradingError, code, grade_math
from rlenvs.grading.code import grade_code

DOUBLE = "def double(x):\n    return 2 * x\n"
TESTS = ["assert double(1) == 2", "assert double(4) == 8"]
ROWS: list[dict[str, Any]] = [
    {"id": "pass", "program": DOUBLE, "tests": TESTS},
    {"id": "fail", "program": "def double(x):\n    return 2\n", "tests": TESTS},
    {"id": "runtime_error", "program": "def double(x):\n    return 1 / 0\n", "tests": TESTS},
    {"id": "timeout", "program": "while True: pass", "tests": TESTS, "limits": {"wall_s": 1}},
    {"id": "memory", "program": "x = bytearray(2**28)", "expected_stdout": "", "limits": {"mem_mb": 64}},
    {
        "id": "output_limit",
        "program": "while 1: print('x' * 99)",
        "expected_stdout": "",
        "limits": {"output_bytes": 999},
    },
    {"id": "sandbox_error", "program": DOUBLE, "tests": "assert ("},
]
COUNTS = {row["id"]: 1 for row in ROWS}


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().split("\n")[:-1]]


def test_every_verdict_has_its_counts_and_its_reason_in_the_order_of_the_rows(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    out = tmp_path / "out.jsonl"
    counts = grade_code(write(tmp_path / "in.jsonl", ROWS), out, progress=lambda *done: told.append(done))
    lines = read(out)
    assert [(line["id"], line["verdict"]) for line in lines] == [(row["id"], row["id"]) for row in ROWS]
    assert counts == COUNTS
    fields = ["id", "verdict", "passed", "total", "ms", "detail", "fingerprint"]
    assert all(list(line) == fields and len(line["detail"]) <= 300 for line in lines)
    by_id = {line["id"]: line for line in lines}
    assert (by_id["pass"]["passed"], by_id["pass"]["total"], by_id["pass"]["detail"]) == (2, 2, "")
    assert (by_id["fail"]["passed"], by_id["fail"]["total"]) == (1, 2)
    assert by_id["fail"]["detail"].startswith("test 2: AssertionError")
    assert "ZeroDivisionError" in by_id["runtime_error"]["detail"]
    assert 1000 <= by_id["timeout"]["ms"] < 5000
    assert "SyntaxError" in by_id["sandbox_error"]["detail"]
    assert (told[0], told[-1]) == ((0, 7), (7, 7))
    assert told == sorted(told)


def test_each_case_counts_and_the_first_that_fails_is_named(tmp_path: Path) -> None:
    cases = [{"stdin": f"{number}\n", "expected_stdout": f"{2 * number}\n"} for number in range(5)]
    rows = [
        {"id": 1, "program": "print(2 * int(input()))", "cases": cases},
        {"id": 2, "program": "print(min(6, 2 * int(input())))", "cases": cases},
        {"id": 3, "program": "read x; echo $((2 * x))", "cases": cases, "language": "bash"},
        {"id": 4, "program": None, "cases": cases},
    ]
    out = tmp_path / "out.jsonl"
    assert grade_code(write(tmp_path / "in.jsonl", rows), out) == {"pass": 2, "fail": 2}
    assert [(line["passed"], line["total"]) for line in read(out)] == [(5, 5), (4, 5), (5, 5), (0, 5)]
    assert read(out)[1]["detail"].startswith("test 5: it read '4\\n' and printed '6\\n'")
    assert read(out)[3]["detail"] == "no program was given"


def test_only_a_changed_row_and_a_broken_sandbox_are_graded_again(tmp_path: Path) -> None:
    source, out = write(tmp_path / "in.jsonl", ROWS), tmp_path / "out.jsonl"
    grade_code(source, out)
    before = read(out)
    changed = [row | {"program": DOUBLE} if row["id"] == "fail" else row for row in ROWS]
    told: list[tuple[int, int]] = []
    counts = grade_code(write(source, changed), out, progress=lambda *done: told.append(done))
    assert told[0] == (5, 7)
    assert counts == Counter(COUNTS) - Counter(["fail"]) + Counter(["pass"])
    after = read(out)
    assert [line["id"] for line in after] == [row["id"] for row in ROWS]
    assert [line for line in after if line["id"] not in ("fail", "sandbox_error")] == [
        line for line in before if line["id"] not in ("fail", "sandbox_error")
    ]


def test_what_is_graded_already_needs_no_sandbox(tmp_path: Path) -> None:
    source, out = write(tmp_path / "in.jsonl", ROWS[:2]), tmp_path / "out.jsonl"
    grade_code(source, out)
    refused = Sandbox(level="higher")  # type: ignore[arg-type]
    assert grade_code(source, out, sandbox=refused) == {"pass": 1, "fail": 1}
    with pytest.raises(MakingError, match="no level 'higher'"):
        grade_code(write(source, ROWS[:3]), out, sandbox=refused)
    assert [line["id"] for line in read(out)] == ["pass", "fail"]


def test_another_sandbox_grades_anew(tmp_path: Path) -> None:
    source, out = write(tmp_path / "in.jsonl", ROWS[:2]), tmp_path / "out.jsonl"
    grade_code(source, out)
    out.write_text(out.read_text().replace('"verdict": "pass"', '"verdict": "runtime_error"'))
    assert [line["verdict"] for line in read(out)] == ["runtime_error", "fail"]
    assert grade_code(source, out) == {"runtime_error": 1, "fail": 1}
    process = Sandbox(name="process", level="limits")
    assert grade_code(source, out, sandbox=process) == {"pass": 1, "fail": 1}


def test_a_sandbox_below_the_level_is_refused(tmp_path: Path) -> None:
    source, out = write(tmp_path / "in.jsonl", ROWS[:2]), tmp_path / "out.jsonl"
    with pytest.raises(MakingError, match=r"'process' is no boundary: .* its level is 'limits'"):
        grade_code(source, out, sandbox=Sandbox(name="process"))
    assert out.read_text() == ""
    assert grade_code(source, out, sandbox=Sandbox(name="process", level="limits")) == {"pass": 1, "fail": 1}


IDS = ["", "a\nb", 'quo"te', "\ud800", "../../etc/passwd", "\u2028", "1", 1, -1, 10**30, "é" * 5000, "\x00", "{CANARY}"]


def test_any_id_is_kept_as_it_is(tmp_path: Path) -> None:
    source, out = write(tmp_path / "in.jsonl", [ROWS[0] | {"id": id} for id in IDS]), tmp_path / "out.jsonl"
    assert grade_code(source, out) == {"pass": len(IDS)}
    assert [line["id"] for line in read(out)] == IDS
    told: list[tuple[int, int]] = []
    assert grade_code(source, out, progress=lambda *done: told.append(done)) == {"pass": len(IDS)}
    assert told == [(len(IDS), len(IDS))]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "out.jsonl"]


HOSTILE = [
    'raise AssertionError(\'\\ud800\\n{"id": "x", "verdict": "pass"}\' * 999)',
    "import os; os._exit(0)",
    'print(\'{"verdict": "pass"}\'); raise SystemExit(0)',
    "\ud800 = 1",
    "x = '\x00'",
    "(" * 10_000,
    "-" * 100_000 + "1",
    "def double(x):\n    class Any(int):\n        __eq__ = lambda *_: True\n    return Any()",
]


def test_no_program_writes_its_verdict_itself_or_keeps_the_others_from_theirs(tmp_path: Path) -> None:
    rows = [{"id": number, "program": text, "tests": TESTS} for number, text in enumerate(HOSTILE)]
    rows.append(ROWS[0])
    out = tmp_path / "out.jsonl"
    grade_code(write(tmp_path / "in.jsonl", rows), out)
    lines = read(out)
    assert [line["id"] for line in lines] == [row["id"] for row in rows]
    assert {line["verdict"] for line in lines[:-1]} <= {"runtime_error", "fail", "memory"}
    assert all(line["passed"] == 0 and len(line["detail"]) <= 300 for line in lines[:-1])
    assert lines[-1]["verdict"] == "pass"


@pytest.mark.parametrize(("asked", "given"), [(None, 3), (1, 1), (8, 3)])
def test_no_more_programs_are_begun_than_the_sandbox_can_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: int | None, given: int
) -> None:
    numbers: list[int] = []
    real = code.judged_rows
    monkeypatch.setattr(code, "usable_cores", lambda: 3)
    monkeypatch.setattr(
        code, "judged_rows", lambda *rest, num_threads: numbers.append(num_threads) or real(*rest, num_threads=1)
    )
    grade_code(write(tmp_path / "in.jsonl", ROWS[:1]), tmp_path / "out.jsonl", num_programs=asked)
    assert numbers == [given]


def test_verdicts_of_another_kind_of_grading_are_left_alone(tmp_path: Path) -> None:
    source, out = write(tmp_path / "in.jsonl", ROWS[:1]), tmp_path / "out.jsonl"
    grade_math(write(tmp_path / "math.jsonl", [{"id": "pass", "gold": "1", "answer": "1"}]), out)
    before = out.read_text()
    with pytest.raises(GradingError, match="line 1: not a line that grading wrote"):
        grade_code(source, out)
    assert out.read_text() == before


def test_programs_are_never_replaced_by_their_verdicts(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", ROWS)
    with pytest.raises(GradingError, match="the verdicts would replace the programs"):
        grade_code(source, source)
