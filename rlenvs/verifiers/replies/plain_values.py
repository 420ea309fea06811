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
    if not content.strip() or "\n" in content or text[end + 1 : end + 2].isdigit():
        return False
    is_spaced = content[0] == content[-1] == " " and not _WORD.search(_COMMANDS.sub("", content))
    return content == content.strip() or is_spaced


_COMMANDS = re.compile(r"\\[a-zA-Z]+\s?(?:\{[a-zA-Z*| ]+\}){0,2}")
_WORD = re.compile(r"[a-zA-Z]{2}|[a-zA-Z]\s+[a-zA-Z]")


_NUMBER = re.compile(
    r"(?:[a-zA-Z]\s*=\s*)?\\?\$?(?P<sign>[-−]?)\s*(?:(?P<number>\d[\d,]*(?:\.\d+)?(?:\s*/\s*\d+)?)"
    r"|\\[dt]?frac\s*\{(?P<above>\d+)\}\s*\{(?P<below>\d+)\})\s*(?:\\?%|\\text\s*\{[^{}]*\}|[a-zA-Z ]*)\.?"
)
_LETTER = re.compile(r"\(?([A-J])\)?\.?")


def are_different(one: str, other: str) -> bool:
    """Whether two answers are numbers, letters of choices, or formulas, that differ. Else they may be equal."""
    keys = [(number_of(text), _LETTER.fullmatch(_bare(text))) for text in (one, other)]
    (number, letter), (other_number, other_letter) = keys
    if number is not None and other_number is not None:
        return number != other_number
    if letter or other_letter:
        return letter is not None and other_letter is not None and letter[1] != other_letter[1]
    is_list = {"," in text for text in (one, other)}  # of two solutions one may be the answer
    is_rounded = any(_DECIMAL.search(text) for text in (one, other))
    return len(is_list) == 1 and not is_rounded and _verdict(one, other) == _verdict(other, one) == "differ"


def are_same(one: str, other: str) -> bool:
    """Whether two answers are the same value, written twice: 0.5 and 1/2, 1/2 and 50%, two forms of a formula."""
    number, other_number = _share(one), _share(other)
    if number is not None and other_number is not None:
        return number == other_number
    return _verdict(one, other) == "equal"


_DECIMAL = re.compile(r"\d\.\d|\.\d|≈|\\approx")
_LONGEST_FORMULA = 200
_NO_FORMULA = re.compile(
    r"(?<![\\a-zA-Z])(?!(?:sin|cos|tan|log|sqrt|exp)(?![a-z]))[a-zA-Z]{3,}|boxed|[^\x00-\x7fπ√°∞∪≤≥−]"
)


def _verdict(one: str, other: str) -> str:
    """What the comparison of answers says about two formulas: equal, differ, or nothing."""
    from rlenvs.verifiers.compare import Judgement, compare  # it reads texts with the help of this package

    is_formula_each = [
        len(text) <= _LONGEST_FORMULA and not _NO_FORMULA.search(_COMMANDS.sub("", text)) for text in (one, other)
    ]
    if not all(is_formula_each):
        return ""
    judged = compare(one, other, "", lambda _gold, _answer: Judgement("not_equal", "undecided"))
    if judged.verdict == "equal":
        return "equal"
    return "differ" if judged == ("not_equal", "", False) else ""


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
