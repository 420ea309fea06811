"""Units of measurement: their names, and how many of the base unit each is. A counted noun is a unit of its own."""

import re
from fractions import Fraction
from typing import NamedTuple

from rlenvs.verifiers.counted import is_counted


class Unit(NamedTuple):
    """A unit as a multiple of base units.

    Two with the same `bases` measure the same; `factor` says how many base units one is.
    """

    bases: tuple[tuple[str, int], ...]  # (name, power), sorted
    factor: Fraction


def unit(text: str) -> Unit | None:
    """The unit that a phrase names, `km/h`, `square feet`, `meters per second^2`; None where it names none.

    A word that is no known unit is a counted noun: `apples` is measured in apples.
    """
    powers: dict[str, int] = {}
    factor = Fraction(1)
    direction = 1
    scale = 1  # what "square" does to the next name
    last: tuple[str, Fraction, int] | None = None  # the name before, which "squared" is about
    if len(text.split()) > _MAX_WORDS:
        return None
    text = _COMPOUND.sub(lambda name: _COMPOUNDS[name[0].lower()], text.strip(" ."))
    for found in _PART.finditer(text):
        word = found["word"]
        if word is None:
            direction = {"/": -1, "*": 1, "·": 1}.get(found[0], direction)
            continue
        name = word.lower() if word.lower() in _POWERS or word in ("per", "of") else word
        if name == "per":
            direction = -1
        elif name in ("squared", "cubed") and last is not None:
            base, multiple, power = last
            powers[base] += power * (_POWERS[name] - 1)
            factor *= multiple ** (power * (_POWERS[name] - 1))
        elif name in _POWERS:
            scale = _POWERS[name]
        elif not is_known(name) and not is_counted(name):
            return None
        elif name not in _SKIPPED:
            power = direction * scale * int(found["power"] or 1)
            base, multiple = _named(word)
            powers[base] = powers.get(base, 0) + power
            factor *= multiple**power
            last, scale = (base, multiple, power), 1
    if not any(powers.values()) or _PART.sub("", text).strip():
        return None
    return Unit(tuple(sorted((base, power) for base, power in powers.items() if power)), factor)


_PART = re.compile(
    r"(?P<word>[A-Za-z]+|\\\$|[$€£¥₹]|\^\\circ(?: ?[CF])?|°)(?:\s*\^\s*\{?(?P<power>-?[1-4])\}?)?|/|[.*·-]"
)
_COMPOUNDS = {
    "mph": "mile/hour", "kmh": "km/hour", "kph": "km/hour", "fps": "foot/second",
    **{f"{name} {scale[:size]}": scale for scale in ("celsius", "fahrenheit") for size in (1, None)
       for name in ("degree", "degrees")},
}  # fmt: skip
_COMPOUND = re.compile(rf"\b(?:{'|'.join(_COMPOUNDS)})\b", re.IGNORECASE)
_POWERS = {"square": 2, "squared": 2, "sq": 2, "cubic": 3, "cubed": 3, "cu": 3}
_MAX_WORDS = 5
_SKIPPED = frozenset(("of", "the", "a", "an"))


def is_known(name: str) -> bool:
    """Whether it is the name of a unit, and no counted noun."""
    single = name.removesuffix("s")
    return bool({name, single if len(name) > 2 else name} & (_UNITS.keys() | _COMPOUNDS.keys() | _POWERS.keys()))


def is_measure(measured: Unit) -> bool:
    """Whether it is made of units of measurement alone, and of no counted noun."""
    return all(base in _BASE_UNITS for base, _ in measured.bases)


def _named(word: str) -> tuple[str, Fraction]:
    """(base unit, how many of it) of one name."""
    is_spelled = len(word) > 3 and word[1:].islower() and not (word[0] == "M" and len(word) < _LONG)  # Mbar is no mbar
    lower = word.lower() if is_spelled else word
    for name in (word, lower, *(lower.removesuffix(end) for end in ("s", "es") if len(lower) > 2)):
        if name in _UNITS:
            return _UNITS[name]
    return lower.removesuffix("s") if is_spelled else word, Fraction(1)


_LONG = 5  # letters of a name that is no symbol


def _table(base: str, names: str) -> dict[str, tuple[str, Fraction]]:
    """`"km kilometer=1000"` and so on: the names of units that are multiples of one base unit."""
    found = {}
    for entry in names.split(","):
        spelled, _, multiple = entry.partition("=")
        for name in spelled.split():
            found[name] = (base, Fraction(multiple or 1))
    return found


_UNITS = {
    **_table("m", "m meter metre,km kilometer kilometre=1000,cm centimeter centimetre=1/100,mm millimeter=1/1000"),
    **_table("m", "um micrometer micron=1/1000000"),
    **_table(
        "m", "nm nanometer=1/1000000000,dm=1/10,in inch=0.0254,ft foot feet=0.3048,yd yard=0.9144,mi mile=1609.344"
    ),
    **_table("g", "g gram,kg kilogram=1000,mg milligram=1/1000,lb lbs pound=453.59237,oz ounce=28.349523125"),
    **_table("s", "s sec second,ms millisecond=1/1000,min minute=60,h hr hour=3600,day=86400,week=604800"),
    **_table("dollar", r"\$ $ dollar USD usd,cent ¢=1/100"),
    **_table("euro", "€ euro EUR"),
    **_table("pound sterling", "£ GBP"),
    **_table("yuan", "¥ yuan RMB CNY"),
    **_table("rupee", "₹ rupee INR"),
    **_table("yen", "yen JPY"),
    **_table("degree", r"^\circ ° degree deg"),
    **_table("l", "l L liter litre,ml mL milliliter=1/1000"),
    **_table("J", "J joule,kJ kilojoule=1000"),
    **_table("N", "N newton,kN=1000"),
    **_table("W", "W watt,kW kilowatt=1000"),
    **_table("Hz", "Hz hertz,kHz=1000,MHz=1000000"),
    **_table("ohm", "ohm Ω,kΩ=1000"),
    **_table("radian", "rad radian"),
    **_table("V", "V volt"),
    **_table("A", "A amp ampere"),
    **_table("K", "K kelvin"),
    **_table("celsius", "celsius centigrade"),
    **_table("fahrenheit", "fahrenheit"),
    **_table("eV", "eV electronvolt,keV=1000,MeV=1000000"),
}
_BASE_UNITS = frozenset(base for base, _ in _UNITS.values())
