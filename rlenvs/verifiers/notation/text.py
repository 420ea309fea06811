"""Bringing the ways of writing one answer to one form: glyphs, LaTeX noise, currency, boxes. Text in, text out.

Nothing here is evaluated. Values belong to `exact`, structure to `compare`, algebra to the worker process.
"""

import re
from functools import lru_cache

from rlenvs.verifiers.notation.chinese import translated
from rlenvs.verifiers.notation.glyphs import plain_glyphs
from rlenvs.verifiers.notation.repair import repaired
from rlenvs.verifiers.notation.rewrites import rewritten
from rlenvs.verifiers.replies.extract import extract, last_box

MAX_CHARS = 2000  # an answer longer than this is no final answer

_ALIGNED = re.compile(r"\\begin\{(?:align|aligned|gather|gathered|cases)\*?\}(.*)\\end\{[a-z]+\*?\}", re.DOTALL)
_MAX_DEPTH = 60
_MAX_WRAPPINGS = 5
_BOX = re.compile(r"\\(?:boxed|fbox|framebox)\s*\{")
_EMPHASIS = re.compile(r"(\*{1,3}|_{1,3}|[\"`'])(.*[^*_\"`'])\1", re.DOTALL)
_BOLD = re.compile(r"\\(?:mathbf|boldsymbol|bm|mathit|mathsf|pmb|bold)\s*\{")
_LEADING_SIGN = re.compile(r"^(?:=|\\(?:approx|simeq)(?![a-z]))\s*")
_TEXT = re.compile(r"\\text\s*\{([^{}]*)\}")
_DIGIT_RUN = re.compile(r"\d{1000}")
_HUGE = re.compile(r"(?:\^|\*\*)\s*[{(]?\s*[-+]?\s*\d{5,}|(?<!\d)\d{5,}+\s*\)?\s*!|!\s*\)*\s*!")


def _without_dot(text: str) -> str:
    """The text without the full stop at its end; two dots are none."""
    return text if text.endswith("..") else text.removesuffix(".").rstrip()


_PLAIN_NUMBER = re.compile(r"-?\d+(?:\.\d+)?", re.ASCII)


@lru_cache(maxsize=2048)  # a reference is compared with every attempt at it
def normal(text: str) -> str:
    """One form for what differs only in glyphs, wrapping and LaTeX noise. `$…$`, boxes and bold are taken off."""
    if _PLAIN_NUMBER.fullmatch(text):
        return text
    text = plain_glyphs(repaired(text).strip())
    text = translated(_without_bold(_unboxed(text)))
    text = _ALIGNED.sub(_in_one_line, text)
    text = rewritten(text)
    text = text.rstrip(" \\").strip()
    text = _LEADING_SIGN.sub(
        "", emphasised[2].strip() if (emphasised := _EMPHASIS.fullmatch(text.removesuffix("."))) else text
    )
    text = _unwrapped(_without_dot(text))
    return _without_dot(text)


def _unboxed(text: str) -> str:
    """What is in the box, of a text that is one box; of a sentence with boxes, the answer that it gives."""
    if not _BOX.search(text):
        return text
    bare = text.strip(" $.\n")
    if _BOX.match(bare) and bare.endswith("}") and _closing(bare[bare.index("{") :]) == len(bare) - bare.index("{") - 1:
        return last_box(text) or text
    return extract(text) or ""


def _without_bold(text: str) -> str:
    r"""The formula in `\mathbf{…}`; a letter or a word in it stays marked: it may be a vector or a unit."""
    if "\\" not in text:
        return text
    parts, position = [], 0
    for bold in _BOLD.finditer(text):
        if bold.start() < position:
            continue
        end = bold.end() + _closing(text[bold.end() - 1 :]) - 1
        content = text[bold.end() : end]
        if end >= bold.end() and not content.strip().isalpha():
            parts += [text[position : bold.start()], "{", _without_bold(content), "}"]
            position = end + 1
    return "".join([*parts, text[position:]])


def _in_one_line(lines: re.Match[str]) -> str:
    """The lines of an environment one after the other; `value & condition` as `value if condition`."""
    aligned = re.sub(r"&\s*(?==|<|>|\\[lg]e|$)|(?<==)\s*&|^\s*&", "", lines[1], flags=re.MULTILINE)
    aligned = re.sub(r"\\\\\s*(?==)", " ", aligned)  # a line that goes on
    aligned = re.sub(r"[,.]?\s*&", r" \\text{if} ", re.sub(r"[,.;]\s*(?=\\\\|$)", "", aligned.strip()))
    return aligned.replace(r"\\", ",")


