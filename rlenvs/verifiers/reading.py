r"""A final answer as a tree: mathematics as `parser` reads it, with what people write around it, or words.

What is around it: units and counted nouns, labels ("Minimum: 1"), qualifiers ("for all n"), dates and times of day.
"""

import re
from fractions import Fraction

from rlenvs.verifiers import lexer, tree
from rlenvs.verifiers.lexer import UnreadableError
from rlenvs.verifiers.marking import with_units
from rlenvs.verifiers.parser import parse
from rlenvs.verifiers.spelled import in_digits
from rlenvs.verifiers.text import without_text_commands
from rlenvs.verifiers.tree import Node

_QUALIFIER = re.compile(
    r"[\s,(]*+(?:\\text\s*+\{\s*+)?for (?P<kind>all|any|every|each|some (?:integer|real|natural|positive|constant))\b"
    r"(?P<rest>(?:_\{>0\}|[^<>=])*?)(?=,?\s*(?:\\text\s*\{\s*)?\b(?:and|or)\b|$)"
)
_JOINED_TEXT = re.compile(r"\\text\s*\{(?P<before>[^{}]*?)\s+(?P<joiner>and|or)\s*\}")
_LABEL = re.compile(
    r"(?P<start>^|[,;]|(?:\\text\s*\{\s*)?\band\b(?:\s*\})?)\s*(?:\\text\s*\{\s*)?"
    r"(?P<label>[A-Za-z][a-z]{2,}(?: [A-Za-z]+)*)\s*(?:\}\s*)?[:=]\s*(?:\}\s*)?(?=[-\d\\(\[{$])"
)
_OF_EVENT = re.compile(r"^(?P<label>(?:P|Pr|Prob|E|Var|Cov)\s*[(\[][^()\[\]{}=]*[)\]])\s*=\s*(?=[-\d\\.])")
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = "|".join(rf"{month[:3]}(?:{month[3:]}|t?\.?)" for month in _MONTHS)
_DATE = re.compile(
    rf"(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?(?P<month>{_MONTH})"
    r"(?:\s+(?P<other>\d{1,2})(?:st|nd|rd|th)?)?(?:,?\s+(?P<year>\d{4}))?",
    re.IGNORECASE,
)
_NUMERIC_DATE = re.compile(
    r"(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})|\d{1,2}([-/.])\d{1,2}\4\d{4}|\d{1,2}/\d{1,2}/\d{2}"
)
_CLOCK = re.compile(r"(?P<hour>\d{1,2}):(?P<minute>\d{2})\s*(?P<half>[ap])\.?\s*m\.?", re.IGNORECASE)
_JOINER = re.compile(r",\s*(?:and|or)\b|,|\b(?:and|or)\b")
_LONGEST_ITEM = 3  # words of an item of a list
_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")


def read(text: str, *, is_grouped: bool = True) -> Node:
    """The tree of an answer in the normal form of `text.normal`.

    Args:
        is_grouped: whether `1,234` is one number, and not two.

    Raises:
        UnreadableError: it is neither mathematics nor words.
    """
    plain = without_text_commands(text)
    if (spelled := in_digits(plain)) != plain:
        text = plain = spelled
    if plain.lower().strip(" .") in _EMPTY:
        return tree.SetOf(())
    if plain.lower().strip(" .") in _ALL:
        return tree.SetNamed("R")
    if found := _dated(plain):
        return found
    if _is_words(plain) and not lexer.is_name(plain):
        parts = [part.strip() for part in _JOINER.split(plain) if part.strip()]
        is_list = len(parts) > 1 and all(len(part.split()) <= _LONGEST_ITEM for part in parts)
        return tree.Items(tuple(map(_words, parts)), "and") if is_list else _words(plain)
    try:
        return parse(with_units(text), is_grouped=is_grouped)
    except UnreadableError:
        bare = _without_remarks(text)
        if bare != text and bare:
            try:
                return parse(with_units(bare), is_grouped=is_grouped)
            except UnreadableError:
                pass
        if _is_sentence(plain):
            return _words(plain)
        raise


_EMPTY = frozenset(
    ("no solution", "no solutions", "no real solution", "no real solutions", "empty set", "the empty set")
)
_ALL = frozenset(("all real numbers", "all reals", "the real numbers", "all real numbers x"))


def _dated(text: str) -> Node | None:
    """A date as words in one form, a time of day with its half as a ratio of hours to minutes."""
    if date := _DATE.fullmatch(text.strip()):
        day = f"{date['day'] or ''}{date['other'] or ''}".lstrip("0")
        return tree.Words(f"{date['year'] or ''}-{_number_of_month(date['month'])}-{day}")
    if date := _NUMERIC_DATE.fullmatch(text.strip()):
        return tree.Words(f"{date['year']}-{int(date['month'])}-{int(date['day'])}" if date["year"] else date[0])
    if clock := _CLOCK.fullmatch(text.strip()):
        hour = int(clock["hour"]) % 12 + (12 if clock["half"].lower() == "p" else 0)
        return tree.Ratio((tree.Number(Fraction(hour)), tree.Number(Fraction(int(clock["minute"])))), is_clock=True)
    return None


def _number_of_month(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, start=1) if month.startswith(name[:3].lower()))


def _is_words(text: str) -> bool:
    """Whether it is letters and punctuation only, with a word among them that no letters multiplied would be."""
    if re.fullmatch(r"[a-zA-Z][a-zA-Z ,.;:'!?-]*", text) is None:
        return False
    words = [word for word in re.findall("[a-zA-Z]+", text) if word.lower() not in ("and", "or")]
    return any(word.lower() in _SHORT_WORDS or not lexer.is_letters(word) for word in words)


_SHORT_WORDS = frozenset(
    ("no", "yes", "on", "up", "it", "is", "go", "he", "we", "us", "my", "by", "at", "as", "so", "to")
)


def _is_sentence(text: str) -> bool:
    """Whether most of it is words, and none of it a program's or a command's."""
    words = [word for word in _WORD.findall(text) if not lexer.is_name(word)]
    return len(words) >= 2 and re.search(r"[a-z]\.[a-z]|__|\(\)", text) is None


def _words(text: str) -> tree.Words:
    kept = r"[^\w ]+" if re.fullmatch(r"[^\d\\^_=<>+*/|()\[\]!%]*", text) else r"\s+"  # with signs, all of them count
    plain = re.sub(kept, " ", text.lower())
    return tree.Words(" ".join(word for word in plain.split() if word != "the") or text.lower())


def restrictions(text: str) -> frozenset[str]:
    """What the qualifiers of an answer say of its letters, `for all even n`, as far as it matters: even."""
    found = " ".join(qualifier["rest"] for qualifier in _QUALIFIER.finditer(text))
    return frozenset(_RESTRICTION.findall(found.lower()))


_RESTRICTION = re.compile(
    r"\b(?:even|odd|prime|composite|positive|negative|non-?negative|non-?zero|rational)\b|[<>]=?\s*\d+"
)


def _without_remarks(text: str) -> str:
    """The text without labels in front of values and qualifiers behind them."""
    text = _JOINED_TEXT.sub(r"\\text{\g<before>} \\text{\g<joiner>}", text)
    text = _OF_EVENT.sub(lambda found: rf"\mathcal{{{''.join(found['label'].split())}}} = ", _QUALIFIER.sub("", text))
    return _LABEL.sub(
        lambda found: rf"{found['start']} \mathcal{{{found['label'].lower().replace(' ', '')}}} = ", text
    ).strip()
