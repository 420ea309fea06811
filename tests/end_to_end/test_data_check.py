"""A data set of one's own, checked from the command line: each fault that was put into it is told, and nothing else."""

import json

import pytest

TRAIN = [
    ("How many legs do 3 cats and 2 hens have?", "16"),
    ("How many legs do 3 cats  and 2 hens have", "16"),  # asked again
    ("Compute $\\dfrac{1}{2} + \\dfrac{1}{3}$.", "\\frac{5}{6}"),
    ("Compute $\\frac12 + \\frac13$.", "5/6"),  # with other signs between the same numbers: not seen
    ("What is the angle whose sine is $10/13$?", "torch.asin(10/13)"),  # a program's text
    ("What is the capital of the number 7?", "7"),
    ("What is the capital of the number 7?", "8"),  # answered otherwise
    ("A parabola with vertex (1,2) is reflected about the line y = 2 and then moved up by 5 units.", "k = 9"),
]
TEST = [
    ("How many legs do 3 cats and 2 hens have?", "16.0"),  # in training, too
    ("How many legs do 4 cats and 2 hens have?", "20"),  # with another number
    ("The parabola with vertex (1,2) is reflected about the line y = 2 and then moved up by 5 units.", "9 = k"),
]


@pytest.fixture
def data(tmp_path, monkeypatch):
    for name, rows in (("math/math_train_slice_1000", TRAIN), ("math/math500", TEST)):
        path = tmp_path / "data" / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps({"problem": one, "answer": two}) + "\n" for one, two in rows))
    monkeypatch.setenv("RLENVS_DATA", str(tmp_path / "data"))


def found(done):
    kinds = [(each["kind"], each["task_id"], each["other_id"]) for each in json.loads(done.out)["data"]["findings"]]
    return [each for each in kinds if each[0] != "other_answer"]


def test_faults_of_references_and_questions_are_found_and_errors_are_the_exit_code(rlenvs, data):
    done = rlenvs(
        "envs", "check", "rlenvs/Math-v0", "--set", "dataset=math_slice", "--against", "dataset=math500", "--json"
    )
    assert done.code == 1
    assert found(done) == [
        ("bad_gold", "math_slice/train/4", ""),
        ("contradiction", "math_slice/train/6", "math_slice/train/5"),
        ("duplicate", "math_slice/train/1", "math_slice/train/0"),
        ("leak", "math_slice/train/0", "math500/test/0"),
        ("leak", "math_slice/train/1", "math500/test/0"),
        ("near_leak", "math_slice/train/7", "math500/test/2"),
    ]


def test_a_set_with_leaks_alone_passes_and_the_leaks_are_told(rlenvs, data):
    done = rlenvs("envs", "check", "rlenvs/Math-v0", "--set", "dataset=math500", "--against", "dataset=math_slice")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "rlenvs/Math-v0 keeps the contract."
    assert "3 tasks, compared with dataset=math_slice (8 tasks):" in lines
    assert "leak\t1\tnote\tthe question is in another split too" in lines
    assert "variant\tmath500/test/1\tmath_slice/train/0\tHow many legs do 4 cats and 2 hens have?\t" in lines
    assert any(line.startswith("near_leak\tmath500/test/2\tmath_slice/train/7\t") for line in lines)


def test_an_option_of_another_data_set_that_does_not_exist_is_a_sentence(rlenvs, data):
    done = rlenvs("envs", "check", "rlenvs/Math-v0", "--set", "dataset=math500", "--against", "dataset=math_slyce")
    assert done.code == 2
    assert "Did you mean 'math_slice'?" in done.err


def test_a_file_of_ones_own_is_told_of_its_answers_and_the_environment_is_not_blamed(rlenvs, tmp_path):
    rows = [{"question": f"What is {left} + 1?", "answer": f"{left + 1}"} for left in range(30)]
    rows[3]["answer"], rows[8]["answer"] = "", "torch.asin(10/13)"
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = rlenvs("envs", "check", "rlenvs/Math-v0", "--set", f"dataset={path}", "--json")
    assert (done.code, json.loads(done.out)["failure"]) == (1, None)
    assert [each for each in found(done) if each[0] == "bad_gold"] == [
        ("bad_gold", "mine/3", ""),
        ("bad_gold", "mine/8", ""),
    ]


def test_a_file_without_one_answer_that_can_be_read_is_one_sentence(rlenvs, tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text('{"question": "What is 1 + 1?", "answer": ""}\n')
    done = rlenvs("envs", "check", "rlenvs/Math-v0", "--set", f"dataset={path}", "--json")
    failure = "rlenvs/Math-v0: not one of its references can be read; mine/0: an empty reference"
    assert (done.code, json.loads(done.out)["failure"]) == (1, failure)