def _unwrapped(text: str) -> str:
    r"""What braces, or `\text`, enclose as a whole."""
    for _ in range(_MAX_WRAPPINGS):
        if not (text.startswith("{") and text.endswith("}") and _closing(text) == len(text) - 1):
            break
        text = text[1:-1].strip()
    found = _TEXT.fullmatch(text)
    return found[1].strip() if found else text


def _closing(text: str) -> int:
    """Where the brace is closed that the text begins with; -1 if it is not."""
    depth = 0
    for position, sign in enumerate(text):
        depth += (sign == "{") - (sign == "}")
        if depth == 0:
            return position
    return -1


def without_text_commands(text: str) -> str:
    r"""The words of `\text{…}` as they stand."""
    return re.sub(r"\s+", " ", _TEXT.sub(r" \1 ", text)).strip()


def is_huge(text: str) -> bool:
    """Whether a power, a factorial, a number or the nesting in it is too large to be worked out, by the text alone."""
    depth = deepest = 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        deepest = max(deepest, depth)
    return deepest > _MAX_DEPTH or bool(_HUGE.search(text) or _DIGIT_RUN.search(text))


_NAMES = (
    "alpha beta gamma delta epsilon theta lambda mu phi psi omega sigma tau rho pi infty"
    " sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln exp sqrt"
)
_BARE_NAME = re.compile(rf"(?<![a-zA-Z\\])({_NAMES.replace(' ', '|')})(?![a-zA-Z])")
_WORD = re.compile(r"(?<![a-zA-Z\\])[a-zA-Z]{3,}")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_SPACED_DIGITS = re.compile(r"\d \d")
_NAMED_SUBSCRIPT = re.compile(r"_\s*\{\s*\\?([a-zA-Z]{2,})\s*\}")
_LATEX_REWRITES = [
    (re.compile(pattern), replacement)
    for pattern, replacement in [
        (r"(?<![a-zA-Z\\])(?:infinity|inf|oo)(?![a-zA-Z])", r"\\infty "),
        (r"\*\*", "^"),
        (r"(?<=\d)\.(?=\s*(?:[-+*/^)}]|$))", ""),  # 1./3, as Fortran and Python write it
        (r"(?<![a-zA-Z])(?:np|math)\.", ""),
        (r"\\hbar(?![a-zA-Z])", "h_{bar} "),
        (r"(?<![a-zA-Z\\])E_", r"\\epsilon_"),  # the parser takes a lone E for Euler's number
        (r"\\sqrt\s*(\d)", r"\\sqrt{\1}"),
        (r"\\sqrt\s*\(([^()]*)\)", r"\\sqrt{\1}"),
        (r"\^\(([^()]*)\)", r"^{\1}"),
        (r"\\frac\s*(\d)\s*(\d)", r"\\frac{\1}{\2}"),
        (r"\\frac\s*(\d)\s*\{", r"\\frac{\1}{"),
        (r"(\\frac\s*\{[^{}]*\})\s*(\d)", r"\1{\2}"),
        (r"(\d+(?:\.\d+)?)[eE]([-+]?\d+)(?![\d.])", r"\1 \\times 10^{\2}"),
        (r"(\d+(?:\.\d+)?)\s*\^\\circ", r"(\1 \\cdot \\pi / 180)"),
        (r"\\\$", ""),
    ]
]


def as_latex(text: str) -> str | None:
    """A normal form as LaTeX that a parser reads whole; None for words, which no parser should read as products."""
    text = _NAMED_SUBSCRIPT.sub(r"_{\1}", without_text_commands(text))
    text = _BARE_NAME.sub(r"\\\1 ", text)
    for pattern, replacement in _LATEX_REWRITES:
        text = pattern.sub(replacement, text)
    if not re.search(r"[(\[]|\\\{", text):  # inside brackets a comma separates coordinates
        text = _THOUSANDS.sub("", text)
    without_names = re.sub(r"\\(?:begin|end)\{[a-z]+\*?\}|_\{[a-zA-Z0-9]*\}", "", text)
    if _WORD.search(without_names) or _SPACED_DIGITS.search(text):
        return None
    return text
