"""What is found in real data sets, as recorded by print_data_sets.py and read by a person."""

import json
from pathlib import Path

import pytest

from .print_data_sets import COMPARED, recorded

RECORDED = Path(__file__).with_name("data_sets.jsonl")


@pytest.fixture(scope="module")
def found(data_folder):
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("RLENVS_DATA", data_folder)
        return {record["data"]: record for record in recorded()}


@pytest.mark.slow
def test_the_same_is_found_as_was_recorded(found):
    lines = [json.loads(line) for line in RECORDED.read_text().splitlines()]
    assert [record["data"] for record in lines] == list(COMPARED)
    for record in lines:
        assert found[record["data"]] == record


@pytest.mark.slow
def test_every_own_answer_scores_and_no_question_is_answered_in_two_ways(found):
    kinds = {finding[0] for record in found.values() for finding in record["found"]}
    assert not kinds & {"own_answer", "contradiction"}


@pytest.mark.slow
def test_the_competitions_that_two_data_sets_have_in_common_are_found_whole(found):
    assert found["aime24/test"]["leaks"] == {"aimo_aime/test": 30}, "all problems of AIME 2024"
    assert found["amc23/test"]["leaks"] == {"aimo_amc/test": 40}, "all problems of AMC 2023"
    assert found["gsm8k/test"]["leaks"] == {}


@pytest.mark.slow
def test_a_problem_of_math500_that_the_slice_asks_in_other_words_is_found(found):
    assert ["near_leak", "math500/test/339", "math_slice/train/131"] in found["math500/test"]["found"]
    assert ["near_duplicate", "math_slice/train/48", "math_slice/train/66"] in found["math_slice/train"]["found"]


@pytest.mark.slow
def test_a_reference_that_nobody_could_read_is_found(found):
    assert ["bad_gold", "olympiadbench/test/96"] in found["olympiadbench/test"]["found"]
