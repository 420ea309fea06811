"""What is said around a place of a reply that keeps what stands there from being its answer.

Denials, questions, suppositions, quotations, bounds. Every look goes a bounded way, so that a long reply stays cheap.
"""

import re

END = re.compile(r"[.?](?=\s|$|[*\"”)]{1,3}(?:\s|$))|[。？]|．(?=\s|$)|\n")
_CLAUSE = re.compile(
    r"[.,;:!?。，；：！？\n]|\b(?:so|therefore|thus|hence|then|and|but|giving|get|leaves|leaving|yields)\b"
    r"|所以|因此|\\(?:implies|Rightarrow)|[⇒→]",
    re.IGNORECASE,
)
_WINDOW = 200  # characters of a sentence that are looked at before what it states
DENIES = re.compile(
    r"\b(?:not|never|cannot|wrong|incorrect|false|untrue|unclear|nobody|no one|neither|impossible|doubt|unlikely|hardly"
    r"|no way)\b|n['’]t\b|不|并非|错误",
    re.IGNORECASE,
)
_ASSURES = re.compile(
    r"\b(?:not (?:hard|difficult|surprising)|(?:no|without(?: a| any)?) doubt|n['’]t (?:hard|difficult))\b",
    re.IGNORECASE,
)
SUPPOSES = re.compile(
    r"\b(?:maybe|perhaps|possibly|whether|suppos(?:e|ing)|assum(?:e|ing|ed)|unless|pretend|imagine"
    r"|if (?:the|it|this|that|my|our)\b"
    r"|(?<!I )(?<!we )(?:says?|said|claim(?:s|ed)?|asks?|asked|states?|stated|thinks?|thought|believes?)"
    r")\b|^\W*(?:if|prove|show|verify)\b|(?:\b(?:naive|tempting|initial|previous|earlier|students?)|['’]s)\s*$"
    r"|如果|假设|(?<!建)设(?![备计])|假如|倘若|是否|若",
    re.IGNORECASE,
)
MIGHT = re.compile(
    r"\b(?:could|might|may)\s+(?:also\s+|well\s+|even\s+|just as well\s+)*be\b|\b(?:maybe|perhaps|possibly)\b"
    r"|\bnot sure\b|可能|也许",
    re.IGNORECASE,
)
TURNS = (
    r"(?:(?:(?:but|however|oh|ah|and|well),?\s+)?\b(?:wait|actually|hmm+|no(?=\s*[,.!—-])|no,? wait|nope|hold on"
    r"|correction|sorry|oops|scratch that|never ?mind|edit(?=\s*:)|rather(?=,)|i mean|on (?:second thought|reflection)"
    r"|my mistake|i (?:made|see|realize|realise) (?:a |an |my )?(?:mistake|error)|i (?:was|am) (?:wrong|mistaken)"
    r"|i mis\w+|i (?:forgot|overlooked|neglected|ignored)|let me (?:re-?\w+|correct)"
    r"|the (?:correct|right|actual|true) (?:value|number)"
    r"|th(?:at|is)(?:['’]s| is| was) (?:wrong|not right|not correct|incorrect|false|a mistake)"
    r"|th(?:at|is) (?:can['’]t|cannot|can not|is not|isn['’]t|ignores|misses|forgets|neglects|overlooks))(?![a-z])"
    r"|不对|等等|更正|错了|修正|抱歉|(?<=[，。])不(?=[，,]))"
)
"""How a sentence begins that takes back the one before."""


def is_taken_back(text: str, place: int) -> bool:
    """Whether the sentence that leads up to a place denies, supposes or quotes what comes there."""
    before = text[max(0, place - _WINDOW) : place]
    sentence = END.split(before)[-1]
    clause = _ASSURES.sub("", _CLAUSE.split(sentence)[-1])
    is_quoted = len(_QUOTE.findall(sentence)) % 2 == 1 or sentence.count("“") > sentence.count("”")
    return is_quoted or bool(DENIES.search(clause) or SUPPOSES.search(clause))


