"""What a policy could try, and a mathematician would not accept; and what both write in many ways.

Found by reading the rules for holes: each pair is of a kind, and the kind is what is mended.
"""

import time

import pytest

from rlenvs import verifiers


@pytest.mark.parametrize(
    ("gold", "answer", "question"),
    [
        ("2x+1", "x+y=y+x", ""),
        ("x", "n+y=y+n", ""),
        ("ad-bc", "0", ""),
        ("b^2-4ac", "-3b^2", ""),
        ("x+y", "4x", ""),
        ("2", "2^{2^{127}-1}", ""),
        ("x=5", "2x+3=13", ""),
        ("x>2", "3x-1>5", ""),
        ("B", "C", "Which of the following is true?"),
        ("P", "Q", "Which point is the centre?"),
        ("(a,b)", "(b,a)", "Find the pair."),
        ("y=2x", "x=2y", "Find the line."),
        ("x^2", "y^2", "If $xy=1$ find it."),
        ("4210_5", "555", "Express 555 (base ten) in base 5."),
        ("52_8", "42", ""),
        ("52_8", "101010_2", "Write it in base 8."),
        ("41", r"41\text{, 42 or 43}", ""),
        ("5", r"5\text{ (wrong)}", ""),
        ("5", r"5\text{ is not the answer}", ""),
        ("2", r"2\text{x+1}", ""),
        ("5", "5 does not work", ""),
        ("3", "3 over pi", ""),
        ("5", "5 thirds", ""),
        ("7", "7 halves", ""),
        ("3", "3 dozen", ""),
        ("6", "6 or so", ""),
        ("5", r"5\text{ million}", ""),
        ("5", "5million", ""),
        ("200", "2 hundred thousand", ""),
        ("28", "28 percent", ""),
        (r"\lceil x\rceil-1", r"\lfloor x\rfloor", ""),
        ("100!", "100!-1", ""),
        (r"\binom{2023}{1011}", r"\binom{2023}{1011}-1", ""),
        ("50!+1", "50!", ""),
        ("10^{30}", r"\sqrt{10^{60}+1}", ""),
        (r"\cosh 200", r"\sinh 200", ""),
        ("x=1, y=2", "2, 1", ""),
        ("(2,5)", "b=2, m=5", "Find (m, b)."),
        ("mean = 4, median = 5", "mean = 5, median = 4", ""),
        ("Area: 12", "Perimeter: 12", ""),
        ("Wrong: 5", "5", ""),
        ("x>1, y<2", "y>1, x<2", ""),
        ("x>1, y<2", "(1,2)", ""),
        ("1<x and x<3 or x=5", r"\mathbb{R}", ""),
        ("2024-01-05", "2018", ""),
        ("1/10/2024", "2/20/2024", ""),
        (r"x \equiv 3 \mod 7", r"x \equiv 3 \mod 11", ""),
        (r"x \equiv 3 \mod 7", "x=3", ""),
        ("Plan A", "plan", ""),
        ("vitamin A", "vitamin", ""),
        ("A", "(A) or (B) or (C) or (D)", ""),
        ("A", "A. or B", ""),
        ("S", "s: nonsense", ""),
        ("2abc", "2", ""),
        ("6aei", "6", ""),
        ("2mg", "2", ""),
        (r"\sqrt{2} s", r"\sqrt2", ""),
        ("5", r"3+2\mathrm{i}", ""),
        ("3 N*m", "3 N/m", ""),
        ("5 meters", "5 meters squared", ""),
        ("€5", r"\$5", ""),
        ("0.5", "0.5%", "a 20% discount, what fraction"),
        ("f(n)=n for all n>5", "f(n)=n for every n<3", ""),
        ("0", r"\ln 0+5", ""),
        ("5", r"5+(\ln 0+1)", ""),
        ("0", r"\frac{1}{\ln 0}", ""),
        ("x<2", "|x+10|<12", ""),
        (r"(-\infty,\infty)", r"x=\infty", ""),
        ("12.25", "12.3", "What is the circle around it?"),
        ("2.236", "2.24", "Give it to four decimal places."),
        (r"\frac{355}{113}", "3.14", "What is x?"),
        ("all reals except 1.5", "all reals except 1, 5", ""),
        ("0,125", "125", ""),
        ("528", "52₈", ""),
        ("x", r"\max(x,-100)", ""),
        (r"x = 3\text{ cm} = 5\text{ cm}", "5 cm", ""),
        ("(3,4)", "x=(1,2)=(3,4)", ""),
        ("xy=6", "6", ""),
        (r"\emptyset", r"\{\emptyset\}", ""),
        (r"\{1,2\}", r"\{\{1,2\}\}", ""),
        (r"\lfloor x \rfloor", "x", ""),
        (r"\lfloor x\rfloor", r"\lceil x\rceil", ""),
        (
            r"\lfloor n/5 \rfloor + \lfloor n/25 \rfloor + \lfloor n/125 \rfloor",
            r"\lfloor n/5 \rfloor + \lfloor n/25 \rfloor",
            "",
        ),
        (r"\binom{n}{50}", "0", ""),
        ("P(A)=0.5", "P(B)=0.5", ""),
        ("f(a)=3", "f(b)=3", ""),
        ("115,000", "0, 115", ""),
        ("1,000", "1,0", ""),
        ("12", "12%", "What is 20 percent of 60?"),
        ("5", r"500\%", "What percent of 20 is 1?"),
        ("2n", "2ⁿ", ""),
        ("8", "5[3]", ""),
        ("3", "3 fifths", ""),
        ("5", "5 thousands", ""),
        ("3", "3 out of five", ""),
        ("5", "5 possibly six", ""),
        ("A", "A. B. C. D.", ""),
        ("A", "A. is not the answer", ""),
        ("e", "E", ""),
        ("2024/01/05", "2024/05/01", ""),
        (r"5\text{ MW}", r"5\text{ mW}", ""),
        ("x>3", r"(3,\infty]", ""),
        (r"\frac{1}{3}", r"0.\overline{3", ""),
        ("3!!", "720", ""),
        ("AB=5, CD=6", "6, 5", ""),
        ("5", r"\max(5)", ""),
    ],
)
def test_no_trick_is_paid(gold: str, answer: str, question: str) -> None:
    assert verifiers.verify(gold, answer, question) != "equal"
    assert verifiers.verify(answer, gold, question) != "equal"


