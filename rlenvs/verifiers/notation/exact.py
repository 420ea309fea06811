r"""Numbers exactly, without any computer algebra: integers, decimals, fractions, mixed numbers, percents, bases.

A number is a `Fraction`; what is not plainly one number is None and left to `compare`.
"""

import re
from fractions import Fraction

_MAX_EXPONENT = 400
_PLAIN = r"\d+(?:\.\d+)?|\.\d+|\d+\."
_GROUPED = r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?|[1-9]\d{0,2}(?: \d{3})+(?:\.\d+)?"
_UNSIGNED = rf"(?:{_GROUPED}|{_PLAIN})"
_SIGN = r"(?P<sign>[-+]?)\s*"
_CURRENCY = r"(?:\\\$\s*)?"

_DECIMAL = re.compile(rf"{_CURRENCY}{_SIGN}{_CURRENCY}(?P<value>{_UNSIGNED})\s*(?:\\\$)?")
_POWER_OF_TEN = re.compile(
    rf"{_SIGN}(?P<value>{_PLAIN})(?:\s*(?:\\times|\\cdot|\*)\s*10\s*\^\s*\{{?\s*|[eE](?!\+\d$)|E)(?P<exponent>[-+]?\d{{1,4}})\s*\}}?"
)
_SHORT_FRACTION = re.compile(r"\\frac\s*(\d)\s*(\d)$|\\frac\s*(\d)\s*\{([^{}]+)\}$|\\frac\s*\{([^{}]+)\}\s*(\d)$")
_FRACTION = re.compile(
    rf"{_SIGN}(?:(?P<whole>\d+)(?:\s*(?=\\frac)|\s+(?=\d)))?"
    r"(?:\\frac\s*\{\s*(?P<top>[^{}]*)\s*\}\s*\{\s*(?P<bottom>[^{}]*)\s*\}"
    r"|(?P<numerator>[\d.,]+)\s*(?:/|\\div)\s*(?P<denominator>-?[\d.,]+))"
)
_PERCENT = re.compile(r"(.*[\d}])\s*(?:%|(?:\\text\s*\{\s*)?(?:%|percent(?:age)?|pct)(?:\s*\})?)")
_REPEATING = re.compile(rf"{_SIGN}(?P<whole>\d*)\.(?P<fixed>\d*)\\overline\s*\{{?(?P<period>\d{{1,50}})\}}?")
_DOTTED = re.compile(rf"{_SIGN}(?P<whole>\d*)\.(?P<digits>\d{{3,200}})\.\.\.")
_DIGITS = r"\d[0-9A-Za-z]{0,200}"
_BASED = re.compile(
    rf"(?:\((?P<enclosed>{_DIGITS})\)|(?P<digits>{_DIGITS}|\d+\.\d+|[A-F][0-9A-F]+(?=_\s*\{{?\s*16)))\s*"
    r"(?:_\s*\{?\s*(?P<base>\d{1,2})\s*\}?|\(?(?:in )?base[ -](?P<named>\d{1,2})\)?)"
)
_PREFIXED = re.compile(r"0(?P<sign>[bxo])(?P<digits>[0-9a-f]{1,200})", re.IGNORECASE)
_PREFIXES = {"b": 2, "o": 8, "x": 16}


def number(text: str) -> Fraction | None:
    """The value of a text that is one number; None if it is anything else."""
    percent = _PERCENT.fullmatch(text)
    if percent:
        value = number(percent[1])
        return None if value is None else value / 100
    for read in (_decimal, _fraction, _power_of_ten, _repeating, _dotted, _based):
        value = read(text)
        if value is not None:
            return value
    return None


def is_percent(text: str) -> bool:
    """Whether a number is written as a percentage."""
    return _PERCENT.fullmatch(text) is not None


def digits_and_base(text: str) -> tuple[str, int] | None:
    """`52_8` as ("52", 8)."""
    text = text.rpartition("=")[2].strip()  # x = 52_8
    text = text[1:-1] if text.startswith("(") and text.endswith(")") and "(" not in text[1:] else text
    if prefixed := _PREFIXED.fullmatch(text):
        return prefixed["digits"].lower(), _PREFIXES[prefixed["sign"].lower()]
    found = _BASED.fullmatch(text)
    base = int(found["base"] or found["named"]) if found else 0
    if not found or not 2 <= base <= 36:
        return None
    return (found["enclosed"] or found["digits"]).lower(), base


def _signed(sign: str, value: Fraction) -> Fraction:
    return -value if sign == "-" else value


def _decimal(text: str) -> Fraction | None:
    found = _DECIMAL.fullmatch(text)
    return _signed(found["sign"], Fraction(re.sub("[, ]", "", found["value"]))) if found else None


def _power_of_ten(text: str) -> Fraction | None:
    found = _POWER_OF_TEN.fullmatch(text)
    if not found or abs(int(found["exponent"])) > _MAX_EXPONENT:
        return None
    return _signed(found["sign"], Fraction(found["value"]) * Fraction(10) ** int(found["exponent"]))


def _fraction(text: str) -> Fraction | None:
    found = _FRACTION.fullmatch(_SHORT_FRACTION.sub(_with_braces, text))
    if not found:
        return None
    top = _decimal((found["top"] or found["numerator"] or "").strip())
    bottom = _decimal((found["bottom"] or found["denominator"] or "").strip())
    if top is None or not bottom or (found["whole"] and not 0 <= top / bottom < 1):
        return None
    return _signed(found["sign"], int(found["whole"] or 0) + top / bottom)


def _with_braces(short: re.Match[str]) -> str:
    top, bottom = (part for part in short.groups() if part)
    return rf"\frac{{{top}}}{{{bottom}}}"


def _repeating(text: str) -> Fraction | None:
    found = _REPEATING.fullmatch(text)
    return _periodic(found["sign"], found["whole"], found["fixed"], found["period"]) if found else None


def _dotted(text: str) -> Fraction | None:
    """`0.333...` where one period is plain: it fills the digits at least twice after at most one fixed digit."""
    found = _DOTTED.fullmatch(text)
    if not found:
        return None
    digits = found["digits"]
    for fixed in (0, 1):
        for length in range(1, (len(digits) - fixed) // 2 + 1):
            period = digits[fixed : fixed + length]
            repeated = period * len(digits)
            if digits[fixed:] == repeated[: len(digits) - fixed]:
                return _periodic(found["sign"], found["whole"], digits[:fixed], period)
    return None


def _periodic(sign: str, whole: str, fixed: str, period: str) -> Fraction:
    """whole.fixed(period): the period's geometric series, summed."""
    scale = Fraction(1, 10 ** len(fixed))
    value = int(whole or 0) + int(fixed or 0) * scale + scale * Fraction(int(period), 10 ** len(period) - 1)
    return _signed(sign, value)


def _based(text: str) -> Fraction | None:
    found = digits_and_base(text)
    if not found:
        return None
    try:
        return Fraction(int(*found))
    except ValueError:
        return None  # a digit that the base does not have