_QUOTE = re.compile(r'(?<!\d)"')  # behind a digit it is inches
_GOVERNS = re.compile(
    r"(?:(?:\b(?:not|never|cannot|can't|nor)|n['’]t)(?:\s+(?:be|equal to|equals?|necessarily|simply|just))*"
    r"|不(?:可能|会|应|应该)?(?:是|为|等于)|并非"
    r"|\b(?:more|less|greater|fewer|larger|smaller) than"
    r"|\\(?:neq?|leq?|geq?|lt|gt)(?![a-z])|[≠<>≤≥]|\b(?:rul(?:e[sd]?|ing) out|exclud|eliminat|reject|discard)\w*"
    r"|(?:\b(?:not|never|cannot|wrong|incorrect|false|untrue|nobody|whether|suppos(?:e|ing)|assum(?:e|ing)|unless"
    r"|if(?= (?:the |my |our )?(?:answer|result|solution|it)\b)"
    r"|(?<!I )(?<!we )(?:says?|said|claim(?:s|ed)?|thinks|thought|believes))|n['’]t)\b"
    r"(?:(?!\b(?:so|thus|therefore|hence|and|but|then|as|since|because)\b)[^.,;:!?\n]){0,30}?"
    r"(?<![a-zA-Z])(?:answer|result|solution|it)(?: (?:is|was|were|be|would be|gives|yields))?)"
    r"(?:\\[(\[]|[\s$*_:])*$",
    re.IGNORECASE,
)


def is_governed(text: str, place: int) -> bool:
    """Whether the very words before a place deny, ask or suppose that what comes there is the answer."""
    return _GOVERNS.search(text, max(0, place - _LONGEST_LINK), place) is not None


_LONGEST_LINK = 80


def is_rejected(text: str, place: int) -> bool:
    """Whether the words behind a place say that what stood there is not the answer."""
    return _REJECTED.match(text, place) is not None


_REJECTED = re.compile(
    r"(?:\\[)\]]|[\s$*_]|\\text\s*\{)*(?:(?:is|was|would be|seems|looks)(?: (?:clearly|obviously|also|still))?"
    r" (?:wrong|incorrect|false|impossible|ruled out|too )"
    r"|(?:(?:is|was|does|can)(?:n['’]t| not|not)|can['’]t)(?: be)?(?: the| a| our)?"
    r" (?:right|correct|work|true|valid|possible|fit|hold|satisfy|it|answer|solution)"
    r"|can be (?:ruled|excluded|eliminated|discarded)|fails?\b|不|是错|错)",
    re.IGNORECASE,
)


def is_asked(text: str, place: int) -> bool:
    """Whether the sentence that goes on at a place is a question."""
    end = END.search(text, place, place + _LONGEST_QUESTION)
    return (end is not None and end[0] in "?？") or "吗" in text[
        place : end.start() if end else place + _LONGEST_QUESTION
    ]


_LONGEST_QUESTION = 500


_BOUNDS = re.compile(
    r"(?:\b(?:at (?:least|most)|(?:more|less|greater|fewer|larger|smaller) than|exceed\w*|above|below|over|under|up to)"
    r"|至少|至多|最多|大于|小于|超过)(?:\\[(\[]|[\s$*_])*$",
    re.IGNORECASE,
)


def is_bound(text: str, place: int) -> bool:
    """Whether the words before a place make a bound of what comes there."""
    return _BOUNDS.search(text, max(0, place - _LONGEST_LINK), place) is not None


def is_modified(text: str, place: int) -> bool:
    """Whether the words behind a formula make another value of it: "$12$ plus one", "$12$ million"."""
    return _MODIFIES.match(text, place) is not None


_MODIFIES = re.compile(
    r"\s*(?:[-+*/^=<>](?=\s*[\d$\\(])|\\?%|[万亿千百]|(?:plus|minus|times|less|more|fewer|short|over|divided|below|above"
    r"|out of|percent|dozen|hundred|thousand|million|billion|trillion|squared|cubed|to the|if|when|unless"
    r"|at (?:least|most)"
    r"|or (?:so|less|more|fewer|above|below|higher|lower|greater|smaller))\b)",
    re.IGNORECASE,
)
