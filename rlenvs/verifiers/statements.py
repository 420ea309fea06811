"""What a sentence states as the answer: behind "the answer is" and its like, without what it remarks about it.

A sentence that denies, asks, supposes or quotes states nothing. Reads text only, in linear time.
"""

import re
from fractions import Fraction
from typing import NamedTuple

_VALUE_FOLLOWS = r"(?=[\s*_`:]*(?:[-−+]?[\d$\\(\[{√π]|[a-zA-Z]\s*=|\(?[A-J]\)?(?![a-zA-Z])))"
_EMPHASIS = r"[*_`]{0,3}"
_FILLER = r"(?: (?:therefore|then|thus|hence|so|simply|just|clearly|now|indeed|equal to|given by)(?![a-z]),?)?"
_ANCHOR = re.compile(
    rf"(?<![a-zA-Z])(?:answers?|(?:correct |right |best )(?:option|choice)){_EMPHASIS}"
    rf"(?: (?:is|are)(?![a-z'’]){_FILLER}|\s*[:=])"
    rf"|(?<![a-zA-Z])(?:solutions?|results?){_EMPHASIS}(?: (?:is|are|=)(?![a-z'’])|\s*[:=]{_VALUE_FOLLOWS})"
    rf"|(?<![a-zA-Z])(?:answer|result) (?:comes out (?:to|as|at)|(?:must|should|has to|will) be(?: equal to)?)"
    rf"{_VALUE_FOLLOWS}"
    r"|(?<![a-zA-Z])final answer[*_:]{0,5}\s*\n|^[#*_ ]{1,8}(?:the )?answer[*_:#]{0,5}[ \t]*\n"
    rf"|####(?:(?!\s*\d{{1,2}}[.)] \S[^\n]*\n){_VALUE_FOLLOWS}|(?=[^\n]{{1,100}}\s{{0,20}}\Z))"
    r"|\|\s*\**(?:final )?answer\**\s*\|"
    rf"|答案\**(?:应该|应当|应)?(?:是|为|等于|选|[:：])[:：]?|结果(?:是|为|等于){_VALUE_FOLLOWS}|解得"
    r"|^答[:：]|(?:故|应|因此|所以|正确选项[是为]|^|[，,。；])\s*选择?[:：]?(?=\s*[*$(（]*[A-J])",
    re.IGNORECASE | re.MULTILINE,
)
_END = re.compile(r"[.?](?=\s|$|[*\"”)]{1,3}(?:\s|$))|[。？]|．(?=\s|$)|\n")
_CLAUSE = re.compile(
    r"[.,;:!?。，；：！？\n]|\b(?:so|therefore|thus|hence|then|and|but|giving|get|leaves|leaving|yields)\b|所以|因此|\\(?:implies|Rightarrow)"
    r"|[⇒→]",
    re.IGNORECASE,
)
_WINDOW = 200  # characters of a sentence that are looked at before what it states
_DENIES = re.compile(
    r"\b(?:not|never|cannot|wrong|incorrect|false|untrue|unclear|nobody|no one|neither|impossible)\b|n['’]t\b"
    r"|不|并非|错误",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    r"\b(?:whether|suppos(?:e|ing)|assum(?:e|ing|ed)|unless|pretend|imagine|if (?:the|it|this|that|my|our)\b"
    r"|(?<!I )(?<!we )(?:says?|said|claim(?:s|ed)?|asks?|asked|states?|stated|thinks|thought|believes)"
    r")\b|^\W*if\b|(?:\b(?:naive|tempting|initial|previous|earlier|students?)|['’]s)\s*$"
    r"|如果|假设|假如|倘若|是否|若",
    re.IGNORECASE,
)


class Statement(NamedTuple):
    """Where a statement begins, where what it says begins, and what that is; None where it is taken back."""

    start: int
    end: int
    value: str | None


def last_statement(text: str) -> Statement | None:
    """The last statement of an answer in a text. It says nothing, too, where the one before it says something else."""
    anchors = list(_ANCHOR.finditer(text))
    if not anchors:
        return None
    last = _statement(text, anchors[-1])
    if len(anchors) > 1 and last.value is not None and not _CONTRASTS.search(text, anchors[-2].end(), last.start):
        before = _statement(text, anchors[-2]).value
        if before is not None and are_different(before, last.value):
            return last._replace(value=None)
    return last


