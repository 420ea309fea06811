"""What a sentence states as the answer: behind "the answer is" and its like, without what it remarks about it.

A sentence that denies, asks, supposes or quotes states nothing. Reads text only, in linear time.
"""

import re
from typing import NamedTuple

from rlenvs.verifiers.replies.anchors import ANCHOR
from rlenvs.verifiers.replies.denials import (
    DENIES,
    END,
    MIGHT,
    SUPPOSES,
    TURNS,
    is_asked,
    is_bound,
    is_modified,
    is_taken_back,
)
from rlenvs.verifiers.replies.plain_values import are_different, are_same, is_formula, plain


class Statement(NamedTuple):
    """Where a statement begins, where what it says begins, and what that is; None where it is taken back."""

    start: int
    end: int
    value: str | None


def last_statement(text: str) -> Statement | None:
    """The last statement of an answer in a text. It says nothing, too, where the one before it says something else."""
    anchors = list(ANCHOR.finditer(text))
    if not anchors:
        return None
    last = _statement(text, anchors[-1])
    if len(anchors) > 1 and last.value is not None and not _is_contrasted(text, anchors[-2], anchors[-1]):
        before = _statement(text, anchors[-2]).value
        if before is not None and are_different(before, last.value):
            return last._replace(value=None)
    return last


def _is_contrasted(text: str, earlier: re.Match[str], later: re.Match[str]) -> bool:
    """Whether the later statement corrects the earlier one, or is about something else. Final answers are two."""
    between = text[earlier.end() : later.start()]
    if _FINAL.search(text, max(0, earlier.start() - _NEAR), earlier.end()):
        between = _FINAL.sub("", between)
    return _CONTRASTS.search(_ANOTHER.sub("", between)) is not None


_ANOTHER = re.compile(r"\b(?:second|other|another|alternative)\s*$", re.IGNORECASE)  # "answer" comes next
_FINAL = re.compile(r"\bfinal\b|最终", re.IGNORECASE)
_NEAR = 12  # characters before an anchor: `The final`
_CONTRASTS = re.compile(
    rf"{TURNS}|\b(?:so|thus|therefore|hence|however|but|now|then|next|finally|correct\w*|instead|final|second|"
    r"other|if|case|part|step|question|day)\b|所以|因此|不|但|故|最终",
    re.IGNORECASE,
)


def _statement(text: str, anchor: re.Match[str]) -> Statement:
    value = None
    if not is_taken_back(text, anchor.start()):
        rest = text[anchor.end() : anchor.end() + _LONGEST].rstrip()
        value = anchor["letter"] or stated(rest.partition("|")[0] if anchor[0].startswith("|") else rest)
    return Statement(anchor.start(), anchor.end(), value)


_LONGEST = 2000
MARKS = (("$$", "$$"), (r"\[", r"\]"), (r"\(", r"\)"), ("$", "$"))  # around formulas
_BEFORE = re.compile(r"(?:[*_`\"“:：]|\n\s*[-•]\s+|\s|```[a-z]*\n)+")
_NOT = re.compile(r"(?:not|never|anything but|neither|no longer|不是|非)(?![a-z])", re.IGNORECASE)
_BUT = re.compile(r"not\b[^.\n]{1,40}?(?:,? but (?:rather |instead )?|, (?:it is|it['’]s|rather) )", re.IGNORECASE)
_VERB = re.compile(r"\b(?:is|are|equals|be)\b\s*:?\s+(?=\S)|(?<=[\u4e00-\u9fff])(?:是|为|等于)\s*(?=[-\d$\\])")
_UNSETTLED = re.compile(r"[倍半]|分之|可能|也许")  # twice it is 36; it may be 36
_REMARK = re.compile(
    r"\s*[(（,;:，；—–-]?\s*(?:\b(?:because|since|as|which|so|hence|thus|therefore|where|indeed|check|given that"
    r"|that is,|attained|achieved|reached|explanation|reason|note|verification|proof"
    r"|i (?:think|believe|guess|suppose|am)"
    r"(?!.*\b(?:not|but|maybe|perhaps|told|wrong)\b)|(?:\d{1,3}\s?\\?% )?confiden(?:ce|t))(?![a-z])"
    r"|因为|所以|其中|即|而不是|不是)"
    r"|\s*[(（,;，；—–]\s*not\b|\s*[(（](?:we|here|this)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"[^.\n]{0,30}?(?:\bor\b|/|\bcould be\b|\bno wait\b|,|\b(?:and|but|though|alternatively)\b)"
    r"\s*(?:maybe|possibly|perhaps|is it|it is|also|even|sometimes|else|with [a-z]{1,15}|without [a-z]{1,15})?"
    r"\s*(?:\$|\\\(|\d)"
)
_OR = re.compile(r"\bor\b|或", re.IGNORECASE)


