r"""Mathematical text as tokens: numbers, letters, names, LaTeX commands, signs. `parser` gives them their meaning.

It takes the normal form of `text.normal`. Plain ways of writing (`sqrt(2)`, `pi*r^2`, `x**2`, `>=`) give the tokens of
the LaTeX ones.
"""

import re
from typing import NamedTuple

from rlenvs.verifiers import units
from rlenvs.verifiers.notation import glyphs

MAX_TOKENS = 1000
MAX_DIGITS = 1000  # of one number as it is written


class UnreadableError(ValueError):
    """A text that is no mathematics that can be read whole, and why."""


class Token(NamedTuple):
    r"""One token.

    `kind` is number, letter, label (what `\\mathcal{…}` holds), name (of a function, a Greek letter, a constant),
    command (with arguments), text (what `\\text{…}` holds), begin or end (of an environment, which `text` names),
    joiner ("and", "or"), sign or nothing.
    """

    kind: str
    text: str
    is_spaced: bool = False  # whether blanks stand before it


END = Token("nothing", "")

_VARIANTS = ("varepsilon", "vartheta", "varrho", "varphi", "Upsilon", "ell", "hbar")
GREEK = frozenset((*glyphs.GREEK, *_VARIANTS)) - {"pi", "Pi"}  # pi is a constant
_SAME_LETTER = {"varepsilon": "epsilon", "vartheta": "theta", "varrho": "rho", "varphi": "phi"}
FUNCTIONS = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "arcsin",
        "arccos",
        "arctan",
        "arccot",
        "arcsec",
        "arccsc",
        "sinh",
        "cosh",
        "tanh",
        "coth",
        "sech",
        "csch",
        "arcsinh",
        "arccosh",
        "arctanh",
        "log",
        "ln",
        "lg",
        "exp",
        "abs",
        "floor",
        "ceil",
        "gcd",
        "lcm",
        "max",
        "min",
        "sqrt",
        "cbrt",
        "sgn",
        "det",
        "arg",
        "factorial",
        "binomial",
    ]
)
_SAME_FUNCTION = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
    "arcsh": "arcsinh", "arsinh": "arcsinh", "arcosh": "arccosh", "artanh": "arctanh", "tg": "tan", "ctg": "cot",
    "cotan": "cot", "arctg": "arctan", "sign": "sgn", "ceiling": "ceil", "comb": "binomial", "binom": "binomial",
}  # fmt: skip
CONSTANTS = {"pi": "pi", "infty": "infinity", "infinity": "infinity", "inf": "infinity", "oo": "infinity"}
_SAME = {**_SAME_LETTER, **_SAME_FUNCTION, **CONSTANTS}
_PLAIN_NAMES = FUNCTIONS | _SAME_FUNCTION.keys() | GREEK | CONSTANTS.keys()
_PLAIN_NAME = re.compile("|".join(sorted(_PLAIN_NAMES, key=len, reverse=True)))

_SIGNS = {
    r"\cdot": "*", r"\times": "×", r"\ast": "*", r"\div": "/", "**": "^", "<=": "<=", ">=": ">=", "!=": "!=",
    r"\le": "<=", r"\ge": ">=", r"\ne": "!=", r"\lt": "<", r"\gt": ">", "==": "=", r"\in": "in",
    r"\cup": "cup", r"\cap": "cap", r"\setminus": "setminus", r"\backslash": "setminus", r"\pm": "pm", r"\mp": "mp",
    r"\mid": "|", r"\vert": "|", r"\lvert": "|", r"\rvert": "|", r"\colon": ":", r"\{": r"\{", r"\}": r"\}",
    r"\lfloor": "floor(", r"\rfloor": ")floor", r"\lceil": "ceil(", r"\rceil": ")ceil",
    "€": "€", "£": "£", "¥": "¥", "₹": "₹", r"\wedge": "and", r"\land": "and", r"\vee": "or", r"\lor": "or",
    r"\emptyset": "emptyset",
    r"\sum": "sum", r"\prod": "prod", r"\int": "int", r"\lim": "lim", r"\to": "to", r"\rightarrow": "to",
    r"\notin": "notin", r"\subset": "subset", r"\subseteq": "subseteq", r"\supset": "supset",
    r"\supseteq": "supseteq", r"\equiv": "equiv", r"\parallel": "parallel", r"\perp": "perp", r"\neg": "neg",
    r"\lnot": "neg", r"\ldots": "...",
    r"\approx": "~", r"\simeq": "~", r"\doteq": "~",
    r"\longrightarrow": "to", r"\bmod": "mod", r"\pmod": "pmod", r"\langle": "⟨", r"\rangle": "⟩",
    r"\circ": "degree", r"\$": "$", r"\\": "newline", r"\|": "|",
    r"\lbrack": "[", r"\rbrack": "]", r"\prime": "'",
    r"\implies": "implies", r"\Rightarrow": "implies", r"\Leftrightarrow": "implies", r"\iff": "implies",
}  # fmt: skip
_BRACED = frozenset(  # commands with arguments, in braces as a rule
    [
        "frac",
        "sqrt",
        "overline",
        "bar",
        "mathbb",
        "binom",
        "dbinom",
        "tbinom",
        "vec",
        "hat",
        "tilde",
        "dot",
        "ddot",
        "angle",
        "triangle",
    ]
)
_NUMBER = (
    r"\d*\.\d*\\overline\s*\{\d+\}|\d*\.\d{3,}\.\.\."  # repeating decimals
    r"|\d+\.(?=\s*(?:[-+*/^)}]|$))|\d+(?:\.(?!\.)\d+)?(?:(?:[eE]-?\d{1,4}|E\+\d{1,4}|e\+\d{2,4})(?![\d.]))?|\.\d+"
)
_GROUPED = (
    rf"[1-9]\d{{0,2}}(?:,\d{{3}})+(?!\d)(?:\.\d+)?|(?<![_^}}])[1-9]\d{{0,2}}(?:\ \d{{3}})+(?!\d)(?:\.\d+)?|{_NUMBER}"
)
_TOKEN, _TOKEN_GROUPED = (
    re.compile(
        rf"""(?P<space>\s+)
        |(?P<number>{number})
        |(?P<environment>\\(?:begin|end)\s*\{{[a-zA-Z]+\*?\}})
        |(?P<label>\\mathcal\s*\{{[^{{}}]*\}})
        |(?P<text>\\text\s*\{{[^{{}}]*\}})
        |(?P<command>\\[a-zA-Z]+|\\[{{}}|$\\])
        |(?P<letters>[a-zA-Z]+)
        |(?P<sign>\.\.\.|\*\*|<=|>=|!=|==|[-+*/^_=<>!%|(){{}}\[\],;:'&€£¥₹])""",
        re.VERBOSE,
    )
    for number in (_NUMBER, _GROUPED)
)
_OPENING, _CLOSING = frozenset(("(", "[", r"\{")), frozenset((")", "]", r"\}"))
_VOWELS = frozenset("aeiouAEIOU")


