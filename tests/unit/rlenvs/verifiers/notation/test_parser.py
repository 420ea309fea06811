"""Text as trees: what is read as what, and what is not read at all."""

from fractions import Fraction

import pytest

from rlenvs.verifiers import tree
from rlenvs.verifiers.notation.cursor import MAX_DEPTH
from rlenvs.verifiers.notation.lexer import UnreadableError
from rlenvs.verifiers.notation.parser import parse
from rlenvs.verifiers.tree import Bracketed, Call, Constant, Items, Number, Power, Product, Relation, SetOf, Sum, Symbol

X, Y, HALF, TWO, THREE = Symbol("x"), Symbol("y"), Number(Fraction(1, 2)), Number(Fraction(2)), Number(Fraction(3))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("12", Number(Fraction(12))),
        ("-0.5", Number(Fraction(-1, 2))),
        ("1,234", Number(Fraction(1234))),
        (r"\frac12", HALF),
        (r"\frac{1}2", HALF),
        (r"3\frac{1}{2}", Number(Fraction(7, 2))),
        ("3 1/2", Number(Fraction(7, 2))),
        ("52_8", Number(Fraction(42))),
        ("50%", HALF),
        ("x^2y", Product((Power(X, TWO), Y))),
        ("-x^2", Product((tree.MINUS_ONE, Power(X, TWO)))),
        ("2-1-1", Sum((TWO, tree.MINUS_ONE, tree.MINUS_ONE))),
        ("x**2", Power(X, TWO)),
        ("2^3^2", Power(TWO, Power(THREE, TWO))),
        ("x(x+2)", Product((X, Sum((X, TWO))))),
        ("f(x)", Call("f", (X,))),
        ("P(x) = 2", Relation(("=",), (Call("P", (X,)), TWO))),
        (r"\sin^{-1} x", Call("arcsin", (X,))),
        (r"\sin^2 x", Power(Call("sin", (X,)), TWO)),
        (r"\sin 2x \cos y", Product((Call("sin", (Product((TWO, X)),)), Call("cos", (Y,))))),
        (r"\log_2 3", Call("log", (THREE, TWO))),
        ("sqrt(2)", Power(TWO, HALF)),
        (r"\sqrt[3]{x}", Power(X, Number(Fraction(1, 3)))),
        (r"|x|", Call("abs", (X,))),
        ("3!", Call("factorial", (THREE,))),
        (r"e^{i\pi}", Power(Constant("e"), Product((Constant("i"), Constant("pi"))))),
        (r"a_{n+1}", Symbol("a_n+1")),
        (r"\lambda_1'", Symbol("lambda_1'")),
        ("(2,3]", Bracketed("(", "]", (TWO, THREE))),
        (r"\{2,3\}", SetOf((TWO, THREE))),
        (r"\emptyset", SetOf(())),
        ("2, 3", Items((TWO, THREE), ",")),
        (r"2 \text{ or } 3", Items((TWO, THREE), "or")),
        ("2 < x <= 3", Relation(("<", "<="), (TWO, X, THREE))),
        ("2:3", tree.Ratio((TWO, THREE))),
        (r"3 \text{ cm}^2", tree.Quantity(THREE, "cm^2")),
        (r"\$3", tree.Quantity(THREE, "$")),
        (r"\begin{pmatrix} 2 & x \\ 3 & y \\ \end{pmatrix}", tree.Matrix(((TWO, X), (THREE, Y)))),
        (r"\{x \mid x > 2\}", tree.SetBuilder(X, Relation((">",), (X, TWO)))),
        (r"\mathbb{R} \setminus \{2\}", tree.SetOperation("setminus", (tree.SetNamed("R"), SetOf((TWO,))))),
    ],
)
def test_a_text_is_read_as_this_tree(text: str, found: tree.Node) -> None:
    assert parse(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 2",
        "2 +",
        "(1, 2",
        "hello",
        "x = ",
        r"\input{/etc/hostname}",
        "().__class__",
        "f'(",
        r"\frac{1}",
        "{1}}",
        "1..2",
        r"\text{so} 5",
    ],
)
def test_what_is_not_mathematics_from_end_to_end_is_not_read(text: str) -> None:
    with pytest.raises(UnreadableError):
        parse(text)


def test_inside_brackets_and_where_it_is_said_commas_separate() -> None:
    assert parse("1,234", is_grouped=False) == Items((tree.ONE, Number(Fraction(234))), ",")
    assert parse("(312,123)") == Bracketed("(", ")", (Number(Fraction(312)), Number(Fraction(123))))


def test_nesting_and_length_are_limited() -> None:
    assert parse("(" * 20 + "1" + ")" * 20) == tree.ONE
    with pytest.raises(UnreadableError, match=f"more than {MAX_DEPTH} deep"):
        parse("(" * 300 + "1" + ")" * 300)
    for deep in ("-" * 500 + "1", "x" + "!" * 500, "x" + "^x" * 400, "x" + "_x" * 400, r"\frac1" * 400):
        with pytest.raises(UnreadableError):
            parse(deep)
    with pytest.raises(UnreadableError, match="the limit is"):
        parse("9" * 1001)
    with pytest.raises(UnreadableError, match="the limit is"):
        parse("+1" * 900)


def test_a_decimal_keeps_how_many_places_it_was_written_with() -> None:
    assert [parse(text).places for text in ("2.50", "25", "2.5%", "-0.125")] == [2, None, 3, 3]  # type: ignore[attr-defined]