def stated(text: str) -> str | None:
    """What a statement says the answer is: the formula that it begins with, or the rest of its first sentence."""
    before = _BEFORE.match(text)
    text = text[before.end() :] if before else text
    affirmed = _affirmed(text)
    if affirmed is None:
        return None
    text = affirmed
    sentence = END.split(text, maxsplit=1)[0]
    if is_asked(text, 0) or _WRONG.search(sentence):
        return None
    for opening, closing in MARKS:
        end = text.find(closing, len(opening)) if text.startswith(opening) else -1
        after = end + len(closing)
        goes_on = None if _REMARK.match(text, after) else _GOES_ON.match(text, after)
        if end >= 0 and not goes_on and not is_modified(text, after) and is_formula(text, opening, len(opening), end):
            return text[len(opening) : end].strip()
    return value_of(sentence)


_WRONG = re.compile(
    r"\b(?:wrong|incorrect|mistaken|not (?:right|correct|true)|(?:short|shy) of|i think not)\b|错误", re.IGNORECASE
)
_NAMED_LAST = re.compile(r"\D*\bwhich (?:is|equals) ")  # "the number of edges, which is 5"


def value_of(sentence: str) -> str | None:
    """What is left of a sentence that states a value without its remarks, and without what it is the value of."""
    remark = None if _NAMED_LAST.match(sentence) else _REMARK.search(sentence, 1)
    if remark and not MIGHT.search(sentence, remark.start()) and not _OR.search(sentence, remark.start()):
        sentence = sentence[: remark.start()]
    sentence = plain(_BOLD.sub(r"\1", sentence))
    sentence = sentence if MIGHT.search(sentence) else _IN_ALL.sub("", sentence)
    if described := _DESCRIBED.fullmatch(sentence):
        return described["value"]
    if counted := COUNTS.fullmatch(sentence):
        return counted["value"]
    verbs = list(_VERB.finditer(sentence))
    if verbs:
        subject, sentence = sentence[: verbs[-1].start()], plain(sentence[verbs[-1].end() :])
        if any(denied.search(subject) for denied in (DENIES, SUPPOSES, _UNSETTLED)) or is_bound(subject, len(subject)):
            return None
    affirmed = _affirmed(sentence)
    return affirmed and (_one_of_equals(_COUNTER.sub("", affirmed)) or None)


def _affirmed(text: str) -> str | None:
    """A text without "not 4 but"; None where it only says what is not so."""
    but = _BUT.match(text)
    if but is None:
        return None if _NOT.match(text) else text
    return text[but.end() :]


def _one_of_equals(value: str) -> str:
    """The first of numbers that say the same: "1/2 or 0.5", "1/2 (50%)"."""
    first, *others = _ALSO.split(value)
    return first if others and all(are_same(first, other.removesuffix(")")) for other in others) else value


_ALSO = re.compile(r",? or |\s*\((?:or |i\.e\.,? ?|that is,? |= ?|≈ ?)?(?=[^()]*\)$)")
_BOLD = re.compile(r"\*\*(\S[^*\n]*)\*\*")
_IN_ALL = re.compile(
    r"(?<=\w),? (?:in total|in all|altogether|overall|of them)$"
    r"|(?<=%) of (?:the|all|them|his|her|their)\b[a-z ]*$"
    r"|(?<=\S) \((?!.*\b(?:mod|base|in)\b)[a-z ]{3,}\)$",
    re.IGNORECASE,
)
_DESCRIBED = re.compile(  # "12 numbers that meet the three conditions"
    r"(?P<value>\d[\d,]*(?: [a-z]+){1,4}) (?:that|which|who|satisfying|meeting)\b"
    r"(?!.*\b(?:not|but|or|wrong|should|more|less|fewer|only|each|per|times)\b)[^.,;:=?]{1,120}",
)
COUNTS = re.compile(
    r"[^\d]{0,20}?(?:有|共|需要|花了?|得到|剩下?)\s*(?P<value>\d[\d,]*(?:\.\d+)?(?!\s*[万亿千百十])"
    r"|[一二两三四五六七八九十百千零]{1,9}(?=[个只人名本张种次页支块条辆件颗朵棵枚头位组]))\s*[\u4e00-\u9fff]{0,3}"
)
_COUNTER = re.compile(r"(?<=\d)\s*(?:[个個只人名本张种次页支块条辆件颗朵棵枚头位组]|[（(][\u4e00-\u9fff]{1,4}[）)])$")