def tokens(text: str, *, is_grouped: bool) -> list[Token]:
    """The tokens of a text in normal form, `END` last.

    Args:
        is_grouped: whether `1,234` is one number, and not two.

    Raises:
        UnreadableError: a sign that no mathematics has, words, or too much of it.
    """
    found: list[Token] = []
    position, is_spaced, depth = 0, False, 0
    while position < len(text):  # inside brackets a comma separates coordinates
        match = (_TOKEN_GROUPED if is_grouped and not depth else _TOKEN).match(text, position)
        if match is None:
            raise UnreadableError(f"{text[position]!r} is no mathematical sign")
        kind = str(match.lastgroup)
        if kind != "space":
            found += _read(kind, match[0], text, match.end(), is_spaced=is_spaced)
        is_spaced = kind == "space"
        depth += (match[0] in _OPENING) - (match[0] in _CLOSING)
        position = match.end()
    if len(found) > MAX_TOKENS:
        raise UnreadableError(f"{len(found)} signs; the limit is {MAX_TOKENS}")
    return [*found, END]


def is_name(run: str) -> bool:
    """Whether a run of letters is the name of a function, a Greek letter or a constant."""
    return run in _PLAIN_NAMES


def is_letters(run: str) -> bool:
    """Whether a run of letters may stand for letters that are multiplied, and is no word."""
    return len(run) < 3 or (len(run) < 5 and not _VOWELS & set(run))


def _read(kind: str, text: str, whole: str, end: int, *, is_spaced: bool) -> list[Token]:
    """What one match of the pattern stands for."""
    if kind == "number":
        if len(text) > MAX_DIGITS:
            raise UnreadableError(f"a number of {len(text)} signs; the limit is {MAX_DIGITS}")
        return [Token("number", text.replace(",", "").replace(" ", ""), is_spaced)]
    if kind == "environment":
        return [Token(text[1 : 4 if text[1] == "e" else 6], text[text.index("{") + 1 : -1].rstrip("*"), is_spaced)]
    if kind == "label":
        return [Token("label", text[text.index("{") + 1 : -1], is_spaced)]
    if kind == "text":
        inside = text[text.index("{") + 1 : -1]
        return [_words(inside.strip(), is_spaced=is_spaced or inside[:1].isspace())]
    if kind == "command":
        return [_command(text, is_spaced=is_spaced)]
    if kind == "letters":
        return _letters(text, whole[end : end + 1], is_spaced=is_spaced)
    return [Token("sign", _SIGNS.get(text, text), is_spaced)]


def _words(text: str, *, is_spaced: bool) -> Token:
    if text.lower() in ("and", "or"):
        return Token("joiner", text.lower(), is_spaced)
    if text in _PLAIN_NAMES and not (is_spaced and units.is_known(text)):
        return _named(text, is_spaced=is_spaced)
    is_letter = len(text) == 1 and text.isalpha() and not (is_spaced and units.is_known(text))
    return Token("letter" if is_letter else "text", text, is_spaced)


def _command(text: str, *, is_spaced: bool) -> Token:
    name = text[1:]
    if text in _SIGNS:
        sign = _SIGNS[text]
        return Token("joiner" if sign in ("and", "or") else "sign", sign, is_spaced)
    if name in _BRACED:
        return Token("command", name, is_spaced)
    if name in _PLAIN_NAMES:
        return _named(name, is_spaced=is_spaced)
    raise UnreadableError(f"{text} is no command that a final answer needs")


def _named(name: str, *, is_spaced: bool) -> Token:
    return Token("name", _SAME.get(name, name), is_spaced)


def _letters(run: str, after: str, *, is_spaced: bool) -> list[Token]:
    """A run of letters: a word that joins, a name, or letters that are multiplied."""
    if run in ("and", "or"):
        return [Token("joiner", run, is_spaced)]
    if run in ("in", "cup", "cap"):
        return [Token("sign", run, is_spaced)]
    found: list[Token] = []
    position = 0
    while position < len(run):
        name = _PLAIN_NAME.match(run, position)
        if name is not None and (position == 0 or name.end() == len(run)):
            found.append(_named(name[0], is_spaced=is_spaced and not position))
            position = name.end()
            continue
        found.append(Token("letter", run[position], is_spaced and not position))
        position += 1
    letters = [token for token in found if token.kind == "letter"]
    if len(letters) > 2 and (len(letters) > 4 or (after not in ("^", "_", "(", "}") and _VOWELS & set(run))):
        raise UnreadableError(f"{run!r} is a word")
    return found
