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


def test_a_file_without_answers_is_said_to_be_one(answers, capsys):
    answers.write_text("")
    assert main(["grade", "math", str(answers)]) == 0
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", f"rlenvs: no answers in {answers}\n")


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


PROGRAMS = [
    {"id": "a", "program": "print(1)", "expected_stdout": "1\n"},
    {"id": "b", "program": "print(2)", "expected_stdout": "1\n"},
    {"id": "c", "program": "1 / 0", "expected_stdout": "1\n"},
    {"id": "d", "program": "print(1)", "tests": "assert ("},
]


def programs(folder: Path, rows: list[dict[str, object]]) -> Path:
    path = folder / "programs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_programs_are_graded_and_a_broken_test_is_in_no_rate(tmp_path, capsys):
    file = programs(tmp_path, PROGRAMS)
    assert main(["grade", "code", str(file)]) == 0
    assert capsys.readouterr().out == (
        "verdict\tprograms\tshare\nfail\t1\t33.3 %\npass\t1\t33.3 %\nruntime_error\t1\t33.3 %\nsandbox_error\t1\t–\n"
    )
    assert main(["grade", "code", str(file), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["verdicts"] == {"fail": 1, "pass": 1, "runtime_error": 1, "sandbox_error": 1}
    assert told["pass_rate"] == pytest.approx(1 / 3)
    graded = [json.loads(line) for line in (tmp_path / "programs.graded.jsonl").read_text().splitlines()]
    assert [line["verdict"] for line in graded] == ["pass", "fail", "runtime_error", "sandbox_error"]


def test_where_no_program_can_be_judged_the_work_has_failed(tmp_path, capsys):
    assert main(["grade", "code", str(programs(tmp_path, PROGRAMS[3:])), "--json"]) == 1
    told = capsys.readouterr()
    assert (json.loads(told.out)["pass_rate"], told.err) == (None, "rlenvs: not one program could be judged\n")


def test_a_sandbox_that_is_no_boundary_has_to_be_asked_for_with_its_level(tmp_path, capsys):
    file = programs(tmp_path, PROGRAMS[:3])
    assert main(["grade", "code", str(file), "--sandbox", "process"]) == 2
    assert "the sandbox 'process' is no boundary" in capsys.readouterr().err
    assert main(["grade", "code", str(file), "--sandbox", "process", "--level", "limits", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["pass_rate"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--sandbox", "bubblewarp"], "no sandbox 'bubblewarp'. Did you mean 'bubblewrap'?"),
        (["--level", "safe"], "no level 'safe'. There are limits, isolated, strict"),
    ],
)
def test_a_sandbox_or_a_level_that_is_not_known_is_a_sentence(tmp_path, capsys, arguments, sentence):
    assert main(["grade", "code", str(programs(tmp_path, PROGRAMS)), *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_programs_that_cannot_be_graded_are_named_by_line(tmp_path, capsys):
    file = programs(tmp_path, [*PROGRAMS[:2], {"id": "x", "program": "pass"}])
    assert main(["grade", "code", str(file)]) == 2
    assert "1 rows cannot be graded\n  line 3: expected one of tests, cases" in capsys.readouterr().err
    file.write_text("")
    assert main(["grade", "code", str(file)]) == 0
    assert capsys.readouterr().err == f"rlenvs: no programs in {file}\n"
