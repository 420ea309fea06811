"""Answers that are plain to see: a number, the letter of a choice, what stands between the marks of a formula."""

import re
from fractions import Fraction

CHOICE = "(?-i:[A-J])"
"""The letter of a choice, in patterns that else take both cases."""


def plain(text: str) -> str:
    """A text without the emphasis and quotation marks around it."""
    return text.strip(' \n*_`"“”✅!,;，；')


def is_formula(text: str, opening: str, start: int, end: int) -> bool:
    """Whether a formula stands between two marks, and not what two amounts of dollars have between them."""
    content = text[start:end]
    if opening != "$":
        return bool(content.strip())
    return (
        bool(content) and content == content.strip() and "\n" not in content and not text[end + 1 : end + 2].isdigit()
    )


_NUMBER = re.compile(
    r"(?:[a-zA-Z]\s*=\s*)?\\?\$?(?P<sign>[-−]?)\s*(?:(?P<number>\d[\d,]*(?:\.\d+)?(?:\s*/\s*\d+)?)"
    r"|\\[dt]?frac\s*\{(?P<above>\d+)\}\s*\{(?P<below>\d+)\})\s*(?:\\?%|\\text\s*\{[^{}]*\}|[a-zA-Z ]*)\.?"
)
_LETTER = re.compile(r"\(?([A-J])\)?\.?")


def are_different(one: str, other: str) -> bool:
    """Whether two answers are numbers, or letters of choices, that differ. What is neither may be equal."""
    keys = [(number_of(text), _LETTER.fullmatch(_bare(text))) for text in (one, other)]
    (number, letter), (other_number, other_letter) = keys
    if number is not None and other_number is not None:
        return number != other_number
    return letter is not None and other_letter is not None and letter[1] != other_letter[1]


def are_same(one: str, other: str) -> bool:
    """Whether two answers are the same plain number, written twice: 0.5 and 1/2, 1/2 and 50%."""
    number, other_number = _share(one), _share(other)
    return number is not None and number == other_number


def _share(text: str) -> Fraction | None:
    number = number_of(text)
    return number / 100 if number is not None and _PERCENT.search(text) else number


_PERCENT = re.compile(r"(?:%|\bpercent)[\s$)}.]*$")


def _bare(text: str) -> str:
    return plain(re.sub(r"\\[()\[\]]|[${}]", "", text) if "frac" not in text else text.strip("$ "))


def number_of(text: str) -> Fraction | None:
    """A plain number, with a name before it or a word behind it; None for what is none."""
    found = _NUMBER.fullmatch(_bare(text))
    if found is None:
        return None
    digits = found["number"] or f"{found['above']}/{found['below']}"
    try:
        value = Fraction(digits.replace(",", "").replace(" ", ""))
    except (ValueError, ZeroDivisionError):  # more digits than Python converts; nothing over zero
        return None
    return -value if found["sign"] else value
