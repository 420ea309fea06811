from typing import Any

import pytest

from rlenvs.data.choices import chosen, read_options, right_letter, with_options

OPTIONS = ("21", "42", "e", "x^2+1")


@pytest.mark.parametrize(
    ("answer", "letter"),
    [
        ("B", "B"),
        ("(b)", "B"),
        (r"\text{(B)}", "B"),
        (r"\boxed{B}", "B"),
        ("Option B", "B"),
        ("B. 42", "B"),
        ("B)42", "B"),
        ("B. because 21 + 21 is that", "B"),
        ("42", "B"),
        ("$42$", "B"),
        ("42.0", "B"),
        ("1 + x^2", "D"),
        ("e", "C"),  # an option's text, and no letter
        ("B. 21", None),  # another option's text
        ("E", None),  # no such option
        ("A or B", None),
        ("A, B", None),
        ("21 or 42", None),
        ("43", None),
        ("", None),
    ],
)
def test_a_letter_or_the_text_of_one_option_is_a_choice(answer: str, letter: str | None) -> None:
    assert chosen(answer, OPTIONS) == letter


def test_a_text_that_two_options_have_chooses_none() -> None:
    assert chosen("42", ("42", "42.0", "7")) is None
    assert chosen("B", ("42", "42.0", "7")) == "B"


def test_letters_that_are_numbers_elsewhere_are_letters_among_five_options() -> None:
    five = ("1", "2", "3", "4", "5")
    assert (chosen("e", five), chosen("E", five), chosen("f", five)) == ("E", "E", None)


def test_a_letter_wins_over_an_options_text_that_is_a_letter() -> None:
    assert chosen("A", ("B", "A")) == "A"


@pytest.mark.parametrize(
    ("row", "answer", "texts", "letter"),
    [
        ({"options": ["A)21", "B)21.5", "C)22"]}, "B", ("21", "21.5", "22"), "B"),  # AQuA-RAT
        ({"choices": ["0", "4", "2", "6"]}, 1, ("0", "4", "2", "6"), "B"),  # MMLU
        ({"options": {"A": "yes", "B": "no"}}, "A", ("yes", "no"), "A"),  # MedQA
        ({"choices": {"text": ["x", "y"], "label": ["1", "2"]}}, "2", ("x", "y"), "B"),  # ARC
        ({"options": ["A. one", "two"]}, "two", ("A. one", "two"), "B"),  # no letters of their own
    ],
)
def test_the_layouts_of_published_data_sets_are_read(
    row: dict[str, Any], answer: object, texts: tuple[str, ...], letter: str
) -> None:
    found, labels = read_options(row)
    assert found == texts
    assert right_letter(answer, found, labels) == letter


@pytest.mark.parametrize("answer", ["D", 4, -1, True, "4", None, ""])
def test_an_answer_that_is_no_option_is_refused(answer: object) -> None:
    with pytest.raises(ValueError, match="one of its labels A, B, C"):
        right_letter(answer, ("x", "y", "z"), ("A", "B", "C"))


@pytest.mark.parametrize("options", [["one"], [], [str(place) for place in range(11)]])
def test_too_few_and_too_many_options_are_refused(options: list[str]) -> None:
    with pytest.raises(ValueError, match=rf"2 to 10 options, got {len(options)}"):
        read_options({"options": options})


def test_options_stand_below_the_question_with_their_letters() -> None:
    assert with_options("6*7?", ("41", "42")) == "6*7?\n\nA) 41\nB) 42"
    assert read_options({"question": "6*7?"}) == ((), ())
