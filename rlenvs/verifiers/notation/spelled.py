r"""Numbers in words: `twenty-one apples`, `negative five`, `two thirds`, `5 squared`. Text in, text out.

Only where the whole text is a number, with what it counts behind it: in a sentence a number word decides nothing.
"""

import re

from text_to_num import text2num

_NUMBER_WORD = (  # longer ones first: `seventeen` is no `seven`
    "thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
    "|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|million|billion"
)
_PARTS = {
    "half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "hundredth": 100, "thousandth": 1000,
}  # fmt: skip
_SPELLED = re.compile(
    r"(?:(?P<negative>negative|minus)\s+)?"
    rf"(?P<number>(?:{_NUMBER_WORD})(?:(?:[\s-]+|\s+and\s+)(?:{_NUMBER_WORD}))*)(?![a-z-])"
    rf"(?:[\s-]+(?P<part>{'|'.join(_PARTS)}|halves)s?(?![a-z]))?(?P<counted>(?:\s+[a-z]+){{0,3}})",
    re.IGNORECASE | re.ASCII,
)
_NEGATIVE = re.compile(r"(?<![a-zA-Z\\])(?:negative|minus)\s+(?=[\d.\\])", re.IGNORECASE | re.ASCII)
_RAISED = re.compile(r"^(-?\d+)\s+(squared|cubed)$")
_A_NUMBER = {"hundred": "100", "thousand": "1000", "million": "1000000", "billion": "1000000000", "dozen": "12"}
_A = re.compile(rf"^an? ({'|'.join(_A_NUMBER)})(?=$| [a-z]+$)", re.IGNORECASE | re.ASCII)
_HALF = re.compile(r"(?:a )?half(?: an?)?(?P<counted>(?: [a-z]+)?)", re.IGNORECASE | re.ASCII)
_AND_A_HALF = re.compile(
    rf"(?P<whole>\d+|{_NUMBER_WORD}) and a half(?P<counted>(?: [a-z]+)?)", re.IGNORECASE | re.ASCII
)
_AMBIGUOUS = re.compile(r"\band\b|hundred|thousand|illion", re.IGNORECASE)
_JOINERS = frozenset(("and", "or", "of", "to", "is", "are", "not", "times", "plus", "minus", "over", "divided", "by"))


def in_digits(text: str) -> str:
    """The text with a number in words in digits; any other text as it is."""
    text = _A.sub(lambda found: _A_NUMBER[found[1].lower()], text)
    text = _RAISED.sub(r"\1^\2", _NEGATIVE.sub("-", text)).replace("^squared", "^2").replace("^cubed", "^3")
    if whole := _HALF.fullmatch(text):
        return rf"\frac{{1}}{{2}} {whole['counted']}".strip()
    if mixed := _AND_A_HALF.fullmatch(text):
        return rf"{in_digits(mixed['whole'])}\frac{{1}}{{2}} {mixed['counted']}".strip()
    found = _SPELLED.fullmatch(text)
    if found is None or _JOINERS & set(found["counted"].lower().split()):
        return text
    if found["part"] and _AMBIGUOUS.search(found["number"]):  # twenty and one half, one hundred thousandths
        return text
    try:
        value = text2num(found["number"].lower(), "en")
    except ValueError:  # `one two` is no number
        return text
    sign = "-" if found["negative"] else ""
    if found["part"] is None:
        return f"{sign}{value}{found['counted']}"
    part = found["part"].lower()
    return rf"{sign}\frac{{{value}}}{{{_PARTS['half' if part == 'halves' else part]}}}{found['counted']}"
