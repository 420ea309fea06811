"""What a reply that marks no answer ends with: its last formula, what its last sentence concludes, one short line."""

import re

from rlenvs.verifiers.replies.behind_box import with_unit
from rlenvs.verifiers.replies.boxes import Box
from rlenvs.verifiers.replies.denials import MIGHT, is_asked, is_bound, is_governed, is_modified, is_rejected
from rlenvs.verifiers.replies.plain_values import is_formula, plain
from rlenvs.verifiers.replies.prose import told
from rlenvs.verifiers.replies.statements import COUNTS, MARKS, value_of

_LONGEST_LINE, _LONGEST = 100, 2000
_REFUSES = re.compile(
    r"\b(?:cannot|can't|could not|couldn't|unable|(?:don't|do not) (?:know|see|understand|have)"
    r"|not sure|no idea|no answer|unsure)\b|无法|不知道",
    re.IGNORECASE,
)
_OF = re.compile(
    r"(?:\b(?:by|with|mod|modulo|than|near|from|in|on|at|times|twice|plus|minus|between)"
    r"|\b(?:root|square|cube|half|double|third|quarter|multiple|power|factor|divisor|digits?|terms?) of)"
    r"(?:\\[(\[]|[\s$*_])*$",
    re.IGNORECASE,
)
_SAYS_MORE = re.compile(
    r"\b(?:is|are|was|were|has|have|does|fails?|exceeds?|leads|works|cannot)\b|n['’]t\b", re.IGNORECASE
)
_NAMES_IT = re.compile(
    r"\bis (?:our|the|my|your)\b(?: \w+){0,2} (?:answer|solution|result|value|number)\b", re.IGNORECASE
)
_JOINED_BEFORE = re.compile(r"(?:\$|\\\)|\d)\s*(?:,|,?\s*(?:and|or))\s*$")


def conclusion(text: str) -> str | None:
    """What the last line of a text states.

    The formula that it ends with; else the value in a sentence that concludes ("So the total is 42."), or that is all
    there is ("It is 42."); else the text itself, if it is one short line.
    """
    text = text.strip()
    line = text[-_LONGEST:].rpartition("\n")[2]
    sentence = _SENTENCE_BREAK.split(line)[-1]
    if amount := _told(sentence, is_all=sentence == text):
        return amount
    has_formula = "$" in sentence or "\\" in sentence
    if not has_formula and (found := _concluded(sentence, is_all=sentence == text)):
        return found
    if (formula := _last_formula(text)) is not None:
        return formula or None
    if (found := _concluded(sentence, is_all=sentence == text)) is not None:
        return found or None
    return plain(text) or None if 0 < len(text) <= _LONGEST_LINE and "\n" not in text else None


def _told(sentence: str, *, is_all: bool) -> str | None:
    concludes = _CONCLUDES.match(sentence)
    return told(sentence[concludes.end() if concludes else 0 :], concludes=bool(concludes), is_all=is_all)


def _last_formula(text: str) -> str | None:
    """The last formula, where it stands on the last line; empty where that line does not state it."""
    ends = {text.rfind(closing): (opening, closing) for opening, closing in reversed(MARKS)}
    if text.endswith("$$", 0, text.rfind("$") + 1):
        ends[text.rfind("$") - 1] = ("$$", "$$")
        ends.pop(text.rfind("$"), None)
    end = max(ends)
    if end <= 0:
        return None
    opening, closing = ends[end]
    start = text.rfind(opening, 0, end)
    if start < 0 or "\n" in text[end + len(closing) :]:
        return None
    line = text[text.rfind("\n", 0, start) + 1 :]
    after = end + len(closing)
    content = text[start + len(opening) : end].strip()
    is_value = is_formula(text, opening, start + len(opening), end)
    measured = with_unit(Box(start, after, content), text).content
    is_denied = is_governed(text, start) or is_rejected(text, after) or is_asked(text, end)
    is_part = _OF.search(text, max(0, start - 40), start) or _SAYS_MORE.search(_NAMES_IT.sub("", text[after:]))
    if is_denied or is_part or is_bound(text, start) or _REFUSES.search(line[:_LONGEST]):
        return ""
    if measured == content and is_modified(text, after):
        return ""
    if _JOINED_BEFORE.search(text[max(0, start - 20) : start]):
        concludes = _CONCLUDES.match(line)
        return line[concludes.end() if concludes else 0 :].strip()
    return measured if is_value else None


