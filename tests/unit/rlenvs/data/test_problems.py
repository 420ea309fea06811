import pytest

from rlenvs.data import problems
from rlenvs.data.problems import Problem, Reading


def test_gsm8k_golds_stand_after_the_marks_and_solutions_lose_their_calculator() -> None:
    row = {"question": "How much?", "answer": "3*4=<<3*4=12>>12\nTotal 1,200\n#### 1,200"}
    assert problems.gsm8k(row) == Reading("How much?", "1200", "3*4=12\nTotal 1,200")
    with pytest.raises(ValueError, match="ends in '#### number'"):
        problems.gsm8k({"question": "q", "answer": "12"})


@pytest.mark.parametrize(
    ("answer", "gold"),
    [("025", "25"), (27.0, "27"), (70, "70"), ("204", "204"), ("336^\\circ", "336"), (3.5, "3.5"), ("000", "0")],
)
def test_competition_numbers_lose_leading_zeros_and_empty_decimals(answer: object, gold: str) -> None:
    assert problems.numeric({"problem": "q", "answer": answer}) == Reading("q", gold, "")


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="Fraction"):
        problems.numeric({"problem": "q", "answer": "two"})


def test_minerva_and_math_golds_stand_in_the_last_box() -> None:
    row = {"problem": "q", "solution": r"first \boxed{1}, so \boxed{1.6 \text{ cm}}"}
    assert problems.boxed(row) == Reading("q", r"1.6 \text{ cm}", row["solution"])
    assert problems.boxed({"question": "q", "answer": "1.6"}) == Reading("q", "1.6", "")
    with pytest.raises(ValueError, match="neither an answer nor a box"):
        problems.boxed({"problem": "q", "solution": "none"})


@pytest.mark.parametrize(
    ("answers", "is_multiple", "unit", "gold"),
    [
        (["2"], False, None, "2"),
        (["$1$", "$3$"], True, None, "$1$, $3$"),
        (["$6$"], False, "km", r"6 \text{km}"),
        (["4.2"], False, "%", r"4.2\%"),
        (["$60$"], False, "$^{\\circ}$", r"60^{\circ}"),
        (["$a=90$,$b=90$"], True, "^{\\circ}", "$a=90$,$b=90$"),
    ],
)
def test_olympiadbench_joins_answers_and_adds_a_unit(
    answers: list[str], is_multiple: bool, unit: str | None, gold: str
) -> None:
    row = {
        "context": "Let.",
        "question": "q",
        "solution": ["s"],
        "final_answer": answers,
        "is_multiple_answer": is_multiple,
        "unit": unit,
    }
    assert problems.olympiadbench(row) == Reading("Let.\n\nq", gold, "s")


def test_a_problem_without_a_question_is_refused() -> None:
    with pytest.raises(ValueError, match="a/test/0: the question is empty"):
        Problem(id="a/test/0", question=" ", gold="1")
