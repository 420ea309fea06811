"""The worker's mathematics, called in this process; its limits are tested through the pool."""

import pytest

from rlenvs.verifiers.worker import is_equal


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("x^2+2x+1", "(x+1)^2"),
        (r"\sin^2 x", r"1-\cos^2 x"),
        (r"\frac{1}{\sqrt{2}}", r"\frac{\sqrt{2}}{2}"),
        (r"\frac{\ln 2}{\ln 10}", r"\log_{10} 2"),
        (r"e^{i\pi}", "-1"),
        (r"\sqrt{-4}", "2i"),
        ("0.1+0.2", "0.3"),
        ("x=5", "5"),
        ("5", "x=5"),
        ("5", "x=y=5"),
        ("5", "x=2+3=5"),
        ("10", "n=2k=10"),
        ("f(x)=2x+1", "2x+1"),
        (r"\frac{1}{\sqrt{6}}", r"\frac{NO}{BO}=\frac{1}{\sqrt{6}}"),
        ("2x+y=3", "-4x-2y=-6"),
        (r"\int_0^x 2t \,dt", "x^2"),
        (r"\sum_{k=1}^{n} k", r"\frac{n(n+1)}{2}"),
        (r"\lim_{x \to 0} \frac{\sin x}{x}", "1"),
        (r"\begin{pmatrix} \frac{1}{2} & 1 \\ 0 & 2 \end{pmatrix}", r"\begin{pmatrix} 0.5 & 1 \\ 0 & 2 \end{pmatrix}"),
        (r"\infty", r"+\infty"),
        (r"\binom{n}{2}", r"\frac{n(n-1)}{2}"),
    ],
)
def test_equal_expressions_are_equal_both_ways(gold: str, answer: str) -> None:
    assert is_equal(gold, answer)[0] == "equal"
    assert is_equal(answer, gold)[0] == "equal"


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("x^2+2x+1", "y^2+2y+1"),
        ("5", "x=4=5"),
        ("5", "x=y=4=5"),
        ("-x^2", "(-x)^2"),
        (r"\sqrt{x^2}", "x"),
        (r"\frac{1}{2004!}", r"\frac{1}{2006!}"),
        (r"\pi", "3.14159265"),
        (r"\infty", "10^{100}"),
        ("x+z=1", "1"),
        ("2x=10", "10"),
        ("-x=5", "5"),
        ("x=5", "y=5"),
        ("x < 3", r"x \le 3"),
        (r"(0,9)\cup(9,36)", "(0,36)"),
        (r"\begin{pmatrix} 1 & 2 \end{pmatrix}", r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}"),
        (r"\ln 6", r"\ln 2 \cdot \ln 3"),
        ("5", r"4\sqrt(2)"),
        ("5", "5)"),
        ("5", r"\input{/etc/hostname}"),
    ],
)
def test_different_expressions_are_not_equal(gold: str, answer: str) -> None:
    assert is_equal(gold, answer)[0] == "not_equal"


@pytest.mark.parametrize("answer", ["10^{10^{9}}", "9^{9^{9^9}}", r"(9^{9999})^{9999}", "9999!", r"1/2^{10^8}"])
def test_what_would_be_huge_is_refused_before_it_is_worked_out(answer: str) -> None:
    assert is_equal("1+x", answer) == ("not_equal", "too large to be worked out, and not the same text")


def test_a_reference_that_does_not_parse_is_told_from_an_answer_that_does_not() -> None:
    assert is_equal("5)", "5")[0] == "bad_gold"
    assert is_equal("5", "5)")[0] == "not_equal"
