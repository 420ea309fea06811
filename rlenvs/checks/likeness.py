r"""How alike two questions are: the same text, the same text with other numbers, or much the same wording.

Text in, values out; what a pair of like questions means is `overlap`'s business.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, combinations

Words = tuple[str, ...]
Shingle = tuple[str, ...]

SHINGLE = 3  # words in a row

_SUPERSCRIPTS = re.compile("[⁰¹²³⁴-⁹]+")
_NOISE = re.compile(
    r"\\(?:left|right|displaystyle|textstyle|[bB]igg?[lr]?|q?quad)(?![a-zA-Z])|\\[,;:! ()\[\]]|[$~]|(?<=\d),(?=\d{3})"
)
_FRACTION = re.compile(r"\\[dtc]frac(?![a-zA-Z])")
_NEEDLESS_BRACES = re.compile(r"\{\s*(\w|\\[a-zA-Z]+)\s*\}")
_WORD = re.compile(r"\\[a-z]+|\d+(?:\.\d+)?|\.\d+|[^\W\d_]+|[^\s\w.,;:?\"“”]")
_DIGITS = re.compile(r"\.?\d")
_TOO_COMMON = 200  # questions that share a shingle from which it tells nothing; fewer where there are few questions
_NEVER_TOO_COMMON = 10


def words_of(text: str) -> Words:
    r"""The words, numbers, LaTeX commands and signs of a question, without what makes no difference.

    Unicode's compatibility forms (NFKC), case, blanks, punctuation that ends or joins clauses, quotation marks, dollar
    signs, LaTeX's spacing and sizes, and thousands separators make none. The "!" of a factorial does.
    """
    text = _SUPERSCRIPTS.sub(lambda found: f"^{found[0]}", text)  # else 10² would become 102
    text = unicodedata.normalize("NFKC", text).replace("’", "'").replace("−", "-")
    text = _FRACTION.sub(r"\\frac", _NOISE.sub(lambda found: "" if found[0] == "," else " ", text))
    return tuple(_WORD.findall(_NEEDLESS_BRACES.sub(r" \1 ", text).casefold()))


def numbers_of(words: Words) -> Words:
    """The numbers among the words, in order of their digits: like questions with others are other problems."""
    return tuple(sorted(filter(_DIGITS.match, words)))


def without_numbers(words: Words) -> Words:
    """The words with one mark in the place of every number."""
    return tuple("#" if _DIGITS.match(word) else word for word in words)


def shingles_of(words: Words) -> frozenset[Shingle]:
    """All rows of three words; of fewer words, the one row that they are."""
    if len(words) <= SHINGLE:
        return frozenset([words])
    return frozenset(zip(*(words[start:] for start in range(SHINGLE)), strict=False))


def resemblance(one: frozenset[Shingle], other: frozenset[Shingle]) -> float:
    """The share of shingles that are in both, of those that are in either: 1 for the same wording, 0 for none.

    Source: Broder, On the resemblance and containment of documents, 1997, sec. 2.
    """
    either = len(one | other)
    return len(one & other) / either if either else 0.0


def alike(questions: Sequence[Words], num_own: int, at_least: float) -> Iterator[tuple[int, int, float]]:
    """Pairs of questions with the same numbers and much the same wording, by place, each with its resemblance.

    What one question in twenty has (the instructions of a prompt) says nothing about a question, and is left out.

    Args:
        questions: those that are compared with all others, then those that are not compared with each other.
        num_own: how many the former are.
        at_least: the least resemblance of a pair.
    """
    shingles = _telling([shingles_of(words) for words in questions])
    sharing: dict[tuple[Words, Shingle], list[int]] = defaultdict(list)
    for place, words in enumerate(questions):
        numbers = numbers_of(words)
        for shingle in shingles[place]:
            sharing[numbers, shingle].append(place)
    pairs = {pair for places in sharing.values() for pair in combinations(places, 2) if pair[0] < num_own}
    for one, other in sorted(pairs):
        value = resemblance(shingles[one], shingles[other])
        if value >= at_least:
            yield one, other, value


def _telling(shingles: Sequence[frozenset[Shingle]]) -> list[frozenset[Shingle]]:
    """Of every question, the shingles that few others have."""
    counted = Counter(chain.from_iterable(shingles))
    most = min(_TOO_COMMON, max(_NEVER_TOO_COMMON, len(shingles) // 20))
    common = {shingle for shingle, count in counted.items() if count > most}
    return [each - common for each in shingles]
