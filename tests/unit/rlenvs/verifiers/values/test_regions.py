"""Sets of reals in one form."""

import pytest

from rlenvs.verifiers.notation.parser import parse
from rlenvs.verifiers.values import regions
from rlenvs.verifiers.values.rational import UndecidedError


def shown(text: str) -> list[str]:
    return [
        f"{'[' if piece.has_low else '('}{float(piece.low):g},{float(piece.high):g}{']' if piece.has_high else ')'}"
        for piece in regions.region(parse(text))
    ]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("(1,2]", ["(1,2]"]),
        (r"(-\infty, 3)", ["(-inf,3)"]),
        (r"x \le -1 \text{ or } x > 3", ["(-inf,-1]", "(3,inf)"]),
        (r"x > 1 \text{ and } x < 4", ["(1,4)"]),
        ("x < -1, x > 3", ["(-inf,-1)", "(3,inf)"]),
        ("1 < x, x < 4", ["(1,4)"]),
        (r"x \ne 3", ["(-inf,3)", "(3,inf)"]),
        (r"[1,2] \cup (2,3)", ["[1,3)"]),
        (r"(1,2) \cup (2,3)", ["(1,2)", "(2,3)"]),
        (r"(1,2) \cup \{2\} \cup (2,3)", ["(1,3)"]),
        (r"[0,5] \cap (2,9)", ["(2,5]"]),
        (r"[0,5] \setminus (2,3)", ["[0,2]", "[3,5]"]),
        (r"\mathbb{R} \setminus \{0, 1\}", ["(-inf,0)", "(0,1)", "(1,inf)"]),
        (r"\{x \mid x \ge \frac{1}{2}\}", ["[0.5,inf)"]),
        (r"\{x \in \mathbb{R} : x < 1\}", ["(-inf,1)"]),
        (r"\{3, 1, 2\}", ["[1,1]", "[2,2]", "[3,3]"]),
        ("[2,2]", ["[2,2]"]),
    ],
)
def test_a_region_is_its_pieces_from_left_to_right(text: str, pieces: list[str]) -> None:
    assert shown(text) == pieces


@pytest.mark.parametrize(
    "text", ["2x > 4", "x^2 < 4", "x > y", "(2,1)", "(a,b)", "1 < x and x < 3 or x = 5", r"x > \infty", "x > 1, y < 2"]
)
def test_what_takes_more_than_comparing_with_constants_is_undecided(text: str) -> None:
    with pytest.raises(UndecidedError):
        regions.region(parse(text))


def test_a_set_of_many_parts_is_undecided_at_once() -> None:
    with pytest.raises(UndecidedError, match="a set of"):
        regions.region(parse(r" \cup ".join(f"({number},{number + 1})" for number in range(60))))
