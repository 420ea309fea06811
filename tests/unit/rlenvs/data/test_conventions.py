import gzip
import json
from pathlib import Path

import pytest

from rlenvs.data import DATA_SETS, load_problems
from rlenvs.data.conventions import AIME, AMC, BOXED, CHOICE, GSM8K
from rlenvs.rewards import TEMPLATES


@pytest.mark.parametrize(
    ("answer", "is_number", "is_aime"),
    [
        ("27", True, True),
        ("027", True, True),
        ("27.0", True, True),
        ("$27$", True, True),
        ("x = 27", True, True),
        ("m + n = 27", True, True),
        (r"27^\circ", True, True),
        ("27 degrees", True, True),
        (r"27 \text{ cm}^2", True, True),
        ("0", True, True),
        ("999", True, True),
        ("1000", True, False),
        ("1,234", True, False),
        ("-1", True, False),
        ("1/2", True, False),
        ("54/2", True, False),
        (r"\frac{54}{2}", True, False),
        ("27.5", True, False),
        ("50%", True, False),
        ("$18", True, True),
        ("18 dollars", True, True),
        ("$18/day", True, True),
        ("9*3", False, False),
        ("3^3", False, False),
        ("27 or 28", False, False),
        ("27, 28", False, False),
        ("twenty-seven", False, False),
        ("", False, False),
        ("2" * 201, False, False),
    ],
)
def test_a_number_is_written_out_and_an_aime_answer_is_an_integer_of_three_digits(
    answer: str, is_number: bool, is_aime: bool
) -> None:
    assert (GSM8K.admits(answer), AMC.admits(answer), AIME.admits(answer)) == (is_number, is_number, is_aime)
    assert BOXED.admits(answer)


def test_what_is_admitted_still_has_to_be_right_and_what_is_not_is_wrong_though_equal() -> None:
    assert AIME.is_right("27", "027", "")
    assert not AIME.is_right("27", "28", "")
    assert not AIME.is_right("27", "54/2", "")
    assert BOXED.is_right("27", "54/2", "")
    assert GSM8K.is_right("1234", "$1,234", "")
    assert not GSM8K.is_right("18", "9*2", "")
    assert BOXED.is_right("18", "9*2", "")


def test_credit_keeps_to_the_convention_and_a_choice_is_right_or_wrong() -> None:
    assert (BOXED.credit("1, 2", "1", ""), GSM8K.credit("12", "12", ""), AIME.credit("12", "24/2", "")) == (0.5, 1, 0)
    target = {"answer": "B", "options": ["21", "42"]}
    assert [CHOICE.credit(target, answer, "") for answer in ("B", "42", "A", "A, B")] == [1.0, 1.0, 0.0, 0.0]
    assert CHOICE.is_right(target, "(b)", "")


@pytest.mark.parametrize("name", sorted(DATA_SETS.keys() - {"math"}))
def test_every_gold_is_an_answer_by_its_own_convention(name: str, data_folder: str) -> None:
    convention = DATA_SETS[name].convention
    for split in DATA_SETS[name].splits:
        refused = [each.id for each in load_problems(name, split, data=data_folder) if not convention.admits(each.gold)]
        assert refused == []


@pytest.mark.parametrize("convention", [GSM8K, BOXED, AMC, AIME, CHOICE])
def test_every_convention_names_a_template_and_a_source(convention: object) -> None:
    assert convention.template in TEMPLATES  # type: ignore[attr-defined]
    assert convention.source  # type: ignore[attr-defined]


@pytest.mark.parametrize("junk", ["a/" * 99, "1 " * 100, r"\text{a}" * 28, "^\\circ" * 28 + "!"])
def test_text_made_to_be_slow_is_refused_soon(junk: str) -> None:
    assert not AIME.admits(junk)


def test_no_right_answer_of_real_solutions_is_refused(data_folder: str) -> None:
    file = Path(data_folder) / "graded_math/gsm8k_model_solutions.jsonl.gz"
    rows = map(json.loads, gzip.decompress(file.read_bytes()).decode().splitlines())
    right = [row["solution"].rpartition("A:")[2].strip() for row in rows if row["is_correct"]]
    assert len(right) > 1000
    assert [answer for answer in right if not GSM8K.admits(answer)] == []