TURNS = (
    r"(?:\b(?:wait|actually|hmm+|no(?=\s*[,.!—-])|no,? wait|nope|hold on|correction|sorry|oops|scratch that|never ?mind"
    r"|on (?:second thought|reflection)|i (?:made|see|realize|realise) (?:a |an |my )?(?:mistake|error)|my mistake"
    r"|i (?:was|am) (?:wrong|mistaken)|i mis\w+|let me (?:re-?\w+|correct)"
    r"|th(?:at|is)(?:['’]s| is| was) (?:wrong|not right|not correct|incorrect|a mistake))\b"
    r"|不对|等等|更正|错了|修正|抱歉|(?<=[，。])不(?=[，,]))"
)
"""How a sentence begins that corrects the one before."""

_CONTRASTS = re.compile(
    rf"{TURNS}|\b(?:so|thus|therefore|hence|however|but|now|then|next|finally|correct\w*|instead|final|second|"
    r"other|if|case|part|step|question|day)\b|所以|因此|不|但|故|最终",
    re.IGNORECASE,
)


def _statement(text: str, anchor: re.Match[str]) -> Statement:
    value = None
    if not is_taken_back(text, anchor.start()):
        rest = text[anchor.end() : anchor.end() + _LONGEST].strip()
        value = stated(rest.partition("|")[0] if anchor[0].startswith("|") else rest)
    return Statement(anchor.start(), anchor.end(), value)


def is_taken_back(text: str, place: int) -> bool:
    """Whether the sentence that leads up to a place denies, supposes or quotes what comes there."""
    before = text[max(0, place - _WINDOW) : place]
    sentence = _END.split(before)[-1]
    clause = _CLAUSE.split(sentence)[-1]
    is_quoted = sentence.count('"') % 2 == 1 or sentence.count("“") > sentence.count("”")
    return is_quoted or bool(_DENIES.search(clause) or _SUPPOSES.search(clause))


_GOVERNS = re.compile(
    r"(?:(?:\b(?:not|never|cannot|can't|nor)|n['’]t)(?:\s+(?:be|equal to|equals?|necessarily|simply|just))*"
    r"|不(?:可能|会|应|应该)?(?:是|为|等于)|并非"
    r"|\\neq?|≠|\b(?:rul(?:e[sd]?|ing) out|exclud|eliminat|reject|discard)\w*"
    r"|(?:\b(?:not|never|cannot|wrong|false|untrue|nobody|whether|suppos(?:e|ing)|assum(?:e|ing)|if|unless|is"
    r"|(?<!I )(?<!we )(?:says?|said|claim(?:s|ed)?|thinks|thought|believes))|n['’]t)\b[^.,;:!?\n]{0,30}?"
    r"(?<![a-zA-Z])(?:answer|result|solution|it)(?: (?:is|was|were|be))?)"
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
    r"(?:\\[)\]]|[\s$*_])*(?:(?:is|was|would be|seems|looks)(?: (?:clearly|obviously|also|still))? "
    r"(?:not|n['’]t|wrong|incorrect|false|impossible|ruled out|too )|(?:isn|wasn|can|doesn|does not|cannot)"
    r"|不|是错|错)",
    re.IGNORECASE,
)


def is_asked(text: str, place: int) -> bool:
    """Whether the sentence that goes on at a place is a question."""
    end = _END.search(text, place)
    return (end is not None and end[0] in "?？") or "吗" in text[place : end.start() if end else len(text)]


_LONGEST = 2000
_MARKS = (("$$", "$$"), (r"\[", r"\]"), (r"\(", r"\)"), ("$", "$"))  # around formulas
_BEFORE = re.compile(r"(?:[*_`\"“:：]|\s|```[a-z]*\n)+")
_NOT = re.compile(r"(?:not|never|anything but|neither|no longer|不是|非)(?![a-z])", re.IGNORECASE)
_BUT = re.compile(r"not\b[^.\n]{1,40}?,? but (?:rather |instead )?", re.IGNORECASE)
_VERB = re.compile(r"\b(?:is|are|equals|be)\b\s*:?\s+(?=\S)")
_REMARK = re.compile(
    r"\s*[(（,;:，；—–-]?\s*(?:\b(?:because|since|as|which|so|hence|thus|therefore|where|indeed|check|not|given that|"
    r"explanation|reason|note|verification|proof)\b|因为|所以|其中|即|而不是|不是)",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"[^.\n]{0,30}?(?:\bor\b|/|\bcould be\b|\bno wait\b|,|\band\b)"
    r"\s*(?:maybe|possibly|perhaps)?\s*(?:\$|\\\(|\d)"
)
MIGHT = re.compile(
    r"\b(?:could|might|may)\s+(?:also\s+|well\s+|even\s+|just as well\s+)*be\b|\bnot sure\b|可能|也许", re.IGNORECASE
)
_OR = re.compile(r"\bor\b|或", re.IGNORECASE)


