"""One form for what differs only in glyphs, noise and the programs a text went through."""

import pytest

from rlenvs.verifiers.notation.marking import with_units
from rlenvs.verifiers.notation.repair import repaired
from rlenvs.verifiers.notation.text import normal


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("\frac{1}{2}", r"\frac{1}{2}"),
        ("\text{odd}", r"\text{odd}"),
        ("x\times 2", r"x\times 2"),
        (r"\\frac{1}{2}", r"\frac{1}{2}"),
        (r"\begin{pmatrix}1\\pi\end{pmatrix}", r"\begin{pmatrix}1\\pi\end{pmatrix}"),
        ("3<sup>x</sup>", "3^{x}"),
        ("②③", "2,3"),
        ("a\tb", "a\tb"),
    ],
)
def test_what_a_program_did_to_latex_is_undone(text: str, whole: str) -> None:
    assert repaired(text) == whole


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (r"$\boxed{ \displaystyle \dfrac{1}{2} }$.", r"\frac{1}{2}"),
        (r"\text{Even}", "Even"),
        ("２５", "25"),
        ("√2", r"\sqrt{2}"),
        ("x²+1", "x^{2}+1"),
        ("52₈", "52_{8}"),
        ("λ ≤ 3", r"\lambda \le 3"),
        (r"\sqrt2 \approx 1.414", r"\sqrt2 \approx 1.414"),
        ("x ≈ 3.2", r"x \approx 3.2"),
        (r"12^{\mathrm{th}}", "12"),
        ("2st", "2st"),
        (r"\cos{60^{\circ}}", r"\cos{60^\circ }"),
        (r"11,\! 111", "11,111"),
    ],
)
def test_the_normal_form(text: str, form: str) -> None:
    assert normal(text) == form


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("5 apples", r"5 \text{apples}"),
        ("10cm", r"10\text{cm}"),
        ("5 cm and 6 cm", r"5 \text{cm} and 6 \text{cm}"),
        ("72 km/h", r"72 \text{km/h}"),
        ("2mg", "2mg"),
        (r"\sqrt{2} s", r"\sqrt{2} s"),
        ("2abc", "2abc"),
        ("28 percent", "28%"),
        ("5 million", r"5 \cdot 10^6 "),
        ("2 sin", "2 sin"),
    ],
)
def test_units_and_counted_nouns_are_marked(text: str, marked: str) -> None:
    assert with_units(text) == marked
