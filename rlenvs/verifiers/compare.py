"""Whether two answers are equal, decided on structure first: lists by items, numbers exactly, units, words, choices.

What is left (one expression against another) goes to `Algebra`, the worker process behind `pool`. Wherever it is
unclear what an answer means, it is not equal: a wrong refusal costs less than a wrong acceptance.
"""

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

from rlenvs.verifiers import structure
from rlenvs.verifiers.exact import digits_and_base, is_percent, number
from rlenvs.verifiers.text import MAX_CHARS, as_latex, is_huge, normal

Equality = Literal["equal", "not_equal", "bad_gold", "error"]
"""bad_gold: the reference cannot be read, an error of the data. error: the check broke, whatever the answer is."""


class Judgement(NamedTuple):
    """A verdict, and why."""

    verdict: Equality
    reason: str = ""
    by_answer: bool = False  # an error that the texts compared caused, by using up their limits


Algebra = Callable[[str, str], Judgement]
"""(gold, answer), both LaTeX that should parse whole -> whether they are equal as expressions, relations or sets."""

EQUAL = Judgement("equal")
NOT_EQUAL = Judgement("not_equal")
_MAX_ITEMS = 30
_NOT_A_NUMBER = re.compile(r"[-+]?nan", re.IGNORECASE)
_CHOICE = re.compile(r"\(?[A-Z]\)?")
_RATIO = re.compile(r"[^:]+(?::[^:]+)+")
_ASKS_PERCENT = re.compile(r"percent|\\?%", re.IGNORECASE)
_ASKS_BASE = re.compile(r"\bbase[\s-]*(?:\$)?(\d+|two|three|four|five|six|seven|eight|nine)", re.IGNORECASE)
_SPELLED = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9}


def compare(gold: str, answer: str, question: str, algebra: Algebra) -> Judgement:
    """The verdict on an answer that is already extracted."""
    reference = normal(gold)
    why = _why_unreadable(reference)
    if why:
        return Judgement("bad_gold", why)
    if len(answer) > MAX_CHARS:
        return Judgement("not_equal", f"an answer of {len(answer)} characters; the limit is {MAX_CHARS}")
    given = normal(answer)
    if reference == given:
        return EQUAL
    if not given:
        return Judgement("not_equal", "an empty answer")
    if is_huge(given) or is_huge(reference):
        return Judgement("not_equal", "too large to be worked out, and not the same text")
    if r"\cup" in reference or r"\cup" in given:
        return _expressions(reference, given, algebra)
    return _lists(structure.items(reference), structure.items(given), question, algebra)


def _why_unreadable(reference: str) -> str:
    if len(reference) > MAX_CHARS:
        return f"a reference of {len(reference)} characters; the limit is {MAX_CHARS}"
    if not re.search(r"\w|\\emptyset", reference):
        return "an empty reference"
    if _NOT_A_NUMBER.fullmatch(reference):
        return "a reference that is no number, where a program failed to give one"
    plain = re.sub(r"\\[{}]", "", reference)
    return "" if plain.count("{") == plain.count("}") else "a reference with unbalanced braces"


def _lists(gold: list[str], answer: list[str], question: str, algebra: Algebra) -> Judgement:
    """Each item of one list equals one of the other, in any order."""
    if len(gold) != len(answer) or not 0 < len(gold) <= _MAX_ITEMS:
        return Judgement("not_equal", f"{len(gold)} items expected, {len(answer)} given")
    left = list(answer)
    for item in gold:
        for candidate in left:
            judged = _item(item, candidate, question, algebra)
            if judged.verdict == "equal":
                left.remove(candidate)
                break
            if judged.verdict != "not_equal":
                return judged
        else:
            return judged if len(gold) == 1 else Judgement("not_equal", f"nothing given equals {item}")
    return EQUAL


def _item(gold: str, answer: str, question: str, algebra: Algebra) -> Judgement:
    if gold == answer:
        return EQUAL
    for decide in (_numbers, _quantities, _brackets, _choices, _words, _ratios):
        judged = decide(gold, answer, question, algebra)
        if judged is not None:
            return judged
    return _expressions(gold, answer, algebra)


