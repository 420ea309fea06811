from fractions import Fraction

import pytest

from rlenvs.verifiers.notation.exact import digits_and_base, is_percent, number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("18", 18),
        ("-0", 0),
        ("025", 25),
        ("+5", 5),
        (".5", Fraction(1, 2)),
        ("0.10", Fraction(1, 10)),
        ("7,425,000", 7425000),
        ("1 000 000", 1000000),
        ("1,000.99", Fraction(100099, 100)),
        ("2/3", Fraction(2, 3)),
        (r"-\frac{10}{4}", Fraction(-5, 2)),
        (r"\frac{10}{-9}", Fraction(-10, 9)),
        (r"\frac12", Fraction(1, 2)),
        (r"\frac{1}2", Fraction(1, 2)),
        (r"1 \div 3", Fraction(1, 3)),
        (r"3\frac{1}{2}", Fraction(7, 2)),
        ("3 1/2", Fraction(7, 2)),
        ("12.5%", Fraction(1, 8)),
        ("28 percent", Fraction(28, 100)),
        (r"2 \times 10^{-4}", Fraction(1, 5000)),
        ("6.02e3", 6020),
        (r"0.1\overline{6}", Fraction(1, 6)),
        ("0.333...", Fraction(1, 3)),
        (r"0.\overline{9}", 1),
        ("52_8", 42),
        ("1F_{16}".replace("F", "f"), 31),
        (r"\$18.90", Fraction(189, 10)),
        ("123456789012345678901", 123456789012345678901),
    ],
)
def test_a_number_has_its_exact_value(text: str, value: Fraction | int) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    "text", ["", "x", "1,2", "0,1", "3,5,7", "1/0", "1O", "5 5", "a_12", "9_8", "1e99999", "3.14...", "nan", "5 apples"]
)
def test_what_is_not_plainly_one_number_has_no_value(text: str) -> None:
    assert number(text) is None


def test_percents_and_bases_are_told_apart_from_other_numbers() -> None:
    assert is_percent("28%")
    assert not is_percent("0.28")
    assert digits_and_base("4210_{5}") == ("4210", 5)
    assert digits_and_base("4210") is None
