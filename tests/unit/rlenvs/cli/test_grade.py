"""`rlenvs grade math`: a verdict for every answer in a file."""

import json
from pathlib import Path

import pytest

from rlenvs.cli.main import main

ROWS = [
    {"id": "a", "gold": "\\frac{1}{2}", "answer": "0.5"},
    {"id": "b", "gold": "7", "answer": "8"},
    {"id": "c", "gold": "12", "answer": "So the answer is \\boxed{12}.", "form": "text"},
    {"id": "d", "gold": "3", "answer": None},
]


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def test_every_answer_gets_a_verdict_beside_the_file(answers, capsys):
    assert main(["grade", "math", str(answers), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["verdicts"] == {"equal": 2, "not_equal": 2}
    graded = [json.loads(line) for line in (answers.parent / "answers.graded.jsonl").read_text().splitlines()]
    assert {row["id"]: row["verdict"] for row in graded} == {
        "a": "equal",
        "b": "not_equal",
        "c": "equal",
        "d": "not_equal",
    }


def test_people_get_shares(answers, capsys):
    assert main(["grade", "math", str(answers), "--out", str(answers.parent / "out.jsonl")]) == 0
    assert capsys.readouterr().out == "verdict\tanswers\tshare\nequal\t2\t50.0 %\nnot_equal\t2\t50.0 %\n"


def test_a_file_that_is_not_there_or_malformed_is_refused(answers, capsys):
    assert main(["grade", "math", "gone.jsonl"]) == 2
    assert "no file gone.jsonl to grade" in capsys.readouterr().err
    answers.write_text('{"id": 1, "gold": "2"}\n')
    assert main(["grade", "math", str(answers)]) == 2
    assert "line 1: no answer" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(b"\xff\xfe\0", " is not text in UTF-8: "), (b"[" * 100_000, ": 1 rows cannot be graded\n  line 1: ")],
)
def test_a_file_that_is_no_text_or_no_json_is_named(answers, capsys, content, sentence):
    answers.write_bytes(content)
    assert main(["grade", "math", str(answers)]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"rlenvs: {answers}{sentence}")
    assert "RLENVS_TRACEBACK" not in told


def test_a_folder_is_no_file_to_grade(capsys):
    for folder in (".", "/"):
        assert main(["grade", "math", folder]) == 2
        assert capsys.readouterr().err == f"rlenvs: no file {folder} to grade\n"


def test_where_nothing_can_be_judged_the_work_has_failed(answers, capsys):
    answers.write_text('{"id": 1, "gold": "", "answer": "2"}\n')
    assert main(["grade", "math", str(answers)]) == 1
    assert "not one answer could be judged" in capsys.readouterr().err
