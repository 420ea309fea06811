"""Data sets of programming problems: how many there are, what is in them, and what is refused with which sentence."""

import gzip
import json
import shutil
import sys
import types

import pytest

from rlenvs.code import data
from rlenvs.code.data import CODE_SETS, load_code_problems, problem_by_id
from rlenvs.code.records import FunctionTests, OutputTests
from rlenvs.data import DataError

SIZES = {
    ("humaneval", "test"): 164,
    ("humaneval_plus", "test"): 164,
    ("mbpp", "test"): 500,
    ("mbpp", "train"): 374,
    ("mbpp", "validation"): 90,
    ("mbpp", "prompt"): 10,
    ("mbpp_sanitized", "test"): 257,
    ("mbpp_sanitized", "train"): 120,
    ("mbpp_sanitized", "validation"): 43,
    ("mbpp_sanitized", "prompt"): 7,
    ("mbpp_plus", "test"): 378,
    ("kattis", "test"): 58,
    ("apps", "sample"): 5,
}


def test_every_split_of_every_data_set_is_counted():
    assert set(SIZES) == {(name, split) for name, code_set in CODE_SETS.items() for split in code_set.splits}


@pytest.mark.parametrize(("name", "split"), SIZES)
def test_a_split_has_its_problems_each_with_an_id_and_tests(data_folder, name, split):
    problems = load_code_problems(name, split, data=data_folder)
    assert len(problems) == SIZES[name, split]
    assert len({problem.id for problem in problems}) == len(problems)
    assert all(problem.id.startswith(f"{name}/") and problem.prompt.strip() for problem in problems)
    assert problem_by_id(problems[-1].id, data=data_folder) is problems[-1]


def test_no_problem_of_mbpp_is_in_two_splits(data_folder):
    ids = [
        problem.id
        for split in CODE_SETS["mbpp"].splits
        for problem in load_code_problems("mbpp", split, data=data_folder)
    ]
    assert len(ids) == len(set(ids)) == 974


def test_functions_and_stubs_are_found(data_folder):
    problem = problem_by_id("humaneval/HumanEval/38", data=data_folder)
    assert (problem.entry_point, problem.stub) == ("decode_cyclic", problem.prompt)
    assert isinstance(problem.tests, FunctionTests)
    assert "def encode_cyclic" in problem.tests.text  # its check calls this helper of the prompt
    assert problem_by_id("mbpp/11", data=data_folder).entry_point == "remove_Occ"
    assert "assert remove_Occ" in problem_by_id("mbpp/11", data=data_folder).prompt


def test_contests_are_compared_as_their_validators_say(data_folder):
    comparisons = {p.id: p.tests.comparison for p in load_code_problems("kattis", data=data_folder)}
    assert all(each.by == "tokens" and each.ignores_case for each in comparisons.values())
    tolerances = {(each.absolute_tol, each.relative_tol) for each in comparisons.values()}
    assert {(None, None), (1e-6, 1e-6)} <= tolerances
    assert (1e-8, None) in tolerances  # float_absolute_tolerance
    problem = problem_by_id("kattis/kth-challenge-2012/birds", data=data_folder)
    assert isinstance(problem.tests, OutputTests)
    assert problem.examples.cases == problem.tests.cases[: len(problem.examples.cases)]
    assert "Sample input 1:\n22 2 2\n11\n9\n" in problem.prompt
    hidden = problem.tests.cases[-1].stdin.strip()
    assert hidden not in problem.prompt


def test_calls_of_apps_are_functions_or_methods(data_folder):
    method = problem_by_id("apps/apps-train-2404", data=data_folder)
    assert "_as_list_(Solution().findKthPositive(*[[2, 3, 4, 7, 11], 5])) == 9" in method.tests.text
    wrapped = problem_by_id("apps/apps-train-4184", data=data_folder)
    assert "_as_list_(is_prime(*[1])) == False" in wrapped.tests.text
    assert problem_by_id("apps/apps-train-4184", data=data_folder).entry_point == "is_prime"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("humanevl",), "Did you mean 'humaneval'"),
        (("humaneval", "train"), "no split of humaneval 'train'"),
    ],
)
def test_what_does_not_exist_is_said(data_folder, arguments, sentence):
    with pytest.raises(DataError, match=sentence):
        load_code_problems(*arguments, data=data_folder)


