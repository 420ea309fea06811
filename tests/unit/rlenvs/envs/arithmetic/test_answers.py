import pytest

from rlenvs.envs.arithmetic.answers import is_equal, number
from rlenvs.envs.arithmetic.problem import Form, Kind

RIGHT: list[tuple[Kind, str, str]] = [
    ("integer", "1234", "1,234"),
    ("integer", "1234", " +1234. "),
    ("integer", "-5", "−5"),
    ("integer", "-5", "$-5$"),
    ("integer", "12", "12.0"),
    ("integer", "12", r"\(12\)"),
    ("number", "1/2", "3/6"),
    ("number", "1/2", "0.5"),
    ("number", "1/2", ".50"),
    ("number", "1/2", r"\frac{1}{2}"),
    ("number", "1/2", r"\frac12"),
    ("number", "1/12", r"\frac1{12}"),
    ("number", "1/2", r"\dfrac{1}2"),
    ("number", "-1/2", r"\frac{-1}{2}"),
    ("number", "1/2", r"-\frac{-1}{2}"),
    ("number", "7/2", "3 1/2"),
    ("number", "-7/2", "-3 1/2"),
    ("number", "-7/2", r"-\dfrac{14}{4}"),
    ("number", "327.6", "327.60"),
    ("number", "327.6", "1638/5"),
    ("lowest", "3/4", "3/4"),
    ("lowest", "3/4", r"\frac{3}{4}"),
    ("lowest", "-3/4", r"\frac{-3}{4}"),
    ("lowest", "3/4", r"\frac34"),
    ("digits", "0134", "0 1 3 4"),
    ("digits", "0134", "0, 1, 3, 4"),
    ("digits", "0134", "[0, 1, 3, 4]"),
    ("sequence", "10 34 99", "10, 34, 99"),
    ("sequence", "10 34 99", "(10, 34, 99)"),
    ("set", "-1/2, 3", "3, -0.5"),
    ("set", "-1/2, 3", "x = 3 or x = -1/2"),
    ("set", "-1/2, 3", "{3, -1/2}"),
    ("set", "-1/2, 3", "3 and -1/2"),
    ("set", "4", "4"),
    ("assignment", "x = 3, y = -2", "y=-2, x=3"),
    ("assignment", "x = 3, y = -2", "x = 3 and y = -2"),
    ("assignment", "x = 3, y = -2", "(3, -2)"),
    ("assignment", "x = 3, y = -2", "3, -2"),
    ("remainder", "21 r 3", "21 R 3"),
    ("remainder", "21 r 3", "21 remainder 3"),
    ("remainder", "21 r 3", "21r3"),
    ("remainder", "21 r 3", "quotient 21 r 3"),
    ("remainder", "21 r 3", "Quotient: 21, remainder: 3"),
    ("remainder", "21 r 3", "21 with remainder 3"),
    ("polynomial", "x^2 - 7x + 6", "6 - 7x + x^2"),
    ("polynomial", "x^2 - 7x + 6", "x**2-7*x+6"),
    ("polynomial", "x^2 - 7x + 6", "x^{2} + -7x + 6"),
    ("polynomial", "x^2 - 7x + 6", "x*x - x*7 + 6"),
    ("polynomial", "x^2 - 7x + 6", "6 - 7x + x²"),
    ("polynomial", "2x^12 + 3", "x*x^11*2 + 3"),
    ("polynomial", "2x^12 + 3", "2x¹² + 3"),
    ("factored", "(x + 2)(2x - 3)", "(2x-3)(x+2)"),
    ("factored", "(x + 2)(2x - 3)", "-(x + 2)(3 - 2x)"),
    ("factored", "(x + 2)(x + 2)", "(x+2)^2"),
    ("factored", "x(x - 3)(x + 3)", "(x+3)*x*(x-3)"),
    ("factored", "6(2x + 3)", "6(3 + 2x)"),
    ("expression", "54(6x - 7)^8", "9*(6x-7)^8*6"),
    ("expression", "8x - 3", "2(4x - 1) - 1"),
    ("expression", "3*cos(3x + 5)", r"3\cos(5+3x)"),
    ("expression", "2*exp(2x)", "2e^{2x}"),
    ("expression", "6x*sin(2x) + 6x^2*cos(2x)", "6x(sin(2x) + x cos(2x))"),
]

