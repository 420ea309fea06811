"""Whether a program printed what was expected."""

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

_INTEGER = re.compile(r"[-+]?[0-9]{1,5000}")
_REAL = re.compile(r"[-+]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][-+]?[0-9]{1,4})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How what a program prints is compared with what is expected.

    By lines: CRLF is LF; blanks at the ends of lines and blank lines at the end do not count; everything else does. By
    tokens: no white space counts, beside that it separates. With a tolerance, the words of a line, or all tokens, are
    compared one by one, and numbers of which one is no integer may differ by that much.

    Raises:
        ValueError: a tolerance is negative or no number.
    """

    by: Literal["lines", "tokens"] = "lines"
    ignores_case: bool = False
    absolute_tol: float | None = None
    relative_tol: float | None = None  # times the expected number

    def __post_init__(self) -> None:
        for tolerance in (self.absolute_tol, self.relative_tol):
            if tolerance is not None and not 0 <= tolerance < math.inf:
                raise ValueError(f"a tolerance is a number from 0 on: got {tolerance!r}")

    @property
    def has_tolerance(self) -> bool:
        """Whether numbers may differ."""
        return self.absolute_tol is not None or self.relative_tol is not None


BY_LINES = Comparison()


def same_output(expected: str, given: bytes, comparison: Comparison = BY_LINES) -> bool:
    """Whether an output is the expected one. What is not UTF-8 is none."""
    try:
        text = given.decode()
    except UnicodeDecodeError:
        return False
    if comparison.ignores_case:
        expected, text = expected.lower(), text.lower()
    if comparison.by == "lines" and not comparison.has_tolerance:
        return _lines(expected) == _lines(text)
    words = [_words(side, comparison) for side in (expected, text)]
    if [len(line) for line in words[0]] != [len(line) for line in words[1]]:
        return False
    return all(
        _same_word(one, other, comparison)
        for lines in zip(*words, strict=True)
        for one, other in zip(*lines, strict=True)
    )


def _words(text: str, comparison: Comparison) -> list[list[str]]:
    return [text.split()] if comparison.by == "tokens" else [line.split() for line in _lines(text)]


def _lines(text: str) -> list[str]:
    lines = [line.rstrip(" \t") for line in text.replace("\r\n", "\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _same_word(expected: str, given: str, comparison: Comparison) -> bool:
    if expected == given:
        return True
    if not comparison.has_tolerance:
        return False
    if _INTEGER.fullmatch(expected) and _INTEGER.fullmatch(given):
        return _canonical(expected) == _canonical(given)
    if not _REAL.fullmatch(expected) or not _REAL.fullmatch(given):
        return False
    one, other = float(expected), float(given)
    if not math.isfinite(one) or not math.isfinite(other):
        return Fraction(expected) == Fraction(given)
    return abs(one - other) <= max(comparison.absolute_tol or 0.0, (comparison.relative_tol or 0.0) * abs(one))


def _canonical(digits: str) -> str:
    """Digits without a plus, and without zeros in front: `int` refuses thousands of them."""
    sign = "-" if digits.startswith("-") else ""
    bare = digits.lstrip("+-").lstrip("0")
    return sign + bare if bare else "0"