def _numbers(gold: str, answer: str, question: str, _: Algebra) -> Judgement | None:
    expected, given = number(gold), number(answer)
    if expected is None or given is None:
        return None
    if expected == given or _is_same_percent(gold, answer, question) or _is_same_in_base(gold, answer, question):
        return EQUAL
    return NOT_EQUAL


def _is_same_percent(gold: str, answer: str, question: str) -> bool:
    """28% for 28 where the question asks for a percentage. Elsewhere a percent sign divides by a hundred."""
    if is_percent(gold) == is_percent(answer) or not _ASKS_PERCENT.search(question):
        return False
    ratio = (number(gold) or 0) * (1 if is_percent(answer) else 100)
    return ratio == (number(answer) or 0) * (100 if is_percent(answer) else 1)


def _is_same_in_base(gold: str, answer: str, question: str) -> bool:
    """4210 for 4210_5 where the question names base 5."""
    based = digits_and_base(gold), digits_and_base(answer)
    if (based[0] is None) == (based[1] is None):
        return False
    digits, base = based[0] or based[1] or ("", 0)
    asked = {int(_SPELLED.get(found.lower(), 0) or found) for found in _ASKS_BASE.findall(question)}
    return base in asked and digits == (answer if based[0] else gold)


def _quantities(gold: str, answer: str, question: str, algebra: Algebra) -> Judgement | None:
    """A unit may be left out or added; where both have one it is the same."""
    expected, given = structure.quantity(gold), structure.quantity(answer)
    if expected is None and given is None:
        return None
    if expected and given and expected[1] != given[1]:
        return Judgement("not_equal", f"expected {expected[1]}, given {given[1]}")
    return _item(expected[0] if expected else gold, given[0] if given else answer, question, algebra)


def _brackets(gold: str, answer: str, question: str, algebra: Algebra) -> Judgement | None:
    """Tuples and intervals: the same brackets, item by item in order."""
    expected, given = structure.members(gold), structure.members(answer)
    if _is_single_list(expected) != _is_single_list(given):
        return Judgement("not_equal", "square brackets around one of the two")
    if expected is None or given is None or (len(expected[1]) == len(given[1]) == 1):
        return None
    if expected[0] != given[0] or len(expected[1]) != len(given[1]):
        return Judgement("not_equal", "other brackets, or another number of items")
    for pair in zip(expected[1], given[1], strict=True):
        judged = _item(*pair, question, algebra)
        if judged.verdict != "equal":
            return judged
    return EQUAL


def _is_single_list(members: tuple[str, list[str]] | None) -> bool:
    return members is not None and members[0] == "[]" and len(members[1]) == 1


def _choices(gold: str, answer: str, _question: str, _algebra: Algebra) -> Judgement | None:
    if not _CHOICE.fullmatch(gold) or (chosen := structure.option(answer)) is None:
        return None
    return EQUAL if chosen == structure.option(gold) else NOT_EQUAL


def _words(gold: str, answer: str, _question: str, _algebra: Algebra) -> Judgement | None:
    expected, given = structure.words(gold), structure.words(answer)
    if expected is None:
        return None
    return EQUAL if expected == (given or answer.lower()) else NOT_EQUAL


def _ratios(gold: str, answer: str, question: str, algebra: Algebra) -> Judgement | None:
    """Ratios and times of day, part by part; a name in front of `=` does not count."""
    gold, answer = (text.rpartition("=")[2].strip() for text in (gold, answer))
    if not (_RATIO.fullmatch(gold) or _RATIO.fullmatch(answer)):
        return None
    pairs = list(zip(gold.split(":"), answer.split(":"), strict=False))
    is_same_length = gold.count(":") == answer.count(":")
    are_equal = all(_item(a.strip(), b.strip(), question, algebra).verdict == "equal" for a, b in pairs)
    return EQUAL if is_same_length and are_equal else NOT_EQUAL


def _expressions(gold: str, answer: str, algebra: Algebra) -> Judgement:
    expected, given = as_latex(gold), as_latex(answer)
    if expected is None or given is None:
        return Judgement("not_equal", "words that are not the same")
    return EQUAL if expected == given else algebra(expected, given)