WRONG: list[tuple[Kind, str, str]] = [
    ("integer", "21", "84/4"),
    ("integer", "21", "12 + 9"),
    ("integer", "21", "21 22"),
    ("integer", "21", "20 or 21"),
    ("integer", "21", "021x"),
    ("integer", "21", "2 1"),
    ("integer", "21", "21.01"),
    ("integer", "21", ""),
    ("integer", "21", "."),
    ("integer", "21", "²¹"),
    ("integer", "21", "٢١"),
    ("integer", "21", "twenty-one"),
    ("integer", "1234", "1,2,34"),
    ("integer", "1234", "12,34"),
    ("number", "1/3", "0.333"),
    ("number", "1/3", "1/0"),
    ("number", "7/2", "3.1/2"),
    ("number", "1/23", r"\frac123"),
    ("number", "12/3", r"\frac123"),
    ("number", "1/2", r"\frac 12"),
    ("number", "-1/2", r"\frac-12"),
    ("number", "1/2", r"\frac10"),
    ("number", "1/2", r"\frac{1}{0}"),
    ("number", "327.6", "327,6"),
    ("lowest", "3/4", "6/8"),
    ("lowest", "3/4", r"\frac68"),
    ("lowest", "-3/4", r"\frac{-6}{8}"),
    ("lowest", "1/2", r"\frac{1}{0}"),
    ("lowest", "3/4", "0.75"),
    ("digits", "0134", "134"),
    ("digits", "0134", "01 34 5"),
    ("sequence", "10 34 99", "103499"),
    ("sequence", "10 34 99", "99, 34, 10"),
    ("sequence", "10 34 99", "10, 34"),
    ("set", "-1/2, 3", "3"),
    ("set", "-1/2, 3", "3, -1/2, 4"),
    ("set", "4", "4, 5"),
    ("assignment", "x = 3, y = -2", "x = 3"),
    ("assignment", "x = 3, y = -2", "-2, 3"),
    ("assignment", "x = 3, y = -2", "x = 3, y = -2, z = 1"),
    ("assignment", "x = 3, y = -2", "x = 3, x = 4, y = -2"),
    ("remainder", "21 r 3", "21"),
    ("remainder", "21 r 3", "21.3"),
    ("remainder", "21 r 3", "3 r 21"),
    ("remainder", "21 r 3", "remainder 21 r 3"),
    ("remainder", "21 r 3", "21 and 3"),
    ("polynomial", "x^2 - 7x + 6", "(x - 6)(x - 1)"),
    ("polynomial", "x^2 - 7x + 6", "x^2 - 6x - x + 6"),
    ("polynomial", "x^2 - 7x + 6", "x*x + x² - x^2 - 7x + 6"),
    ("polynomial", "6x^2", "2*3x^2"),
    ("polynomial", "6x^2", "2x*3x"),
    ("polynomial", "x^12", "x¹ ²"),
    ("polynomial", "x^2", "x^1²"),
    ("polynomial", "x^2 + x", "x*(x + 1)"),
    ("integer", "4", "2²"),
    ("polynomial", "x^2 - 7x + 6", "x^2 - 7x + 6 + y"),
    ("polynomial", "x^2 - 7x + 6", "x^2 - 7x"),
    ("factored", "(x + 2)(2x - 3)", "2x^2 + x - 6"),
    ("factored", "(x + 2)(2x - 3)", "(x + 2)(2x - 3) = 0"),
    ("factored", "6(2x + 3)", "3(4x + 6)"),
    ("factored", "6(2x + 3)", "12x + 18"),
    ("factored", "(x + 1)(x + 2)(x + 3)", "(x^2 + 3x + 2)(x + 3)"),
    ("expression", "54(6x - 7)^8", "54(6x - 7)^9"),
    ("expression", "3*cos(3x + 5)", "3*cos(3x)"),
    ("expression", "8x - 3", r"\frac{d}{dx}(4x^2 - 3x)"),
    ("expression", "8x - 3", "diff(4x^2-3x)"),
    ("expression", "8x - 3", "8x - 3 = 8x - 3"),
]


@pytest.mark.parametrize(("kind", "answer", "reply"), RIGHT)
def test_an_equivalent_form_is_accepted(kind: Kind, answer: str, reply: str) -> None:
    assert is_equal(reply, answer, Form(kind=kind))


@pytest.mark.parametrize(("kind", "answer", "reply"), WRONG)
def test_anything_else_is_refused(kind: Kind, answer: str, reply: str) -> None:
    assert not is_equal(reply, answer, Form(kind=kind))


def test_a_unit_may_follow_if_it_is_the_one_asked_for() -> None:
    form = Form(kind="integer", unit="m")
    assert is_equal("3000 m", "3000", form)
    assert is_equal(r"3000\text{ m}", "3000", form)
    assert is_equal("3000", "3000", form)
    assert not is_equal("3000 km", "3000", form)
    assert not is_equal("3000 mm", "3000", form)
    assert not is_equal("m", "3000", form)


def test_the_name_of_the_unknown_may_come_first() -> None:
    form = Form(kind="number", unknown="x")
    assert is_equal("x = -7/2", "-7/2", form)
    assert is_equal("x=-3.5", "-7/2", form)
    assert not is_equal("y = -7/2", "-7/2", form)
    assert not is_equal("x = x = -7/2", "-7/2", form)


HOSTILE = (
    "9" * 5000,
    "9^" * 60 + "9",
    "(" * 199,
    "(" * 90 + "x" + ")" * 90,
    "(x+1)^12" * 20,
    "((((((x+1)^12)^12)^12)^12)^12)^12",
    "((((((9)^12)^12)^12)^12)^12)^12",
    "-" * 150 + "x",
    "__import__('os').system('true')",
    "\x00",
    "1/" + "0" * 60,
    "," * 300,
    "1/x",
    "e",
    "e^",
    "x^-1",
    "x^x",
    "x^0.5",
    "sin",
    "sin(",
)


@pytest.mark.parametrize("reply", HOSTILE)
def test_a_hostile_reply_is_refused_at_once(reply: str) -> None:
    for kind, answer, _ in RIGHT:
        assert not is_equal(reply, answer, Form(kind=kind))


def test_a_number_is_read_exactly() -> None:
    assert number("0.1") == number("1/10")
    assert number("1,000,000.5") == number("2000001/2")
    assert number("10 % 3") is None
    assert number("1 / 0") is None
