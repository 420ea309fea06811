"""Forms that a question asks for, as they show in how an answer is written: reduced, a decimal, scientific notation."""

import re
from collections.abc import Callable
from fractions import Fraction


def why_not_written(gold: str, answer: str, question: str) -> str:
    """Which form of the reference an answer lacks that the question asks for; empty where it lacks none.

    Args:
        gold, answer: of the same value, in normal form.
    """
    return next(
        (
            sentence
            for is_asked, is_missing, sentence in _FORMS
            if is_asked.search(question) and is_missing(answer) and not is_missing(gold)
        ),
        "",
    )


_QUOTIENT = re.compile(r"\\frac\s*\{?\s*(\d+)\s*\}?\s*\{?\s*(\d+)\s*\}?|(?<![\d.])(\d+)\s*/\s*(\d+)(?![\d.])")
_DECIMAL = re.compile(r"\d*\.(?:\d|\\overline)")
_SHARE = re.compile(r"\\frac|/|^-?0?\.")  # of one, which no percentage is
_SCIENTIFIC = re.compile(r"(?<![\d.])[1-9](?:\.\d+)?\s*(?:(?:\\times|\\cdot|\*|×)\s*10\s*\^|[eE])")
_MIXED = re.compile(r"\d\s*\\frac|\d \d+/\d")
_LOGARITHM = re.compile(r"\\?(?:ln|log)(?![a-z])")
_ROOT = re.compile(r"\\sqrt\s*\{\s*(\d+)\s*\}|\\sqrt\s*(\d)")
_ROOT_BELOW = re.compile(
    r"\\frac\s*\{[^{}]*\}\s*\{[^{}]*\\sqrt|/\s*\(?\s*\d*\s*\\sqrt|\\sqrt\s*\{\s*\\frac|\\frac\s*\d\s*\{[^{}]*\\sqrt"
)
_FACTORS = re.compile(r"(?<![\^\d{])\d+")  # that are no exponents
_MOST = 10**6  # of a number whose divisors are looked for


def is_quotient(text: str) -> bool:
    """Whether it is one quotient of whole numbers, as it is written."""
    return _QUOTIENT.fullmatch(text.strip()) is not None


def _is_reducible(text: str) -> bool:
    return any(
        int(bottom) and Fraction(int(top), int(bottom)).denominator != int(bottom)
        for found in _QUOTIENT.finditer(text)
        for top, bottom in [tuple(digits for digits in found.groups() if digits)]
    )


def _has_square_in_root(text: str) -> bool:
    numbers = [int(found[1] or found[2]) for found in _ROOT.finditer(text)]
    return any(number and number % (root * root) == 0 for number in numbers for root in range(2, 100))


def _has_composite(text: str) -> bool:
    numbers = [int(found[0]) for found in _FACTORS.finditer(text)]
    return any(
        number % divisor == 0 for number in numbers if number < _MOST for divisor in range(2, int(number**0.5) + 1)
    )


def _lacks(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.search(text) is None


def _has(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.search(text) is not None


_Missing = Callable[[str], bool]
_FORMS: list[tuple[re.Pattern[str], _Missing, str]] = [
    (re.compile(pattern, re.IGNORECASE), is_missing, sentence)
    for pattern, is_missing, sentence in [
        (r"simplif|simplest|lowest terms|reduced (?:form|fraction)|common fraction", _is_reducible, "not reduced"),
        (
            r"\bas an? (?:\w+ )?(?:fraction|mixed number)\b|\bcommon fraction\b"
            r"|\bfraction in (?:its )?(?:lowest|simplest)",
            lambda text: not _QUOTIENT.search(text) and ("%" in text or bool(_DECIMAL.search(text))),
            "no fraction",
        ),
        (
            r"\b(?:as|to|into|in) (?:an? )?(?:\w+ )?decimal\b",
            lambda text: "%" in text or bool(_QUOTIENT.search(text)),
            "no decimal",
        ),
        (
            r"\b(?:as|to|into) (?:an? )?percent(?:age)?\b",
            lambda text: "%" not in text and _SHARE.search(text) is not None,
            "no percentage",
        ),
        (r"", _has(re.compile(r"\d[)}]*\s*(?:\\div|÷)")), "a division that is not done"),
        (r"\b(?:scientific notation|standard form)\b", _lacks(_SCIENTIFIC), "not in scientific notation"),
        (r"\bmixed number\b", _lacks(_MIXED), "no mixed number"),
        (r"\bimproper fraction\b", _has(_MIXED), "no improper fraction"),
        (r"\bpower of (?:\d|two|three|ten|\$)", _lacks(re.compile(r"\^")), "no power"),
        (r"\bprime factor", _has_composite, "factors that are no primes"),
        (r"\bsingle logarithm\b", lambda text: len(_LOGARITHM.findall(text)) != 1, "several logarithms"),
        (r"\b(?:simplest radical|simplified radical|simplify)\b", _has_square_in_root, "a root that is not simplified"),
        (r"\brationali[sz]e\b", _has(_ROOT_BELOW), "a root in the denominator"),
        (r"\bslope[- ]intercept\b", _lacks(re.compile(r"^y\s*=[^()]*$")), "not in slope-intercept form"),
    ]
]
