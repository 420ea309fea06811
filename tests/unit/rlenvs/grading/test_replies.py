"""Replies are graded by the program that they give."""

import json
from pathlib import Path
from typing import Any

import pytest

from rlenvs.grading.code import grade_code
from rlenvs.grading.programs import program_row

DOUBLE = "def double(x):\n    return 2 * x"
TESTS = {"tests": ["assert double(1) == 2"], "entry_point": "double"}
CASE = {"stdin": "4\n", "expected_stdout": "8\n"}
STUB = 'def double(x):\n    """Twice x."""\n'
ROWS: list[tuple[str, dict[str, Any]]] = [
    ("pass", {"reply": f"<think>```python\nx\n```</think>Here:\n```python\n{DOUBLE}\n```\nDone.", **TESTS}),
    ("fail", {"reply": f"```python\n{DOUBLE[:-1]}0\n```", **TESTS}),
    ("fail", {"reply": "I cannot help with that.", **TESTS}),
    ("fail", {"reply": f"<think>\n```python\n{DOUBLE}\n```\n", **TESTS}),
    ("fail", {"reply": "", **TESTS}),
    ("fail", {"reply": None, **TESTS}),
    ("pass", {"reply": "    return 2 * x\n", "stub": STUB, **TESTS}),
    ("pass", {"reply": "```python\nprint(2 * int(input()))\n```", **CASE}),
    ("pass", {"reply": "```bash\nread x; echo $((2 * x))\n```", "language": "bash", **CASE}),
]


def test_every_reply_has_the_verdict_of_its_program(tmp_path: Path) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps({"id": id, **row}) + "\n" for id, (_, row) in enumerate(ROWS)))
    assert grade_code(source, out) == {"pass": 4, "fail": 5}
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["verdict"] for line in lines] == [verdict for verdict, _ in ROWS]
    assert [line["detail"] for line in lines[2:6]] == ["the reply gives no program"] * 3 + ["no program was given"]


@pytest.mark.parametrize(("name", "number"), [("humaneval", 53), ("humaneval_plus", 53)])
def test_a_reply_may_continue_the_stub_of_its_problem(tmp_path: Path, data_folder: str, name: str, number: int) -> None:
    problem = f"{name}/HumanEval/{number}"
    rows = [{"id": text, "reply": f"    return {text}\n", "problem": problem} for text in ("x + y", "x - y")]
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert grade_code(source, out, data=data_folder) == {"pass": 1, "fail": 1}
    assert json.loads(out.read_text().splitlines()[0])["verdict"] == "pass"


def test_what_a_data_sets_harness_imports_is_there(data_folder: str) -> None:
    given = {"id": 1, "program": "print(5)", "problem": "apps/apps-train-0001"}
    row = program_row(given, data=data_folder)
    assert row.preamble
    assert row.program() == f"{row.preamble}\nprint(5)"
    assert program_row(given | {"language": "bash", "program": "echo 5"}, data=data_folder).program() == "echo 5"