def stated(text: str) -> str | None:
    """What a statement says the answer is: the formula that it begins with, or the rest of its first sentence."""
    before = _BEFORE.match(text)
    text = text[before.end() :] if before else text
    if _NOT.match(text):
        but = _BUT.match(text)
        if but is None:
            return None
        text = text[but.end() :]
    if is_asked(text, 0):
        return None
    for opening, closing in _MARKS:
        end = text.find(closing, len(opening)) if text.startswith(opening) else -1
        after = end + len(closing)
        goes_on = None if _REMARK.match(text, after) else _GOES_ON.match(text, after)
        if end >= 0 and not goes_on and not is_modified(text, after) and is_formula(text, opening, len(opening), end):
            return text[len(opening) : end].strip()
    return value_of(_END.split(text, maxsplit=1)[0])


def value_of(sentence: str) -> str | None:
    """What is left of a sentence that states a value without its remarks, and without what it is the value of."""
    remark = _REMARK.search(sentence, 1)
    if remark and not MIGHT.search(sentence, remark.start()) and not _OR.search(sentence, remark.start()):
        sentence = sentence[: remark.start()]
    sentence = _IN_ALL.sub("", plain(_BOLD.sub(r"\1", sentence)))
    if counted := COUNTS.fullmatch(sentence):
        return counted["value"]
    verbs = list(_VERB.finditer(sentence))
    if verbs and (_DENIES.search(sentence) or _SUPPOSES.search(sentence)):
        return None
    return _COUNTER.sub("", plain(sentence[verbs[-1].end() :] if verbs else sentence)) or None


_BOLD = re.compile(r"\*\*(\S[^*\n]*)\*\*")
_IN_ALL = re.compile(r"(?<=\w) (?:in total|in all|altogether|overall)$", re.IGNORECASE)
COUNTS = re.compile(
    r"[^\d]{0,20}?(?:有|共|需要|花了?|得到|剩下?)\s*(?P<value>\d[\d,]*(?:\.\d+)?)\s*(?![万亿千百十])[\u4e00-\u9fff]{0,3}"
)
_COUNTER = re.compile(r"(?<=\d)\s*[个個只人名本张种次页支块条辆件颗朵棵枚头位组]$")


def plain(text: str) -> str:
    """A text without the emphasis and quotation marks around it."""
    return text.strip(' \n*_`"“”✅!,;，；')


def is_modified(text: str, place: int) -> bool:
    """Whether the words behind a formula make another value of it: "$12$ plus one", "$12$ million"."""
    return _MODIFIES.match(text, place) is not None


_MODIFIES = re.compile(
    r"\s*(?:[-+*/^=<>](?=\s*[\d$\\(])|\\?%|[万亿千百]|(?:plus|minus|times|less|more|fewer|short|over|divided|below|above"
    r"|out of|percent|dozen|hundred|thousand|million|billion|trillion|squared|cubed|to the|if|when|unless)\b)",
    re.IGNORECASE,
)


def is_formula(text: str, opening: str, start: int, end: int) -> bool:
    """Whether a formula stands between two marks, and not what two amounts of dollars have between them."""
    content = text[start:end]
    if opening != "$":
        return bool(content.strip())
    return (
        bool(content) and content == content.strip() and "\n" not in content and not text[end + 1 : end + 2].isdigit()
    )


_NUMBER = re.compile(
    r"(?:[a-zA-Z]\s*=\s*)?\\?\$?(?P<sign>[-−]?)\s*(?:(?P<number>\d[\d,]*(?:\.\d+)?(?:\s*/\s*\d+)?)"
    r"|\\[dt]?frac\s*\{(?P<above>\d+)\}\s*\{(?P<below>\d+)\})\s*(?:\\?%|\\text\s*\{[^{}]*\}|[a-zA-Z ]*)\.?"
)
_LETTER = re.compile(r"\(?([A-J])\)?\.?")


def are_different(one: str, other: str) -> bool:
    """Whether two answers are numbers, or letters of choices, that differ. What is neither may be equal."""
    keys = [(number_of(text), _LETTER.fullmatch(text)) for text in map(_bare, (one, other))]
    (number, letter), (other_number, other_letter) = keys
    if number is not None and other_number is not None:
        return number != other_number
    return letter is not None and other_letter is not None and letter[1] != other_letter[1]


def _bare(text: str) -> str:
    return plain(re.sub(r"\\[()\[\]]|[${}]", "", text) if "frac" not in text else text.strip("$ "))


def number_of(text: str) -> Fraction | None:
    """A plain number, with a name before it or a word behind it; None for what is none."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    digits = found["number"] or f"{found['above']}/{found['below']}"
    try:
        value = Fraction(digits.replace(",", "").replace(" ", ""))
    except (ValueError, ZeroDivisionError):  # more digits than Python converts; nothing over zero
        return None
    return -value if found["sign"] else value
