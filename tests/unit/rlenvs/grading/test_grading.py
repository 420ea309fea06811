import gzip
import json
import multiprocessing
import os
from pathlib import Path
from typing import Any

import pytest

from rlenvs.errors import RlenvsError
from rlenvs.grading import GradingError, answers, grade_math, verdicts

ROWS: list[dict[str, Any]] = [
    {"id": "a", "gold": "18", "answer": "18.0"},
    {"id": "b", "gold": "18", "answer": "19"},
    {"id": "c", "gold": "", "answer": "19"},
    {"id": "d", "gold": "x+x", "answer": "2x"},
    {"id": "e", "gold": "5", "answer": "<think>3</think> so \\boxed{5}\u2028", "form": "text"},
    {"id": "f", "gold": "5", "answer": None, "form": "text"},
    {"id": 7, "gold": 28, "answer": "28%", "question": "What percent?"},
]
VERDICTS = ["equal", "not_equal", "bad_gold", "equal", "equal", "not_equal", "equal"]


def write(path: Path, rows: list[Any]) -> Path:
    lines = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_row_gets_its_verdict_and_time_in_order(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    out = tmp_path / "out.jsonl"
    counts = grade_math(
        write(tmp_path / "in.jsonl", ROWS), out, num_processes=2, progress=lambda *done: told.append(done)
    )
    assert [(row["id"], row["verdict"]) for row in read(out)] == [
        (row["id"], verdict) for row, verdict in zip(ROWS, VERDICTS, strict=True)
    ]
    assert all(set(row) == {"id", "verdict", "ms", "fingerprint"} and row["ms"] >= 0 for row in read(out))
    assert counts == {"equal": 4, "not_equal": 2, "bad_gold": 1}
    assert (told[0], told[-1]) == ((0, 7), (7, 7))
    assert told == sorted(set(told)), "told once of each verdict"


def test_a_run_that_was_cut_off_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, out = write(tmp_path / "in.jsonl", ROWS), tmp_path / "out.jsonl"
    grade_math(source, out)
    whole = out.read_bytes()
    lines = whole.splitlines(keepends=True)
    out.write_bytes(b"".join(lines[:3]) + lines[3][:9])  # killed while it wrote the fourth
    told: list[tuple[int, int]] = []
    counts = grade_math(source, out, progress=lambda *done: told.append(done))
    assert (told[0], told[-1]) == ((3, 7), (7, 7))
    assert [row["id"] for row in read(out)] == [row["id"] for row in ROWS]
    assert out.read_bytes().startswith(b"".join(lines[:3]))
    assert counts == {"equal": 4, "not_equal": 2, "bad_gold": 1}
    told.clear()
    before = out.stat()
    assert grade_math(source, out, progress=lambda *done: told.append(done)) == counts
    assert told == [(7, 7)]
    assert (out.stat().st_ino, out.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns), "it was not touched"


def test_any_number_of_processes_gives_the_same_verdicts(tmp_path: Path) -> None:
    rows = [row | {"id": f"{row['id']}-{copy}"} for copy in range(20) for row in ROWS]
    source, outs = write(tmp_path / "in.jsonl", rows), {number: tmp_path / f"{number}.jsonl" for number in (1, 3)}
    for number, out in outs.items():
        grade_math(source, out, num_processes=number)
    one, three = ([(line["id"], line["verdict"]) for line in read(out)] for out in outs.values())
    assert one == three == list(zip((row["id"] for row in rows), VERDICTS * 20, strict=True))


def test_answers_may_be_numbers_as_references_may(tmp_path: Path) -> None:
    rows = [{"id": 1, "gold": 18, "answer": 18.0}, {"id": 2, "gold": "1/2", "answer": 0.25}]
    assert grade_math(write(tmp_path / "in.jsonl", rows), tmp_path / "out.jsonl") == {"equal": 1, "not_equal": 1}


def test_an_answer_that_uses_up_its_limits_is_wrong_and_not_graded_again(tmp_path: Path) -> None:
    rows = [{"id": 1, "gold": "x^2+1", "answer": "(((x+1)^{50})^{50})^{50}"}, {"id": 2, "gold": "NaN", "answer": "5"}]
    source, out = write(tmp_path / "in.jsonl", rows), tmp_path / "out.jsonl"
    assert grade_math(source, out) == {"not_equal": 1, "bad_gold": 1}
    told: list[tuple[int, int]] = []
    grade_math(source, out, progress=lambda *done: told.append(done))
    assert told == [(2, 2)]


CHANGED = [{"gold": "19"}, {"answer": "19"}, {"question": "How many percent?"}, {"form": "text"}]


@pytest.mark.parametrize("change", CHANGED)
def test_a_row_that_has_changed_is_graded_anew_and_in_its_place(tmp_path: Path, change: dict[str, Any]) -> None:
    source, out = write(tmp_path / "in.jsonl", ROWS[:3]), tmp_path / "out.jsonl"
    grade_math(source, out)
    before = read(out)
    write(source, [ROWS[0] | change, *ROWS[1:3]])
    told: list[tuple[int, int]] = []
    grade_math(source, out, progress=lambda *done: told.append(done))
    after = read(out)
    assert told == [(2, 3), (3, 3)]
    assert after[1:] == before[1:]
    assert (after[0]["id"], after[0]["fingerprint"] != before[0]["fingerprint"]) == ("a", True)


def test_a_verdict_by_other_rules_of_the_verifier_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, out = write(tmp_path / "in.jsonl", ROWS[:2]), tmp_path / "out.jsonl"
    grade_math(source, out)
    monkeypatch.setattr(answers, "RULES_VERSION", answers.RULES_VERSION + 1)
    told: list[tuple[int, int]] = []
    grade_math(source, out, progress=lambda *done: told.append(done))
    assert told[0] == (0, 2)


def test_a_changed_reference_changes_the_verdict(tmp_path: Path) -> None:
    source, out = write(tmp_path / "in.jsonl", ROWS[:2]), tmp_path / "out.jsonl"
    assert grade_math(source, out) == {"equal": 1, "not_equal": 1}
    write(source, [ROWS[0] | {"gold": "20"}, ROWS[1] | {"gold": "19"}])
    assert grade_math(source, out) == {"equal": 1, "not_equal": 1}
    assert [row["verdict"] for row in read(out)] == ["not_equal", "equal"]


def test_a_verdict_that_was_an_error_is_tried_again(tmp_path: Path) -> None:
    source, out = write(tmp_path / "in.jsonl", ROWS[:2]), tmp_path / "out.jsonl"
    grade_math(source, out)
    first, second = read(out)
    write(out, [first | {"verdict": "error"}, second])
    assert grade_math(source, out) == {"equal": 1, "not_equal": 1}
    assert [row["verdict"] for row in read(out)] == ["equal", "not_equal"]


def test_lines_of_rows_that_are_gone_stay(tmp_path: Path) -> None:
    source, out = write(tmp_path / "in.jsonl", ROWS[:2]), tmp_path / "out.jsonl"
    grade_math(source, out)
    write(source, ROWS[1:3])
    assert grade_math(source, out) == {"not_equal": 1, "bad_gold": 1}
    assert [row["id"] for row in read(out)] == ["b", "c", "a"]


def test_two_runs_never_write_one_file(tmp_path: Path) -> None:
    source, out = write(tmp_path / "in.jsonl", ROWS), tmp_path / "out.jsonl"
    refused: list[str] = []

    def told(done: int, total: int) -> None:
        with pytest.raises(GradingError, match="another run is writing the verdicts") as caught:
            grade_math(source, out)
        refused.append(str(caught.value))

    assert grade_math(source, out, progress=told) == {"equal": 4, "not_equal": 2, "bad_gold": 1}
    assert refused[0].endswith("wait for its end, or name another file with --out")
    assert [row["id"] for row in read(out)] == [row["id"] for row in ROWS]
    assert grade_math(source, out) == {"equal": 4, "not_equal": 2, "bad_gold": 1}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "out.jsonl"]


