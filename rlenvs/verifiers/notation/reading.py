r"""A final answer as a tree: mathematics as `parser` reads it, with what people write around it, or words.

What is around it: units and counted nouns, labels ("Minimum: 1"), qualifiers ("for all n"), dates and times of day.
"""

import re

from rlenvs.verifiers import tree
from rlenvs.verifiers.notation import lexer
from rlenvs.verifiers.notation.calendar import dated
from rlenvs.verifiers.notation.lexer import UnreadableError
from rlenvs.verifiers.notation.marking import with_units
from rlenvs.verifiers.notation.parser import parse
from rlenvs.verifiers.notation.spelled import in_digits
from rlenvs.verifiers.notation.text import without_text_commands
from rlenvs.verifiers.tree import Node

_OF_LETTERS = (  # what a qualifier says of letters; anything else is another answer
    r"(?:[\s,:$]|\\(?:in|ne)(?![a-z])|\\mathbb\s*+\{[A-Z]\}|(?<![a-zA-Z])[a-zA-Z](?![a-zA-Z])"
    r"|_(?:\{>?\d+\}|\d)|\^(?:\{[+*\d]\}|[+*\d])|(?:\\(?:[lg]eq?)(?![a-z])|[<>]=?)\s*+-?\d++|\}"
    r"|(?:integers?|reals?|naturals?|rationals?|complex|whole|positive|negative|non-?negative|non-?zero|even|odd|prime"
    r"|composite|numbers?|values?|of|constants?|the|arbitrary|functions?|polynomials?|points?|pairs?|triples?)(?![a-z]))*+"
)
_QUALIFIER = re.compile(
    r"[\s,(]*+(?:\\text\s*+\{\s*+)?for (?P<kind>all|any|every|each|some (?=integer|real|natural|positive|constant))\b"
    rf"(?P<rest>{_OF_LETTERS})\)?(?=,?\s*(?:\\text\s*\{{\s*)?\b(?:and|or)\b|$)"
)
_JOINED_TEXT = re.compile(r"\\text\s*\{(?P<before>[^{}]*?)\s+(?P<joiner>and|or)\s*\}")
_LABEL = re.compile(
    r"(?P<start>^|[,;]|(?:\\text\s*\{\s*)?\band\b(?:\s*\})?)\s*(?:\\text\s*\{\s*)?"
    r"(?:[Tt]he )?(?P<label>[A-Za-z][a-z]{2,}(?: [A-Za-z]+)*?)\s*(?:\}\s*)?(?:[:=]|\b(?:is|are|equals)\b)\s*(?:\}\s*)?"
    r"(?=[-\d\\(\[{$])"
)
_OF_EVENT = re.compile(
    r"^(?P<label>(?:P|Pr|Prob|E|Var|Cov)\s*[(\[][^()\[\]{}=]*[)\]]|\\angle\s*\{?[A-Z]+\}?)\s*=\s*(?=[-\d\\.])"
)
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
    if yes_or_no := _YES_OR_NO.fullmatch(plain):
        return _words("yes" if yes_or_no["yes"] else "no")
    if _is_words(plain) and not lexer.is_name(plain):
        parts = [part.strip() for part in _JOINER.split(plain) if part.strip()]
        is_list = len(parts) > 1 and all(len(part.split()) <= _LONGEST_ITEM for part in parts)
        joined = next((joiner for joiner in ("or", "and") if re.search(rf"\b{joiner}\b", plain)), ",")
        return tree.Items(tuple(map(_words, parts)), joined) if is_list else _words(plain)
    try:
        return _without_parameters(parse(with_units(text), is_grouped=is_grouped))
    except UnreadableError:
        bare = _without_remarks(text)
        if bare != text and bare:
            try:
                return parse(with_units(bare), is_grouped=is_grouped)
            except UnreadableError:
                pass
        if _is_sentence(plain):
            return _words(plain)
        if _is_notation(text):
            return tree.Words("".join(text.split()))
        raise


