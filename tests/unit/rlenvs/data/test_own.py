import gzip
import json
from pathlib import Path

import pytest

from rlenvs.data import DataError, load_problems
from rlenvs.data.conventions import BOXED, CHOICE
from rlenvs.data.read import convention_of

OPEN = {"question": "1+1?", "answer": 2, "solution": "One and one."}
CHOSEN = {"problem": "6*7?", "options": ["A) 41", "B) 42"], "correct": "B", "rationale": "Six sevens."}
TWO = {"options": ["x", "y"]}


def written(folder: Path, *rows: object, name: str = "mine.jsonl") -> str:
    content = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    path = folder / name
    path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    return str(path)


@pytest.mark.parametrize("name", ["mine.jsonl", "mine.jsonl.gz"])
def test_a_file_of_ones_own_is_a_data_set(tmp_path: Path, name: str) -> None:
    one, two = load_problems(written(tmp_path, OPEN, CHOSEN, name=name))
    assert (one.id, one.question, one.gold, one.working, one.options) == ("mine/0", "1+1?", "2", "One and one.", ())
    assert (two.id, two.question, two.gold) == ("mine/1", "6*7?\n\nA) 41\nB) 42", "B")
    assert (two.working, two.options) == ("Six sevens.", ("41", "42"))


def test_a_file_is_asked_as_a_choice_if_all_of_it_is_one(tmp_path: Path) -> None:
    mixed, choices = written(tmp_path, OPEN, CHOSEN), written(tmp_path, CHOSEN, name="choices.jsonl")
    assert convention_of(mixed, load_problems(mixed)) is BOXED
    assert convention_of(choices, load_problems(choices)) is CHOICE


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"question": "q"}, "line 1: no field 'answer'; there is question"),
        ({"answer": "1"}, "line 1: no field 'question'"),
        ({"question": "q", "answer": ["1"]}, r"line 1: an answer is text or a number, got \['1'\]"),
        ({"question": "q", "answer": True}, "line 1: an answer is text or a number, got True"),
        ({"question": "", "answer": "1"}, "line 1: a question is text that is not empty, got ''"),
        ({"question": None, "answer": "1"}, "line 1: a question is text that is not empty, got None"),
        ({"problem": ["q"], "answer": "1"}, r"line 1: a problem is text that is not empty, got \['q'\]"),
        ({"question": 7, "answer": "A", "options": ["x", "y"]}, "line 1: a question is text .*, got 7"),
        ({"question": "q", "answer": "3", "options": ["1", "1", "3"]}, "line 1: the options .* '1' is there twice"),
        ({"question": "q", "answer": "A", "options": ["A) x", "B) x"]}, "line 1: the options .* 'x' is there twice"),
        ({"question": "q", "answer": "C", "options": ["x", "y"]}, "line 1: .*one of its labels A, B, got 'C'"),
        ({"question": "q", "answer": "A", "options": ["x"]}, "line 1: a choice has 2 to 10 options, got 1"),
    ],
)
def test_a_malformed_row_is_named(tmp_path: Path, row: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        load_problems(written(tmp_path, row))


def test_an_empty_answer_is_a_reference_of_the_data_and_no_malformed_row(tmp_path: Path) -> None:
    rows = [{"question": "q", "answer": answer, **more} for answer in ("", " ", None) for more in ({}, TWO)]
    assert {problem.gold for problem in load_problems(written(tmp_path, *rows))} == {""}


def test_rows_are_named_by_their_line_and_a_byte_order_mark_is_read_over(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(f"{json.dumps(OPEN)}\n\n{json.dumps({'question': 'q'})}\n", encoding="utf-8-sig")
    with pytest.raises(DataError, match=r"mine\.jsonl, line 3: no field 'answer'"):
        load_problems(str(path))


def test_a_file_that_is_not_there_and_a_split_of_one_are_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no file .*nowhere\.jsonl to read problems from"):
        load_problems(str(tmp_path / "nowhere.jsonl"))
    with pytest.raises(DataError, match="got split 'test'; leave it out"):
        load_problems(written(tmp_path, OPEN), "test")
    with pytest.raises(DataError, match=r"A file of your own is PATH\.jsonl"):
        load_problems("mine")
