"""Whether two answers are equal, decided on structure first: lists by items, numbers exactly, units, words, choices.

References with sums, products, integrals, limits or derivatives go to `Algebra`, the worker process behind `pool`.
Wherever it is unclear what an answer means, it is not equal: a wrong refusal costs less than a wrong acceptance.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, NamedTuple

from rlenvs.verifiers import rules
from rlenvs.verifiers.asked.form import why_not_asked
from rlenvs.verifiers.asked.question import Question
from rlenvs.verifiers.notation import structure
from rlenvs.verifiers.notation.exact import digits_and_base, is_percent, number
from rlenvs.verifiers.notation.lexer import UnreadableError
from rlenvs.verifiers.notation.reading import NEEDS_ALGEBRA, are_compatible, is_qualified, read
from rlenvs.verifiers.notation.text import MAX_CHARS, as_latex, is_huge, normal
from rlenvs.verifiers.tree import Node
from rlenvs.verifiers.values.rational import UndecidedError

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
_MAX_RAW = 10 * MAX_CHARS  # of a reference, before what is noise in it is taken off
_BRACKETS = re.compile(r"[\[\](){}<> ]+")  # which a reference may be made of, where brackets are to be closed
_NO_LIST = re.compile(r"\d,0\d\d")  # 115,000: nobody lists 000
_UNBALANCED = "braces that are not closed"
_NOT_A_NUMBER = re.compile(r"[-+]?nan|null|\\(?:boxed|fbox)\s*\{\s*\}", re.IGNORECASE)
_LABELLED = re.compile(r"^(?:\\text\s*\{\s*)?\(([A-J])\)(?:\s*\})?\s*(?=\S)")
_CHOICE = re.compile(r"\(?[A-J]\)?")
_INDEX = re.compile(r"\\(?:sum|prod)\s*_\s*\{\s*i\s*=")
_LONE_I = re.compile(r"(?<![a-zA-Z\\])i(?![a-zA-Z])")
_TIGHT = re.compile(r"\d+(?:,\d+)+")
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+")
_TEN = 10


def compare(gold: str, answer: str, question: str, algebra: Algebra) -> Judgement:
    """The verdict on an answer that is already extracted."""
    if len(gold) > _MAX_RAW:
        return Judgement("bad_gold", f"a reference of {len(gold)} characters")
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
    if _BRACKETS.fullmatch(reference):
        return Judgement("not_equal", "brackets that are not the same")
    if given.replace(r"\{", "").count("{") != given.replace(r"\}", "").count("}"):
        return Judgement("not_equal", _UNBALANCED)
    asked = _question(question)
    reference, given = _without_letters(reference, given, asked)
    judged = _read_and_compared(reference, given, asked)
    if judged is not None:
        why = why_not_asked(reference, given, asked) if judged.verdict == "equal" else ""
        return Judgement("not_equal", why) if why else judged
    if is_huge(given) or is_huge(reference):
        return Judgement("not_equal", "too large to be worked out, and not the same text")
    if not NEEDS_ALGEBRA.search(reference):
        if why := _why_not_readable(reference):
            return Judgement("bad_gold", why)
        return Judgement("not_equal", "an answer that cannot be read, or is not worked out")
    if not NEEDS_ALGEBRA.search(given) and (why := _why_not_readable(given)):
        return Judgement("not_equal", f"an answer that cannot be read: {why}")
    return _compared_as_text(_with_plain_index(reference), _with_plain_index(given), algebra)


@lru_cache(maxsize=256)
def _question(text: str) -> Question:
    """The question, whose properties are worked out once for all attempts at it."""
    return Question(text)


def _why_not_readable(text: str) -> str:
    """What keeps a text from being read as a tree; empty where nothing does."""
    try:
        read(text)
    except (UnreadableError, RecursionError) as error:
        return str(error) or type(error).__name__
    return ""


def _read_and_compared(gold: str, answer: str, asked: Question) -> Judgement | None:
    """The verdict on two texts that can be read, by their trees; None where that cannot decide."""
    if (decided := _by_text(gold, answer, asked)) is not None:
        return EQUAL if decided else NOT_EQUAL
    try:
        expected, given = _trees(gold, answer, asked)
        has_parameters = any(map(is_qualified, (gold, answer)))
        is_same = rules.say_the_same(expected, given, asked, has_parameters=has_parameters)
    except UndecidedError as undecided:
        return Judgement("not_equal", f"not the same text, and {undecided}")
    except (UnreadableError, RecursionError):
        return None
    return EQUAL if is_same else NOT_EQUAL


def _by_text(gold: str, answer: str, asked: Question) -> bool | None:
    """What is decided without reading: choices, digits in a base, percentages, qualifiers, plain numbers."""
    if (decided := _are_same_choices(gold, answer, asked)) is not None:
        return decided
    if (decided := _are_same_digits(gold, answer, asked)) is not None:
        return decided
    if asked.asks_percent and is_percent(gold) != is_percent(answer) and None not in (number(gold), number(answer)):
        return _is_same_percent(gold, answer)
    if not are_compatible(gold, answer):  # for all even n, for all odd n
        return False
    if _is_list(gold, answer, asked) or (asked.asks_amount and r"\$" in answer):  # $45 is no answer to how many cents
        return None
    return True if _are_same_numbers(gold, answer) else None


def _is_list(gold: str, answer: str, asked: Question) -> bool:
    """Whether commas separate values, as the question asks."""
    return asked.asks_list and "," in gold + answer


def _trees(gold: str, answer: str, asked: Question) -> list[Node]:
    """Both as trees. Where one is a number with commas, and the other one several values, it is several too.

    Raises:
        UnreadableError: one cannot be read.
    """
    may_group = [not _is_list(gold, answer, asked) and _has_only_thousands(text) for text in (gold, answer)]
    sides = [read(text, is_grouped=grouped) for text, grouped in zip((gold, answer), may_group, strict=True)]
    counts = [len(rules.items(side)) for side in sides]
    if counts[0] == counts[1] or _NO_LIST.search(gold + " " + answer):
        return sides
    return [
        read(text, is_grouped=grouped and count == max(counts))
        for text, count, grouped in zip((gold, answer), counts, may_group, strict=True)
    ]


def _with_plain_index(text: str) -> str:
    """An index i as q: the parser there takes i for the imaginary unit."""
    return _LONE_I.sub("q", text) if _INDEX.search(text) else text


def _has_only_thousands(text: str) -> bool:
    """Whether every comma between digits can separate thousands: in `1,2,345` none does."""
    return all(_GROUPED.fullmatch(run) for run in _TIGHT.findall(text))


def _compared_as_text(reference: str, given: str, algebra: Algebra) -> Judgement:
    """What our trees do not know (sums, integrals, solving), left to computer algebra, item by item."""
    if r"\cup" in reference or r"\cup" in given:
        return _expressions(reference, given, algebra)
    return _lists(structure.items(reference), structure.items(given), algebra)


def _why_unreadable(reference: str) -> str:
    if len(reference) > MAX_CHARS:
        return f"a reference of {len(reference)} characters; the limit is {MAX_CHARS}"
    if _BRACKETS.fullmatch(reference):
        return ""
    if not re.search(r"\w", reference):
        return "an empty reference"
    if _NOT_A_NUMBER.fullmatch(reference):
        return "a reference that is no number, where a program failed to give one"
    plain = re.sub(r"\\[{}]", "", reference)
    return "" if plain.count("{") == plain.count("}") else "a reference with unbalanced braces"


def _lists(gold: list[str], answer: list[str], algebra: Algebra) -> Judgement:
    """Each item of one list equals one of the other, in any order."""
    if len(gold) != len(answer) or not 0 < len(gold) <= _MAX_ITEMS:
        return Judgement("not_equal", f"{len(gold)} items expected, {len(answer)} given")
    left = list(answer)
    for item in gold:
        for candidate in left:
            judged = EQUAL if item == candidate else _expressions(item, candidate, algebra)
            if judged.verdict == "equal":
                left.remove(candidate)
                break
            if judged.verdict != "not_equal":
                return judged
        else:
            return judged if len(gold) == 1 else Judgement("not_equal", f"nothing given equals {item}")
    return EQUAL


def _are_same_numbers(gold: str, answer: str) -> bool:
    expected = number(gold)
    return expected is not None and expected == number(answer)


def _is_same_percent(gold: str, answer: str) -> bool:
    """28% for 28. Only where the question asks for a percentage; elsewhere a percent sign divides by a hundred."""
    if is_percent(gold) == is_percent(answer):
        return False
    ratio = (number(gold) or 0) * (1 if is_percent(answer) else 100)
    return ratio == (number(answer) or 0) * (100 if is_percent(answer) else 1)


def _are_same_digits(gold: str, answer: str, asked: Question) -> bool | None:
    """Numbers in a base: the same digits in the same one, or bare where the question names it; None where none has one.

    A question that names a base asks for the digits: there the value in another base is no answer.
    """
    based = digits_and_base(gold), digits_and_base(answer)
    if based[0] is not None and based[1] is not None:
        return based[0] == based[1] or (not asked.bases and number(gold) is not None and number(gold) == number(answer))
    one = based[0] or based[1]
    if one is None:
        return None
    bare = (answer if based[0] else gold).lower()
    if one[1] == _TEN and not asked.bases - {_TEN}:  # 13_{10} is thirteen
        return number(bare) == int(one[0]) if one[0].isdigit() else False
    return one[1] in asked.bases and one[0] == bare


def _without_letters(gold: str, answer: str, asked: Question) -> tuple[str, str]:
    """`(B) 42` as 42 beside an answer that has no letter; a letter alone as the text that it has in the question."""
    letters = [_letter(text, asked) for text in (gold, answer)]
    if letters.count(None) != 1:
        return gold, answer
    sides = [gold, answer]
    place = 1 if letters[0] is None else 0
    letter = str(letters[place])
    bare = _LABELLED.sub("", sides[place])
    if _says_another(sides[place], asked):
        return gold, answer
    sides[place] = normal(asked.options.get(letter, bare)) if _CHOICE.fullmatch(bare) else bare
    return sides[0], sides[1]


def _are_same_choices(gold: str, answer: str, asked: Question) -> bool | None:
    """Choices by their letter; None where neither is just one."""
    if not any(_CHOICE.fullmatch(text) for text in (gold, answer)):
        several = [_choices(text) for text in (gold, answer)]
        is_choice = bool(asked.options) or not asked.text
        return several[0] == several[1] if is_choice and all(several) and gold.isalpha() != answer.isalpha() else None
    if not asked.options and {gold, answer} & asked.letters:  # the constant c is no choice C
        return None
    letters = _letter(gold, asked), _letter(answer, asked)
    if None in letters:
        return None
    return letters[0] == letters[1] and not any(_says_another(text, asked) for text in (gold, answer))


def _says_another(text: str, asked: Question) -> bool:
    """Whether `(C) 42` stands where the question's C is something else."""
    found = _LABELLED.match(text)
    return found is not None and normal(asked.options.get(found[1], text[found.end() :])) != text[found.end() :]


def _letter(text: str, asked: Question) -> str | None:
    """The letter of a choice; `e` is one too, where the question has such an option."""
    if text.upper() in asked.options and text not in map(normal, asked.options.values()):
        return text.upper()
    return structure.option(text)


def _choices(text: str) -> frozenset[str]:
    """The letters of several choices, `ABD` or `A, B and D`; empty for anything else."""
    letters = [letter for letter in re.split(r"[\s,;&]+|\\text\s*\{\s*and\s*\}|and", text) if letter]
    letters = list(text) if len(letters) == 1 else letters
    is_choice = 1 < len(set(letters)) == len(letters) and all(re.fullmatch("[A-H]", letter) for letter in letters)
    return frozenset(letters) if is_choice else frozenset()


def _expressions(gold: str, answer: str, algebra: Algebra) -> Judgement:
    expected, given = as_latex(gold), as_latex(answer)
    if expected is None or given is None:
        return Judgement("not_equal", "words that are not the same")
    return EQUAL if expected == given else algebra(expected, given)