def test_a_run_that_failed_leaves_the_file_to_the_next_one(tmp_path: Path) -> None:
    source, out = write(tmp_path / "in.jsonl", ROWS), write(tmp_path / "out.jsonl", ["my notes"])
    with pytest.raises(GradingError, match="line 1: not a line that grading wrote"):
        grade_math(source, out)
    out.write_text("")
    assert grade_math(source, out) == {"equal": 4, "not_equal": 2, "bad_gold": 1}


def test_a_run_waits_for_no_file_that_another_has_replaced(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with verdicts._locked(path) as first:
        path.unlink()
        with verdicts._locked(path) as second:
            assert not os.path.samestat(os.fstat(first.fileno()), os.fstat(second.fileno()))


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_process_that_was_forked_meanwhile_does_not_keep_the_file(tmp_path: Path) -> None:
    source, out = write(tmp_path / "in.jsonl", ROWS[:1]), tmp_path / "out.jsonl"
    context = multiprocessing.get_context("fork")
    end = context.Event()
    forked = context.Process(target=end.wait)

    def told(done: int, total: int) -> None:
        if not done:
            forked.start()

    grade_math(source, out, progress=told)
    try:
        assert grade_math(source, out) == {"equal": 1}
    finally:
        end.set()
        forked.join()


@pytest.mark.parametrize("name", ["in.jsonl", "in.jsonl.gz"])
def test_a_byte_order_mark_is_read_over_and_a_file_may_be_compressed(tmp_path: Path, name: str) -> None:
    content = "".join(json.dumps(row) + "\n" for row in ROWS).encode("utf-8-sig")
    source = tmp_path / name
    source.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    assert grade_math(source, tmp_path / "out.jsonl") == {"equal": 4, "not_equal": 2, "bad_gold": 1}


def test_a_compressed_file_that_is_cut_off_is_named(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl.gz"
    for content in (gzip.compress(b'{"id": 1}\n' * 999)[:-9], b"no gzip at all"):
        source.write_bytes(content)
        with pytest.raises(GradingError, match=r"the answers .*in\.jsonl\.gz cannot be read: \w+"):
            grade_math(source, tmp_path / "out.jsonl")


def test_null_is_the_bare_form_and_no_reference(tmp_path: Path) -> None:
    rows = [
        {"id": 1, "gold": "2", "answer": "2", "form": None},
        {"id": 2, "gold": None, "answer": "2"},
        {"id": 3, "gold": "None", "answer": "None"},
    ]
    out = tmp_path / "out.jsonl"
    grade_math(write(tmp_path / "in.jsonl", rows), out)
    assert [row["verdict"] for row in read(out)] == ["equal", "bad_gold", "equal"]


def test_a_pipe_or_a_device_is_no_file_to_read_twice_or_to_replace(tmp_path: Path) -> None:
    source, pipe = write(tmp_path / "in.jsonl", ROWS), tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/null")):
        with pytest.raises(GradingError, match=f"the answers are read twice, and {path} is no regular file"):
            grade_math(path, tmp_path / "out.jsonl")
        with pytest.raises(GradingError, match=f"are read and replaced, and {path} is no regular file: .* with --out"):
            grade_math(source, path)
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("{broken", "line 2: Expecting"),
        ("[1]", "line 2: expected an object, got list"),
        ({"id": "b", "gold": "1"}, "line 2: no answer; there is id, gold"),
        ({"id": "b", "gold": True, "answer": "1"}, "line 2: gold is text, a number, or null for none: got true"),
        ({"id": "b", "gold": [1], "answer": "1"}, r"line 2: gold is text, a number, or null for none: got \[1\]"),
        ({"id": "b", "gold": "1", "answer": [1]}, r"line 2: answer is text, a number, or null for none: got \[1\]"),
        ({"id": False, "gold": "1", "answer": "1"}, "line 2: id is text or a whole number: got false"),
        ({"id": "b", "gold": "1", "answer": "1", "form": "whole"}, "line 2: form is bare .* got 'whole'"),
        ({"id": "b", "gold": "1", "answer": "1", "form": ""}, "line 2: form is bare .* got ''"),
        ({"id": "a", "gold": "1", "answer": "1"}, "line 2: the id 'a' is that of line 1"),
    ],
)
def test_bad_rows_are_named_by_line_before_any_work(tmp_path: Path, bad: Any, message: str) -> None:
    source, out = write(tmp_path / "in.jsonl", [ROWS[0], bad]), tmp_path / "out.jsonl"
    with pytest.raises(GradingError, match=message):
        grade_math(source, out)
    assert not out.exists()


