"""The prose of a text: what is left of it without formulas, code, commands and tags.

Linear in the text's length, whatever a policy wrote.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_OPENING = re.compile(r"```|`|\$\$|\$|\\\[|\\\(")
_CLOSING = {"```": "```", "`": "`", "$$": "$$", "$": "$", r"\[": r"\]", r"\(": r"\)"}
_NO_PROSE = re.compile(r"\\[a-zA-Z]+|</?(?:think|answer)>")
FORMULA_SCRIPTS = ("LATIN", "GREEK")
"""What formulas and programs are written in. Letters of another script are prose wherever they stand."""


def prose(text: str) -> str:
    """The text with a blank for every formula, piece of code, LaTeX command and think or answer tag.

    Letters that are neither Latin nor Greek stay, inside formulas too: no formula is written in them, and what is
    written in them there is prose that hides.
    """
    kept, position = [], 0
    for start, end in _formulas(text):
        kept += [text[position:start], _foreign_letters(text[start:end])]
        position = end
    return _NO_PROSE.sub(" ", " ".join([*kept, text[position:]]))


@lru_cache(maxsize=10_000)
def script_of(letter: str) -> str:
    """The script of a letter by its name in Unicode: LATIN, GREEK, CYRILLIC, HAN, KANA, HANGUL, and so on."""
    script = re.split("[ -]", unicodedata.name(letter, ""), maxsplit=1)[0]
    return _SAME_SCRIPTS.get(script, script)


_SAME_SCRIPTS = {"CJK": "HAN", "IDEOGRAPHIC": "HAN", "HIRAGANA": "KANA", "KATAKANA": "KANA"}


def _formulas(text: str) -> Iterator[tuple[int, int]]:
    """Where formulas and code are. A mark that is never closed opens nothing."""
    position, unclosed = 0, set()
    while opening := _OPENING.search(text, position):
        mark = opening[0]
        position = opening.end()
        end = -1 if mark in unclosed else text.find(_CLOSING[mark], position)
        if end < 0:
            unclosed.add(mark)
        elif mark not in ("$", "`") or _is_inline(text, position, end):
            position = end + len(_CLOSING[mark])
            yield opening.start(), position


def _is_inline(text: str, start: int, end: int) -> bool:
    """Whether marks enclose a formula, and not what two amounts of dollars have between them."""
    content = text[start:end]
    return content == content.strip() and "\n" not in content and not text[end + 1 : end + 2].isdigit()


def _foreign_letters(formula: str) -> str:
    if formula.isascii():
        return ""
    return "".join(sign if sign.isalpha() and script_of(sign) not in FORMULA_SCRIPTS else " " for sign in formula)
