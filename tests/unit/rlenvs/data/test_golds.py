"""References that can be read or not, and the wrong answers near one."""

import pytest

from rlenvs.data.golds import why_unreadable, wrong_answers


@pytest.mark.parametrize(
    "gold", ["18", r"\frac{1}{2}", "(3, 5]", r"\sum_{k=1}^{n} k", r"\text{Tuesday}", r"x \in \{1, 2\}"]
)
def test_a_reference_that_has_a_value_or_words_can_be_read(gold):
    assert why_unreadable(gold) == ""


@pytest.mark.parametrize(
    ("gold", "part"),
    [
        ("torch.asin(10/13)", "it cannot be read ('torch' is a word): only this very text is right"),
        ("$t(0,4]$", "only this very text is right"),
        (r"\frac{1}{2", "unbalanced braces"),
        ("nan", "no number"),
    ],
)
def test_one_that_has_none_is_said_with_the_reason(gold, part):
    assert part in why_unreadable(gold)


@pytest.mark.parametrize(
    ("gold", "wrong"),
    [
        ("18", ("19", "-18", "18, 7919")),
        ("-7", ("-8", "7", "-7, 7919")),
        ("0", ("1", "0, 7919")),
        ("3.5", ("4.5", "-3.5", "3.5, 7919")),
        ("3, 5", ("4, 5", "3, 5, 7919", "3")),
        ("a_1 + 2", ("a_1 + 3", "a_1 - 2", "a_1 + 2, 7919")),
        (r"\text{odd}", ("odd, 7919",)),
        (r"\pm 2", (r"\pm 3", r"\pm 2, 7919", "+ 2")),
    ],
)
def test_wrong_answers_are_one_more_another_sign_an_item_more_and_an_item_less(gold, wrong):
    assert wrong_answers(gold) == wrong