def test_an_output_file_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", ROWS)
    others = {"id": "a", "gold": "18", "answer": "18", "verdict": "equal"}
    contents = ["my notes", '{"id": "a"}', "[1]", json.dumps(others)]
    contents += [json.dumps(others | {"fingerprint": mark}) for mark in ("x", 5, None)]
    contents.append(json.dumps({"id": "a", "verdict": "right", "fingerprint": "0123456789abcdef"}))
    for content in contents:
        out = write(tmp_path / "notes.txt", [content])
        with pytest.raises(GradingError, match="line 1: not a line that grading wrote"):
            grade_math(source, out)
        assert out.read_text() == content + "\n"


def test_a_last_line_without_an_end_is_ours_or_the_file_is_left_alone(tmp_path: Path) -> None:
    source, out = write(tmp_path / "in.jsonl", ROWS), tmp_path / "out.jsonl"
    out.write_text("my notes")
    with pytest.raises(GradingError, match="line 1: not a line that grading wrote"):
        grade_math(source, out)
    assert out.read_text() == "my notes"
    out.write_text('{"id": "a", "verd')
    assert grade_math(source, out) == {"equal": 4, "not_equal": 2, "bad_gold": 1}


def test_the_answers_themselves_are_never_replaced(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", [row | {"verdict": "equal"} for row in ROWS])
    before = source.read_bytes()
    linked, hard = tmp_path / "linked.jsonl", tmp_path / "hard.jsonl"
    linked.symlink_to(source)
    hard.hardlink_to(source)
    for out in (source, linked, hard, tmp_path / "." / "in.jsonl"):
        with pytest.raises(GradingError, match=r"the verdicts would replace the answers: .* Name another with --out"):
            grade_math(source, out)
        assert source.read_bytes() == before


def test_answers_and_other_files_that_lie_beside_the_verdicts_stay(tmp_path: Path) -> None:
    for name in ("v.jsonl.new", "v.jsonl.new1", "v.jsonl.tmp"):
        source = write(tmp_path / name, ROWS)
        before = source.read_bytes()
        grade_math(source, tmp_path / "v.jsonl")
        assert source.read_bytes() == before


@pytest.mark.parametrize("error", [BrokenPipeError(32, "Broken pipe"), FileNotFoundError(2, "No such file", "log")])
def test_what_others_raise_while_it_grades_does_not_blame_the_file_of_verdicts(tmp_path: Path, error: OSError) -> None:
    def told(done: int, total: int) -> None:
        if done:
            raise error

    with pytest.raises(type(error)) as caught:
        grade_math(write(tmp_path / "in.jsonl", ROWS), tmp_path / "out.jsonl", progress=told)
    assert caught.value is error
    kept = {row["id"]: row["verdict"] for row in read(tmp_path / "out.jsonl")}
    assert kept, "what was graded is kept"
    assert kept.items() <= dict(zip((row["id"] for row in ROWS), VERDICTS, strict=True)).items()


def test_a_path_that_the_system_refuses_is_a_sentence(tmp_path: Path) -> None:
    source, refused = write(tmp_path / "in.jsonl", ROWS), tmp_path / ("x" * 300) / "file"
    with pytest.raises(RlenvsError, match=r"the file of verdicts .*xxx/file cannot be written: File name too long"):
        grade_math(source, refused)
    with pytest.raises(GradingError, match=r"the answers .*xxx/file cannot be read: File name too long"):
        grade_math(refused, tmp_path / "out.jsonl")


def test_the_folder_of_verdicts_is_made_and_one_that_cannot_be_is_named(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", ROWS[:1])
    assert grade_math(source, tmp_path / "new" / "out.jsonl") == {"equal": 1}
    with pytest.raises(
        RlenvsError, match=r"the file of verdicts .*in\.jsonl/out\.jsonl cannot be written: .*another place"
    ):
        grade_math(source, source / "out.jsonl")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(GradingError, match=r"no file .*in\.jsonl"):
        grade_math(tmp_path / "in.jsonl", tmp_path / "out.jsonl")
