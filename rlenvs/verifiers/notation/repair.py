r"""Undoing what programs did to LaTeX on its way: backslashes taken for escapes or doubled, HTML, glyphs for commands.

Text in, text out. A repair is made only where what comes of it is a command that answers use.
"""

import re

_EATEN = {"\t": "t", "\f": "f", "\r": "r", "\b": "b", "\v": "v", "\a": "a", "\n": "n"}
_EATEN_COMMAND = re.compile(
    "\t(?=ext|extcirc|frac|imes|heta|an(?![a-z]))"
    "|\f(?=rac|box)"
    "|\r(?=ight|ho(?![a-z]))"
    "|\b(?=eta|egin|oxed|inom|ar(?![a-z]))"
    "|\n(?=eq(?![a-z])|e(?![a-z]) )"
    "|\v(?=ec(?![a-z]))"
    "|\a(?=lpha|pprox)"
)
_DOUBLED = re.compile(r"\\\\(?=[a-zA-Z]{2})")
_HTML = re.compile(r"<(?P<kind>su[pb])>(?P<inside>[^<>]{0,40})</su[pb]>", re.IGNORECASE)
_CIRCLED = {chr(0x2460 + number): f",{number + 1}" for number in range(20)}  # ① is a choice, not a digit


def repaired(text: str) -> str:
    """The text as it was written."""
    text = _EATEN_COMMAND.sub(lambda sign: "\\" + _EATEN[sign[0]], text)
    if r"\begin" not in text:  # there two backslashes end a row
        text = _DOUBLED.sub(r"\\", text)
    text = _HTML.sub(_without_html, text)
    return "".join(_CIRCLED.get(sign, sign) for sign in text).lstrip(",") if not text.isascii() else text


def _without_html(tag: re.Match[str]) -> str:
    return ("^" if tag["kind"].lower() == "sup" else "_") + "{" + tag["inside"] + "}"