_SENTENCE_BREAK = re.compile(r"(?<=[.!?])(?<!i\.e\.)(?<!e\.g\.)\s+|(?<=[。！？])(?=.)")
_CONCLUDES = re.compile(
    r"\W*(?:∴|so|thus|therefore|hence|in total|altogether|finally|consequently|in conclusion|overall)(?![a-z])[,:]?\s*"
    r"|\W*(?:since|because|as|given that)\b[^,.!?\n]{1,100},\s*(?=(?:it|this|the (?:answer|result|total|number))\b)"
    r"|\W*(?=一共|总共)|\W*(?:所以|因此|故|综上所述|综上|于是|因而|总之|最后)[,，:：]?\s*",
    re.IGNORECASE,
)
_STATES = re.compile(
    r"\b(?:is|are|was|were|equals|be)\b\s*:?\s+(?=\S)|(?:总数|概率|总和|面积|周长)?(?:等于|是|为)(?=\s*\S)"
)
_EQUATION = re.compile(
    r"(?:[a-z]+ )?(?P<equation>[a-zA-Z](?:_?\d)?\s*(?:[<>≤≥=]|[<>]=)\s*[^<>=]+(?:(?:or|and|,)\s*[a-zA-Z]\s*=[^=]+)*)"
)
_LETTER = re.compile(r"\(?[A-J]\)?")
_CONDITION = re.compile(r"if [^,.!?\n]{1,60} (?:does not|doesn['’]t|do not|don['’]t) matter,\s*", re.IGNORECASE)
_RESTATES = re.compile(r"\b(?:in|from|by) the (?:problem|question|prompt|statement|exercise|example)\b", re.IGNORECASE)
_DOUBTS = re.compile(r"\b(?:wrong|incorrect|(?:more|less|fewer|greater) than(?= \$?\d[^=]*=))\b", re.IGNORECASE)
_TELLS = re.compile(
    r"(?!.*\b(?:if|first|no|nobody|none|maybe|perhaps|hardly|barely|claims?|seems?|hopes?|wants?|as|twice|let|says?|said|thinks?|given|step|part|problem|question|example|answer|number|result|solution|only|had|might|may|could"
    r"|would|should|can|must|almost|about|nearly|more|less|fewer|than|per|at|for|from|when|extra|another|other)\b)"
    r"[A-Za-z'’ ]+\\?\$?\d",
    re.IGNORECASE,
)
_HAS = re.compile(
    r"(?!(?:we|i|you|one)\b)[^\d$\\]*?\b(?:has|have|had|needs?|costs?|makes?|made|earns?|earned|pays?|paid|spends?|spent|gets?|got|sells?|"
    r"sold|takes?|took|buys?|bought|eats?|ate|uses?|used|saves?|saved|owes?|weighs?|there (?:are|is|were))\s+"
    r"(?P<value>\\?\$?\d[\d,]*(?:\.\d+)?(?:\s*%)?(?: [a-z]+){0,4})",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    r"\W*(?:if|suppose|assume|assuming|let|unless|whether|show|prove|find|verify|determine|如果|假设|若)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"[A-Za-z][A-Za-z ]{2,}=")
_CHOICE = re.compile(r"\(?[A-J]\)?[.:)]")
_NEVER = re.compile(r"\b(?:not|never|nor)\b|n['’]t\b|不|没|至少|至多|最多", re.IGNORECASE)


def _concluded(sentence: str, *, is_all: bool) -> str | None:
    """The value that a sentence concludes with; empty where it denies, asks, hedges or supposes it."""
    concludes = _CONCLUDES.match(sentence)
    if not concludes and not is_all:
        return None
    claim = _CONDITION.sub("", sentence[concludes.end() if concludes else 0 :].rstrip(" .。*!"), count=1)
    if is_asked(sentence, 0) or any(unsure.search(claim) for unsure in (_REFUSES, MIGHT, _RESTATES, _DOUBTS)):
        return "" if concludes else None
    if _SUPPOSES.match(claim):
        return "" if concludes else None
    if equation := _EQUATION.fullmatch(claim):
        return equation["equation"]
    if concludes and _LETTER.fullmatch(claim):
        return claim
    if is_all and _CHOICE.match(sentence):
        return None
    counted = _HAS.fullmatch(claim) or COUNTS.fullmatch(claim)
    if counted and (concludes or _TELLS.match(claim)) and not _NEVER.search(claim):
        return value_of(counted["value"])
    return _behind_verb(claim, concludes=bool(concludes))


def _behind_verb(claim: str, *, concludes: bool) -> str | None:
    verbs = list(_STATES.finditer(claim))
    if verbs:
        end = verbs[-1].end()
        return "" if is_governed(claim, end) else value_of(claim[end:])
    is_equation = "=" in claim and (concludes or _NAMED.match(claim))
    return value_of(claim.rpartition("=")[2]) if is_equation else None
