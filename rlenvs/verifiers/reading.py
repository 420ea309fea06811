r"""A final answer as a tree: mathematics as `parser` reads it, with what people write around it, or words.

What is around it: units and counted nouns, labels ("Minimum: 1"), qualifiers ("for all n"), dates and times of day.
"""

import re

from rlenvs.verifiers import lexer, tree
from rlenvs.verifiers.calendar import dated
from rlenvs.verifiers.lexer import UnreadableError
from rlenvs.verifiers.marking import with_units
from rlenvs.verifiers.parser import parse
from rlenvs.verifiers.spelled import in_digits
from rlenvs.verifiers.text import without_text_commands
from rlenvs.verifiers.tree import Node

_OF_LETTERS = (  # what a qualifier says of letters; anything else is another answer
    r"(?:[\s,:{}$]|\\(?:in|ne)(?![a-z])|\\mathbb\s*\{[A-Z]\}|(?<![a-zA-Z])[a-zA-Z](?![a-zA-Z])"
    r"|_\{?[>\d]\d?\}?|\^\{?[+*\d]\}?|(?:\\[lg]e(?![a-z])|[<>]=?)\s*-?\d+"
    r"|(?:integers?|reals?|naturals?|rationals?|complex|whole|positive|negative|non-?negative|non-?zero|even|odd|prime"
    r"|composite|numbers?|values?|of|constants?|the|arbitrary|functions?|polynomials?|points?|pairs?|triples?)(?![a-z]))*"
)
_QUALIFIER = re.compile(
    r"[\s,(]*+(?:\\text\s*+\{\s*+)?for (?P<kind>all|any|every|each|some (?=integer|real|natural|positive|constant))\b"
    rf"(?P<rest>{_OF_LETTERS})\)?(?=,?\s*(?:\\text\s*\{{\s*)?\b(?:and|or)\b|$)"
)
_JOINED_TEXT = re.compile(r"\\text\s*\{(?P<before>[^{}]*?)\s+(?P<joiner>and|or)\s*\}")
_LABEL = re.compile(
    r"(?P<start>^|[,;]|(?:\\text\s*\{\s*)?\band\b(?:\s*\})?)\s*(?:\\text\s*\{\s*)?"
    r"(?P<label>[A-Za-z][a-z]{2,}(?: [A-Za-z]+)*)\s*(?:\}\s*)?[:=]\s*(?:\}\s*)?(?=[-\d\\(\[{$])"
)
_OF_EVENT = re.compile(r"^(?P<label>(?:P|Pr|Prob|E|Var|Cov)\s*[(\[][^()\[\]{}=]*[)\]])\s*=\s*(?=[-\d\\.])")
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
    if found := dated(plain):
        return found
    if _is_words(plain) and not lexer.is_name(plain):
        parts = [part.strip() for part in _JOINER.split(plain) if part.strip()]
        is_list = len(parts) > 1 and all(len(part.split()) <= _LONGEST_ITEM for part in parts)
        joined = next((joiner for joiner in ("or", "and") if re.search(rf"\b{joiner}\b", plain)), ",")
        return tree.Items(tuple(map(_words, parts)), joined) if is_list else _words(plain)
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


def is_qualified(text: str) -> bool:
    """Whether an answer says of a letter in it what it stands for: `for some integer t`."""
    return _QUALIFIER.search(text) is not None


def are_compatible(one: str, other: str) -> bool:
    """Whether the qualifiers of two answers agree: `for all even n` and `for all odd n` do not.

    A qualifier that one of them leaves out counts where it says more than what kind of number is meant.
    """
    said = [_restrictions(text) for text in (one, other)]
    if None in said:
        return not any(_STRONG & (each or frozenset()) for each in said)
    return said[0] == said[1]


def _restrictions(text: str) -> frozenset[str] | None:
    """What qualifiers say of an answer's letters, as far as it matters; None where there is no qualifier."""
    found = [qualifier["rest"] for qualifier in _QUALIFIER.finditer(text)]
    return frozenset(_RESTRICTION.findall(" ".join(found).lower())) if found else None


_STRONG = frozenset(("even", "odd", "prime", "composite"))
_RESTRICTION = re.compile(
    r"\b(?:even|odd|prime|composite|positive|negative|non-?negative|non-?zero|rational|constant)\b|[<>]=?\s*\d+"
)


def _without_remarks(text: str) -> str:
    """The text without labels in front of values and qualifiers behind them."""
    text = _JOINED_TEXT.sub(r"\\text{\g<before>} \\text{\g<joiner>}", text)
    text = _OF_EVENT.sub(lambda found: rf"\mathcal{{{''.join(found['label'].split())}}} = ", _QUALIFIER.sub("", text))
    return _LABEL.sub(
        lambda found: rf"{found['start']} \mathcal{{{found['label'].lower().replace(' ', '')}}} = ", text
    ).strip()
