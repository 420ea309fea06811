"""The one amount that a sentence of prose tells, as "So Toula paid a total of $694 for the pastries" does.

A sentence that denies, hedges, asks or supposes tells none, nor does one with several amounts of which any may be
meant.
"""

import re

from rlenvs.verifiers.units import is_measure, unit

_LONGEST = 300
_NUMBER = r"\d[\d,]*(?:\.\d+)?"
_WORD_NUMBER = (
    r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-(?:one|two|three|four|five|six|seven|eight|nine))?)"
)
_FORMULA = re.compile(rf"\$(?P<content>(?:[a-zA-Z] ?= ?)?-?{_NUMBER})\$(?!\d)")
_BOLD = re.compile(r"\*\*|__")
_STRESSED = re.compile(r"(\*\*|__)[^*_]+\1")
_NAMED = re.compile(r"(?<![\w)])[a-zA-Z] ?= ?(?=-?\d)")
_UNCLEAR = re.compile(
    r"\b(?:not|never|nor?|none|nobody|cannot|neither|wrong\w*|incorrect\w*|might|may|could|would|should|must|maybe"
    r"|perhaps|possibly|probably|seems?|if|unless|whether|suppos\w+|assum\w+|let|says?|said|claim\w*|thinks?|thought"
    r"|believes?|hopes?|wants?|told|asked|guess\w*|about|almost|nearly|approximately|around|roughly|least|most|only"
    r"|under|over|above|below|exceed\w*|or|but|except|either|another|other|still|first|next|step|part"
    r"|twice|half|double|triple|thrice|times|fraction|percentage|given|problem|question|example|answer|prompt"
    r"|statement|hundred|thousand|million|billion|trillion|dozens?|pairs?|percent"
    r"|multiples?|digits?|divi\w+|factors?|powers?|roots?"
    r"|starts?|ends?|too|impossible|we (?:need|have)|remember|recall|note|show|prove|find)\b"
    r"|n['’]t\b|\b(?:more|less|fewer|greater|larger|smaller) than \$?\d|\bup to\b"
    r"|\b(?:room|page|number|chapter|day|week|year|bus|house|floor|line|row|level|grade|case|option|figure) \d"
    r"|[?？;:\\\\^_<>≤≥≈/*+=]|\$(?!\d)",
    re.IGNORECASE,
)
_THAT_IS = re.compile(rf",? (?:i\.e\.|that is),? (?=\$?{_NUMBER})")
_SO = re.compile(r",? (?:so|therefore|thus|hence),? ", re.IGNORECASE)
_REASON = re.compile(
    r",? (?:since|because|as (?:he|she|it|they|we|the)|given that|which)\b|, (?:if|where|after|when|with)\b"
    r"|(?<=[a-z]) (?:that|who|satisfying|such that)\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(  # what the amount is counted for, within which bounds, in which time
    r"(?<=[a-z]) (?:(?:less|greater) than|between|not exceeding|from \d+ to)\b"
    r"| more to\b| for (?:the|his|her|their|all)\b"
    r"| (?:for|in|after|over|every) (?:\d+|\w+) (?:seconds|minutes|hours|days|weeks|months|years)\b",
    re.IGNORECASE,
)
_SUM = re.compile(r"=|\btotal\b", re.IGNORECASE)
_TERM = rf"\(?\$?{_NUMBER}%?\)?(?: (?:a|[a-zA-Z/]{{2,}})){{0,4}}"
_WORKED_OUT = re.compile(rf"(?<![\w().,]){_TERM}(?: ?[-+*/x×÷] ?{_TERM}){{1,8}} ?= ?(?=\$?\d)")
_AMOUNT = re.compile(
    rf"(?<![\w.,/^-])(?P<value>\$?{_NUMBER}(?: ?%)?|{_WORD_NUMBER}(?![-\w]))"
    rf"(?: (?P<unit>[a-zA-Z]+)(?P<rest>(?: and)? {_NUMBER} (?:inches|minutes|seconds|cents))?)?",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d")
_TOTAL = re.compile(r"\b(?:total|altogether|in all|all together)\b", re.IGNORECASE)
_UNFIT = re.compile(
    r"^\W*(?:[A-J][.:)]|(?:if|unless|whether)\b)|[?？\u4e00-\u9fff]"
    r"|\b(?:not sure|unsure|maybe|perhaps|possibly|if we|suppose|wait|actually|hmm|(?:not|without|never) counting"
    r"|of (?:which|whom)|but(?! not)|except|however|wrong\w*|incorrect\w*|mistaken\w*|subtract|add|remain to)\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|needs?|costs?|makes?|made|earn(?:s|ed)|pa(?:y|ys|id)|spen(?:ds?|t)|gets?|got"
    r"|sells?|sold|takes?|took|buys?|bought|eats?|ate|use[sd]?|saved?|saves|owes?|weighs?|runs?|ran|walks?|walked"
    r"|read|reads|drives?|drove|bakes?|baked|collect(?:s|ed))\b",
    re.IGNORECASE,
)
_SAYS_MORE = re.compile(  # of a sentence that nothing marks as the conclusion
    r"\b(?:an?|per|each|every|at|from|when|extra|more|less|fewer|than|as|can|had|no|number|result|solution|we|know|that)\b"
    r"|\b(?:claims|hardly|barely|nearly)\b|,",
    re.IGNORECASE,
)


def told(sentence: str, *, concludes: bool, is_all: bool) -> str | None:
    """The amount that a last sentence tells.

    One that does not begin with a word of conclusion has to work the amount out, sum up, stress it, or be all there is.
    """
    if len(sentence) > _LONGEST or _UNFIT.search(sentence):
        return None
    text = _FORMULA.sub(lambda found: found["content"], sentence.replace(r"\$", "$"))
    claim = _claim(_NAMED.sub("", _BOLD.sub("", text)))
    worked_out = _WORKED_OUT.search(claim)
    claim = claim[: worked_out.start()] + claim[worked_out.end() :] if worked_out else claim
    amounts = list(_AMOUNT.finditer(claim))
    if len(amounts) != 1 or _UNCLEAR.search(claim) or _DIGITS.search(_AMOUNT.sub("", claim)):
        return None
    is_marked = concludes or worked_out or _STRESSED.search(text) or _TOTAL.search(claim)
    is_plain = is_all and _VERB.search(claim, 0, amounts[0].start()) and not _SAYS_MORE.search(claim)
    return _with_unit(amounts[0]) if is_marked or is_plain else None


def _claim(text: str) -> str:
    """What a sentence claims, without its reasons, its conditions and what it says about the things it counts."""
    if restated := _THAT_IS.search(text):
        return text[restated.end() :].rstrip(" .!")
    text = _before(_REASON, _SO.split(text)[-1])
    about = _before(_ABOUT, text)
    return (text if _SUM.search(text, len(about)) else about).rstrip(" .!")


def _before(remark: re.Pattern[str], text: str) -> str:
    """A text up to a remark, where an amount stands before it."""
    found = remark.search(text, 1)
    return text[: found.start()] if found and _AMOUNT.search(text, 0, found.start()) else text


def _with_unit(amount: re.Match[str]) -> str:
    """An amount with its unit, where that is no counted thing."""
    name = amount["unit"] or ""
    measured = unit(name) if name else None
    if amount["rest"]:
        return f"{amount['value']} {name}{amount['rest']}"
    is_measured = measured is not None and is_measure(measured) and not amount["value"].startswith("$")
    return f"{amount['value']} {name}" if is_measured else amount["value"]
