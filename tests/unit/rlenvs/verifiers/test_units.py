from fractions import Fraction

import pytest

from rlenvs.verifiers.units import Unit, unit


@pytest.mark.parametrize(
    ("text", "bases", "factor"),
    [
        ("km", {"m": 1}, Fraction(1000)),
        ("kilometers", {"m": 1}, Fraction(1000)),
        ("m^2", {"m": 2}, Fraction(1)),
        ("square feet", {"m": 2}, Fraction("0.3048") ** 2),
        ("km/h", {"m": 1, "s": -1}, Fraction(1000, 3600)),
        ("meters per second^2", {"m": 1, "s": -2}, Fraction(1)),
        ("mph", {"m": 1, "s": -1}, Fraction("1609.344") / 3600),
        ("apples", {"apple": 1}, Fraction(1)),
        ("degrees", {"degree": 1}, Fraction(1)),
        ("cents", {"dollar": 1}, Fraction(1, 100)),
        ("Inches", {"m": 1}, Fraction("0.0254")),
    ],
)
def test_a_unit_is_a_multiple_of_base_units(text: str, bases: dict[str, int], factor: Fraction) -> None:
    assert unit(text) == Unit(tuple(sorted(bases.items())), factor)


@pytest.mark.parametrize("text", ["", "million", "hundred apples", "/", "m(2)"])
def test_what_names_no_unit_is_none(text: str) -> None:
    assert unit(text) is None
