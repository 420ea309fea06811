r"""Boxes that a reply only mentions beside its answer: mistakes of others, other cases, what one might expect."""

import re

from rlenvs.verifiers.replies.boxes import Box, are_one_answer
from rlenvs.verifiers.replies.denials import TURNS, is_asked, is_governed, is_rejected
from rlenvs.verifiers.replies.plain_values import are_same

_MOST = 50  # boxes at the end of a text that are looked at
_WINDOW = 200  # characters of a sentence that are looked at before a box
_OPENING = re.compile(r"(?:\\[(\[]|[\s$*_])+$")
_SENTENCE_END = re.compile(r"(?<=[.!?。])[\s)]+|\n")
_DECLARES = re.compile(r"\banswer\b|\bfinal (?:result|value)\b|答案|最终", re.IGNORECASE)
_FINAL = re.compile(r"\bfinal\b|最终", re.IGNORECASE)
_MENTIONS = re.compile(
    r"\b(?:as opposed to|instead of|rather than|unlike)$"
    r"|\b(?:(?:common|typical|usual|frequent|easy|popular) (?:mistakes?|errors?|traps?|pitfalls?)|naive|tempting"
    r"|confus\w+|(?:wrong|incorrect|false|flawed|faulty) \w+)\b[^.,;:]*$"
    r"|\bcareful not to\b[^.,;:]*$",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    r"\b(?:would|might|may|could|if|had|were|unless|students?|people|beginners?|solvers?|sources?|books?|textbooks?"
    r"|others|some|many|expect\w*|often|sometimes|comparison|forget\w*|ignor\w+|overlook\w*)\b|如果|若|有人|可能",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"(?:\\[)\]]|[\s$*_])*(?:would|might|may|could|if|were"
    r"|,? which (?:forgets|ignores|misses|overlooks|counts|includes)"
    r"|is (?:what|the \w+ (?:if|when|with|without|including|excluding|counting|for)))\b",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"\b(?:so|thus|hence|therefore|then|finally|consequently|conclu\w+|correct(?:ed|ion|ly)?|overall|altogether)\b"
    r"|所以|因此|故|综上",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    rf"(?:^|[.!?…。！？,，\n\"”)*$}}])[\s*_(]{{0,20}}{TURNS}|\bhowever\b|\bmistaken?\b", re.IGNORECASE
)


def without_asides(text: str, found: list[Box]) -> list[Box]:
    """The boxes of a text up to the last that states something; none where two answers are declared.

    Behind a box that is declared to be the answer, another one counts where a conclusion or a correction leads to it.
    """
    found = found[-_MOST:]
    leads = [_lead(text, end, box.start) for end, box in zip([0, *(box.end for box in found)], found, strict=False)]
    declared = [number for number, lead in enumerate(leads) if _DECLARES.search(lead)]
    kept = len(found)
    while kept:
        last = kept - 1
        while declared and declared[-1] >= last:
            declared.pop()
        earlier = declared[-1] if declared else last
        is_mentioned = _is_no_statement(text, found[last]) or _MENTIONS.search(leads[last])
        if is_mentioned or (earlier < last and _is_supposed(text, found[last], leads[last])):
            kept = last
        else:
            return found[:kept] if earlier == last or _may_follow(text, found, leads, earlier, last) else []
    return []


def _lead(text: str, start: int, end: int) -> str:
    """The words of a sentence before a place, from another place on."""
    before = _OPENING.sub("", text[max(start, end - _WINDOW) : end])
    return _SENTENCE_END.split(before)[-1]


def _is_no_statement(text: str, box: Box) -> bool:
    return is_governed(text, box.start) or is_rejected(text, box.end) or is_asked(text, box.end)


def _is_supposed(text: str, box: Box, lead: str) -> bool:
    return _SUPPOSES.search(lead) is not None or _SUPPOSED.match(text, box.end) is not None


def _may_follow(text: str, found: list[Box], leads: list[str], earlier: int, last: int) -> bool:
    """Whether a box may stand behind one declared the answer: it says the same, belongs to it, or replaces it."""
    one, other = found[earlier], found[last]
    if one.content == other.content or are_same(one.content, other.content):
        return True
    is_finer = _FINAL.search(leads[last]) is not None and _FINAL.search(leads[earlier]) is None
    is_replaced = _CONCLUDES.search(leads[last]) or _CORRECTS.search(text, one.end, other.start)
    return is_finer or is_replaced is not None or are_one_answer(text, found[last - 1], other)
