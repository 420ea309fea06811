import pytest

from rlenvs.verifiers import VerifierError
from rlenvs.verifiers.credit import partial_credit


@pytest.mark.parametrize(
    ("gold", "answer", "share"),
    [
        ("1, 2, 3", "3, 1, 2", 1.0),
        ("1, 2, 3", "1, 2", 2 / 3),
        ("1, 2, 3", "1, 2, 4", 2 / 4),
        ("1, 2, 3", "1, 2, 3, 4", 3 / 4),
        ("1, 2, 3", "4, 5", 0.0),
        ("1, 2, 3", "2", 1 / 3),
        ("1, 2, 3", "", 0.0),
        (r"\{1, 2\}", r"\{2, 3\}", 1 / 3),
        (r"\{1, 2\}", r"\{2, 2, 2\}", 1 / 2),  # a set has it once
        ("1, 1, 2", "1, 2, 2", 2 / 4),  # a list has it as often as it says
        (r"\frac{1}{2} \text{ and } 3", "0.5", 1 / 2),
        (r"x = \pm 2", "-2", 1 / 2),
        (r"1 \pm \sqrt{2}", r"1 + \sqrt{2}, 3", 1 / 3),
        ("red, blue and green", "green and red", 2 / 3),
        ("(1, 2), (3, 4)", "(1, 2), (3, 5)", 1 / 3),  # a pair is one part
    ],
)
def test_parts_are_matched_in_any_order_and_extra_ones_cost(gold: str, answer: str, share: float) -> None:
    assert partial_credit(gold, answer) == pytest.approx(share)


@pytest.mark.parametrize(
    ("gold", "answer", "share"),
    [
        ("(1, 2, 3)", "(1, 2, 4)", 2 / 4),
        ("(1, 2)", "(2, 1)", 0.0),
        ("(1, 2)", "(1, 2, 3)", 2 / 3),
        ("(1, 2)", "[1, 2]", 0.0),
        ("(x, y) = (1, 2)", "(1, 3)", 1 / 3),
        (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", r"\begin{pmatrix}1&2\\3&5\end{pmatrix}", 3 / 5),
        (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", r"\begin{pmatrix}1&2&3&4\end{pmatrix}", 0.0),
        ("x = 1, y = 2", "y = 2, x = 3", 1 / 3),
        ("x = 1, y = 2", "y = 1, x = 2", 0.0),
        ("x = 1, y = 2", "1, 3", 1 / 3),
        ("x = 1, y = 2", "2, 1", 0.0),
    ],
)
def test_places_and_names_count_where_there_are_any(gold: str, answer: str, share: float) -> None:
    assert partial_credit(gold, answer) == pytest.approx(share)


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("5", "5, 6"),
        ("5", "5.1"),
        ("1,234", "1, 2"),
        (r"\frac{x+1}{2}", r"\frac{x+2}{2}"),
        ("(0, 1]", "(0, 2]"),
        (r"(-\infty, 3)", r"(-\infty, 4)"),
        ("x < 1 or x > 3", "x < 1"),
        (r"(0, 1) \cup (2, 3)", "(0, 1)"),
        ("Paris", "Rome"),
    ],
)
def test_one_value_or_a_set_of_reals_has_no_partial_credit(gold: str, answer: str) -> None:
    assert partial_credit(gold, gold) == 1.0
    assert partial_credit(gold, answer) == 0.0


def test_a_list_of_guesses_earns_next_to_nothing() -> None:
    assert partial_credit("3, 7", ", ".join(map(str, range(40)))) == pytest.approx(2 / 40)
    assert partial_credit("3, 7", ", ".join(map(str, range(41)))) == 0.0
    assert partial_credit("3, 7", ", ".join(map(str, range(1000)))) == 0.0


def test_what_cannot_be_read_earns_nothing_and_a_reference_that_cannot_is_an_error() -> None:
    for answer in ("1, {", "9^{9^{9^9}}, 1", "(" * 900, "1, " * 900, "9" * 3000):
        assert partial_credit("1, 2", answer) < 1.0
    with pytest.raises(VerifierError, match="bad_gold"):
        partial_credit("", "1")


def test_most_pairs_are_found_where_one_item_could_be_either_of_two() -> None:
    """0.667 is 2/3 in a question of everyday life; taken by the wrong partner, 0.667 itself would have none."""
    question = "Of the thirty people in a room, what part are adults and what part are children, both as they say?"
    assert partial_credit("2/3, 0.667, 5", "0.667, 0.6667, 7", question) == pytest.approx(2 / 4)