def test_ids_that_do_not_exist_are_said(data_folder):
    with pytest.raises(DataError, match="begins with its data set's name"):
        problem_by_id("HumanEval/0", data=data_folder)
    with pytest.raises(DataError, match="no problem 'humaneval/HumanEval/164'"):
        problem_by_id("humaneval/HumanEval/164", data=data_folder)
    with pytest.raises(DataError, match="at least 1: got 0"):
        load_code_problems("mbpp", data=data_folder, limit=0)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"task_id": 11, "text": "x", "code": "y"}, "line 1: no field 'test_list'"),
        ({"task_id": 11, "text": "x", "code": "def (", "test_list": ["assert f()"]}, "line 1: invalid syntax"),
        ({"task_id": "eleven", "text": "x", "code": "y", "test_list": []}, "line 1: invalid literal"),
        ({"task_id": 600, "text": "x", "code": "y", "test_list": []}, "no problems of mbpp, split test"),
    ],
)
def test_a_row_that_is_not_of_its_kind_is_named(tmp_path, row, sentence):
    (tmp_path / "mbpp").mkdir()
    (tmp_path / "mbpp/mbpp.jsonl").write_text(json.dumps(row) + "\n")
    with pytest.raises(DataError, match=sentence):
        load_code_problems("mbpp", "test", data=str(tmp_path))


def test_an_array_of_rows_is_read_whether_it_is_compressed_or_not(data_folder, tmp_path):
    (tmp_path / "mbpp").mkdir()
    with (
        gzip.open(f"{data_folder}/mbpp/sanitized-mbpp.json.gz") as packed,
        (tmp_path / "mbpp/sanitized-mbpp.json").open("wb") as file,
    ):
        shutil.copyfileobj(packed, file)
    assert load_code_problems("mbpp_sanitized", data=str(tmp_path)) == load_code_problems(
        "mbpp_sanitized", data=data_folder
    )
    (tmp_path / "mbpp/sanitized-mbpp.json").write_text("[1]")
    data._all_problems.cache_clear()
    with pytest.raises(DataError, match="expected an array of objects"):
        load_code_problems("mbpp_sanitized", data=str(tmp_path))
    (tmp_path / "mbpp/sanitized-mbpp.json").write_text("[{")
    with pytest.raises(DataError, match="not JSON"):
        load_code_problems("mbpp_sanitized", data=str(tmp_path))


def test_the_hub_has_splits_of_its_own(data_folder, monkeypatch):
    asked = []

    def load_dataset(id, config, split):
        asked.append((id, config, split))
        with gzip.open(f"{data_folder}/mbpp/mbpp.jsonl.gz", "rt") as lines:
            rows = list(map(json.loads, lines))
        return [row for row in rows if 601 <= row["task_id"] <= 974]

    library = types.ModuleType("datasets")
    library.load_dataset = load_dataset
    monkeypatch.setitem(sys.modules, "datasets", library)
    data._all_problems.cache_clear()
    assert load_code_problems("mbpp", "train", data="hub") == load_code_problems("mbpp", "train", data=data_folder)
    assert asked == [("google-research-datasets/mbpp", "full", "train")]
    data._all_problems.cache_clear()


def test_examples_in_a_docstring_are_tests_that_the_policy_may_see(data_folder):
    problem = problem_by_id("humaneval/HumanEval/0", data=data_folder)
    assert problem.examples.text.splitlines() == [
        "assert has_close_elements([1.0, 2.0, 3.0], 0.5) == False",
        "assert has_close_elements([1.0, 2.8, 3.0, 4.0, 5.0, 2.0], 0.3) == True",
    ]
    assert "1000" not in problem_by_id("humaneval/HumanEval/47", data=data_folder).examples.text  # it is wrong
    assert problem_by_id("humaneval/HumanEval/2", data=data_folder).examples is not None
    assert problem_by_id("humaneval/HumanEval/19", data=data_folder).examples is not None
