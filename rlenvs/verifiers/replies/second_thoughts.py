"""What a reply says about its answer after it has stated it: that it is another one, or might be."""

import re

from rlenvs.verifiers.replies.denials import TURNS
from rlenvs.verifiers.replies.plain_values import are_different, are_same
from rlenvs.verifiers.replies.statements import last_statement, stated

_TURN = re.compile(rf"(?:[.!?…。！？，\n\"”)*$}}]|\.\.\.)[\s*_(]{{0,20}}{TURNS}", re.IGNORECASE)
_AGAIN = re.compile(
    r"\b(?:it|that|this|which|value|total|answer|result)(?:['’]s| (?:is|must be|should be|has to be|will be|equals))"
    r"(?: (?:actually|really|in fact|indeed|just|equal to))?\s*(?=[*_`]{0,3}[$\\(\[{√-]*(?:[\d\\]|(?-i:[A-J])\b))"
    r"|^[*_]*[:：][*_]*\s*|应该是|应该为|应为|应是|而是|更正为[:：]?",
    re.IGNORECASE,
)
_CONFIRMS = re.compile(
    r"\b(?:yes|correct|confirmed|confirms|right|checks out|consistent|matches|holds|works)\b|正确|没错", re.IGNORECASE
)
_DENIES = re.compile(r"\b(?:not|wrong|incorrect|mistake|error|cannot|forgot|missed)\b|n['’]t\b|不|错", re.IGNORECASE)
_OR = re.compile(
    r"(?:^|[.!?。！？\n;,])(?:[\s*_$()]|\\text\s{0,3}\{){0,20}"
    r"(?:or|alternatively|maybe|perhaps|possibly|if not|或者?|也可能)(?![a-z])"
    r"(?:[ ,]|maybe|perhaps|possibly|even|else|then|it is|is it|是|\\boxed|[${(\\}])*"
    r"(?P<other>[-−]?\d[\d,./]*(?:\\?%)?|\\(?:[dt]?frac|sqrt|pi)(?![a-z])[^$\n,;]{0,80})",
    re.IGNORECASE,
)
_MANY = 5  # forms of one value that anybody gives
_MIGHT = re.compile(
    r"\b(?:it|this|answer|result)\s+(?:could|might|may)\s+(?:also\s+|well\s+|even\s+|just as well\s+)*be\s+[$(\\]*[-\d]"
    r"|\b(?:also|equally|just as) (?:possible|valid|correct|an option)\b|也可能|也许是",
    re.IGNORECASE,
)


def after_all(value: str, text: str, place: int) -> str | None:
    """The answer of a text that states a value at a place and goes on there: the value, a later one, or none.

    A correction counts, where it says what is right; one that does not takes the value back. Two values of which none
    corrects the other are no answer, nor is a value that might be another one.
    """
    turn = _TURN.search(text, max(0, place - 1))
    if turn:
        return _corrected(value, text[turn.start() :], turn.end() - turn.start())
    rest = text[place:]
    if _hedges(value, rest):
        return None
    later = last_statement(rest)
    return None if later and later.value is not None and are_different(value, later.value) else value


def _corrected(value: str, text: str, place: int) -> str | None:
    """What stands after a text that begins by taking the value back, up to the place."""
    rest = text[place:]
    later = last_statement(rest)
    if later and later.value is not None:
        return after_all(later.value, rest, later.end)
    again = list(_AGAIN.finditer(rest))
    if again:
        found = stated(rest[again[-1].end() :].strip())
        return None if found is None or _hedges(found, rest[again[-1].end() :]) else found
    return value if _CONFIRMS.search(rest) and not _DENIES.search(text) else None


def _hedges(value: str, rest: str) -> bool:
    """Whether the answer might be another one: "or 7", but not "or 0.5" of a half."""
    others = {found["other"].rstrip(".,/") for found in _OR.finditer(rest)}
    return bool(_MIGHT.search(rest)) or len(others) > _MANY or not all(are_same(value, other) for other in others)