_EMPTY = frozenset(
    ("no solution", "no solutions", "no real solution", "no real solutions", "empty set", "the empty set")
)
_ALL = frozenset(("all real numbers", "all reals", "the real numbers", "all real numbers x"))


def _is_words(text: str) -> bool:
    """Whether it is letters and punctuation only, with a word among them that no letters multiplied would be."""
    if re.fullmatch(r"[^\W\d_](?:[^\W\d_]|[ ,.;:'!?-])*", text) is None:
        return False
    if re.fullmatch("[A-Z]{2,}", text):  # IV, SSS, NW: no product, which could be written the other way round
        return True
    words = [word for word in re.findall(r"[^\W\d_]+", text) if word.lower() not in ("and", "or")]
    return any(word.lower() in _SHORT_WORDS or not _may_be_letters(word) for word in words)


def _may_be_letters(word: str) -> bool:
    return word.isascii() and (lexer.is_letters(word) or lexer.is_name(word))


_SHORT_WORDS = frozenset(
    ("no", "yes", "on", "up", "it", "is", "go", "he", "we", "us", "my", "by", "at", "as", "so", "to")
)


def _is_sentence(text: str) -> bool:
    """Whether most of it is words, and none of it a program's or a command's."""
    words = [word for word in _WORD.findall(text) if not lexer.is_name(word)]
    return len(words) >= 2 and re.search(r"[a-z]\.[a-z]|__|\(\)", text) is None


def _without_parameters(node: Node) -> Node:
    r"""The answer without `k \in \mathbb{Z}` behind it, about a letter in it."""
    if not isinstance(node, tree.Items):
        return node
    about = [item for item in node.items if isinstance(item, tree.Relation) and item.signs == ("in",)]
    rest = tuple(item for item in node.items if item not in about)
    names = {item.sides[0] for item in about}
    if any(isinstance(item, tree.Relation) and set(item.signs) != {"="} for item in rest):
        return node  # x > 3, x \\in \\mathbb{Z} says more than x > 3
    is_about_rest = bool(about) and all(isinstance(item.sides[1], tree.SetNamed) for item in about)
    if not is_about_rest or not names <= {part for item in rest for part in tree.walk(item)} or not rest:
        return node
    return rest[0] if len(rest) == 1 else tree.Items(rest, node.joined)


def _is_notation(text: str) -> bool:
    """Whether it is LaTeX in good order all the same, of which nothing is known but how it is written."""
    is_latex = re.search(r"\\[a-z]{2,}", text) is not None and "?" not in text
    return is_latex and NEEDS_ALGEBRA.search(text) is None and _is_balanced(text)


def _is_balanced(text: str) -> bool:
    expected: list[str] = []
    for sign in text:
        if sign in "([{":
            expected.append({"(": ")", "[": "]", "{": "}"}[sign])
        elif sign in ")]}" and (not expected or expected.pop() != sign):
            return False
    return not expected


NEEDS_ALGEBRA = re.compile(r"\\(?:sum|prod|int|lim)(?![a-z])|\\frac\s*\{\s*d\s*\}")  # by computer algebra


_YES_OR_NO = re.compile(
    r"(?:(?P<yes>yes)|no)\b[,.;:]\s+(?!(?:but|if|when|only|unless)\b)"
    r"(?!.*\b(?:yes|no|maybe|perhaps|possibly|probably|unsure|not sure|only (?:if|when)|unless|except)\b)"
    r"(?(yes)(?!.*\b(?:false|wrong|incorrect|untrue)\b)).*",
    re.IGNORECASE,
)
_SUBJECT = re.compile(r"(?:it|this|that|the [a-z]+|[a-z]) is (?=[a-z]+\.?$)", re.IGNORECASE)


def _words(text: str) -> tree.Words:
    text = _SUBJECT.sub("", text)
    kept = r"[^\w ]+" if re.fullmatch(r"[^\d\\^_=<>+*/|()\[\]!%]*", text) else r"\s+"  # with signs, all of them count
    plain = re.sub(kept, " ", text.lower())
    said = " ".join(word for word in _ARTICLE.sub("", plain).split() if word != "the") or text.lower()
    return tree.Words(_SYNONYMS.get(said, said))