def test_what_the_question_says_is_not_worked_out_by_saying_it_again() -> None:
    assert verifiers.verify("391", "17*23", "What is $17*23$?") == "not_equal"
    assert verifiers.verify("391", "17*23", "What is the product of 17 and 23?") == "equal"


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("0", r"\cos 90^\circ"),
        ("-30", r"-30^\circ"),
        (r"\frac34", r"\frac34=0.75"),
        ("8", "5+3=8"),
        (r"x=0.1\overline{6}", r"x=\frac16"),
        (r"(0.1\overline{6},1)", r"(\frac16,1)"),
        ("5 hrs", "5 hours"),
        ("10 sq ft", "10 square feet"),
        ("64 sq. ft", "64"),
        ("5 in", "5 inches"),
        ("12 in", "1 ft"),
        ("5 cm and 6 cm", "6, 5"),
        (r"3 \text{ million dollars}", "3000000"),
        ("25", r"25^\circ C"),
        ("1:2", "2:4"),
        ("(720)", "(3!)!"),
        ("2^{10000}-1", "2^{10000} - 1"),
        (r"\left[\begin{array}{cc}1&2\\3&4\end{array}\right]", r"\begin{pmatrix}1&2\\3&4\end{pmatrix}"),
        ("B", "Option B"),
        (r"\text{B}", "b"),
        ("6.02 x 10^23", "6.02e23"),
        ("Alice and Bob", "Bob and Alice"),
        ("1, 234", "234, 1"),
        ("6", "f(2)=6"),
        ("2^n", "2ⁿ"),
        (r"A=\{1,2\}", r"\{1,2\}"),
        ("-5", "‑5"),
        ("5", r"\boldsymbol{5}"),
        ("x=3, y=4", r"\begin{cases} x=3\\y=4\end{cases}"),
        ("5", "|AB| = 5"),
    ],
)
def test_ways_of_writing_do_not_count(gold: str, answer: str) -> None:
    assert verifiers.verify(gold, answer) == "equal"
    assert verifiers.verify(answer, gold) == "equal"


@pytest.mark.parametrize(
    "hostile",
    [
        r"1\frac{1" * 19 + "x" + "}{2}" * 19,
        r"\ln(1+i\cdot10^{-10^{10}})",
        r"(1+i10^{-10^{10}})^{\pi}",
        r"\arctan(10^{-10^{9}}i)",
        "-" * 990 + "5",
        "x" + "%" * 900,
        "x" + "/2" * 490,
        "x" + "!%" * 400,
        r"\pm" * 660 + "1",
        "(" * 800,
        "+".join(["x!-x!"] * 300) + r"+\frac{1}{0}",
        r"\begin{pmatrix}\end{pmatrix}",
        r"(-\infty,a]",
        ",".join(rf"x\ne{number}" for number in range(250)),
        r"\cup".join(f"({number},{number + 1})" for number in range(150)),
        "1^" + " " * 1900 + "2",
    ],
    ids=range(16),
)
def test_no_answer_keeps_the_verifier_busy_or_breaks_it(hostile: str) -> None:
    for gold in ("7", r"(-\infty,-1]\cup[3,\infty)", "(1,2)", "x^2+1"):
        started = time.perf_counter()
        assert verifiers.verify(gold, hostile) == "not_equal"
        assert time.perf_counter() - started < 10