def read_or_none(text: str) -> Node | None:
    """As `read`; None for what cannot be read."""
    try:
        return read(text)
    except (UnreadableError, RecursionError):
        return None


def is_qualified(text: str) -> bool:
    """Whether an answer says of a letter in it what it stands for: `for some integer t`."""
    return _QUALIFIER.search(text) is not None or _MEMBER.search(text) is not None


_MEMBER = re.compile(r",\s*([a-z])\s*\\in\s*(\\mathbb\s*\{[A-Z]\}(?:[_^]\{?[^\s,]*)?)")


def are_compatible(one: str, other: str) -> bool:
    """Whether the qualifiers of two answers agree: `for all even n` and `for all odd n` do not.

    A qualifier that one of them leaves out counts where it says more than what kind of number is meant.
    """
    members = [frozenset(_MEMBER.findall("".join(text.split()))) for text in (one, other)]
    if all(members) and {each[1] for each in members[0]} != {each[1] for each in members[1]}:
        return False
    said = [_restrictions(text) for text in (one, other)]
    if None in said:
        return not any(_STRONG & {word.rstrip("s") for word in each or ()} or _bounds(each) for each in said)
    return said[0] == said[1]


def _restrictions(text: str) -> frozenset[str] | None:
    """What qualifiers say of an answer's letters, as far as it matters; None where there is no qualifier."""
    found = [qualifier["rest"] for qualifier in _QUALIFIER.finditer(text)]
    return frozenset(_RESTRICTION.findall(" ".join(found).lower())) if found else None


_STRONG = frozenset(("even", "odd", "prime", "composite"))
_RESTRICTION = re.compile(
    r"\b(?:even|odd|prime|composite|positive|negative|non-?negative|non-?zero|rational|real|integer|natural|constant)s?\b"
    r"|(?:[<>]=?|\\[lg]e)\s*-?\d+|\\mathbb\s*\{[a-z]\}"
)


def _bounds(said: frozenset[str] | None) -> bool:
    """Whether a qualifier bounds its letter by more than its sign."""
    return any(re.search(r"[<>lg]", word) and re.search(r"\d", word) and word[-1] not in "01" for word in said or ())


def _with_named_parts(text: str) -> str:
    """`(a) 3 (b) 4` as `a = 3, b = 4`."""
    marks = [found[1] for found in _PART.finditer(text)]
    if len(marks) < 2 or marks != [chr(ord("a") + place) for place in range(len(marks))] or text[:1] != "(":
        return text
    return _PART.sub(lambda found: rf"{'' if found[1] == 'a' else ', '}\mathcal{{{found[1]}}} = ", text)


_PART = re.compile(r"[\s,;]*\(([a-h])\)\s*(?=[-\d\\$.])")


def _as_label(found: re.Match[str]) -> str:
    return rf"\mathcal{{{_SIGNS_OF_NAMES.sub('', found['label'])}}} = "


_SIGNS_OF_NAMES = re.compile(r"[\s{}\\]")


def _apart(found: re.Match[str]) -> str:
    before = rf"\text{{{found['before']}}} " if found["before"].strip() else " "
    return rf"{before}\text{{{found['joiner']}}}"


_ARTICLE = re.compile(r"^\s*an?\s+(?=[a-z]{2})")
_SYNONYMS = {"dne": "does not exist"}


def _without_remarks(text: str) -> str:
    """The text without labels in front of values and qualifiers behind them."""
    text = _JOINED_TEXT.sub(_apart, _with_named_parts(text))
    text = _OF_EVENT.sub(_as_label, _QUALIFIER.sub("", text))
    return _LABEL.sub(
        lambda found: rf"{found['start']} \mathcal{{{found['label'].lower().replace(' ', '')}}} = ", text
    ).strip()
