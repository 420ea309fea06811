"""Bringing the ways of writing one answer to one form: glyphs, LaTeX noise, currency, boxes. Text in, text out.

Nothing here is evaluated. Values belong to `exact`, structure to `compare`, algebra to the worker process.
"""

import re
import unicodedata
from itertools import groupby

from rlenvs.verifiers.extract import last_box
from rlenvs.verifiers.repair import repaired

MAX_CHARS = 2000  # an answer longer than this is no final answer

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SUPERSCRIPT_RUN = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+")
_GLYPHS = {
    "−": "-", "–": "-", "×": r"\times ", "·": r"\cdot ", "÷": r"\div ", "π": r"\pi ", "θ": r"\theta ",
    "≤": r"\le ", "≥": r"\ge ", "≠": r"\ne ", "∞": r"\infty ", "±": r"\pm ", "°": r"^\circ ", "∪": r"\cup ",
    "∩": r"\cap ", "∅": r"\emptyset ", "∈": r"\in ", "⁄": "/", "。": ".", "、": ",", "≈": r"\approx ", "⋅": r"\cdot ",
    "∙": r"\cdot ", "⋯": "...", "→": r"\to ", "⇒": r"\implies ", "∧": r"\wedge ", "∨": r"\vee ",
    "⟨": r"\langle ", "⟩": r"\rangle ",
    "⌊": r"\lfloor ", "⌋": r"\rfloor ", "⌈": r"\lceil ", "⌉": r"\rceil ", "∣": "|", "∶": ":", "‑": "-", "—": "-",
    "º": r"^\circ ",
    "′": "'", "∖": r"\setminus ", "或": r"\text{or}", "和": r"\text{and}", "且": r"\text{and}",
}  # fmt: skip
_GREEK = {
    sign: f"\\{name} "
    for sign, name in zip(
        "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ",
        [
            "alpha",
            "beta",
            "gamma",
            "delta",
            "epsilon",
            "zeta",
            "eta",
            "theta",
            "iota",
            "kappa",
            "lambda",
            "mu",
            "nu",
            "xi",
            "pi",
            "rho",
            "sigma",
            "tau",
            "upsilon",
            "phi",
            "chi",
            "psi",
            "omega",
            "Gamma",
            "Delta",
            "Theta",
            "Lambda",
            "Xi",
            "Pi",
            "Sigma",
            "Phi",
            "Psi",
            "Omega",
        ],
        strict=True,
    )
}
_ROOT = re.compile(r"√\s*(?:(\d+|[a-zA-Z])|(?=[({]))")
_BLACKBOARD = {"ℝ": r"\mathbb{R}", "ℤ": r"\mathbb{Z}", "ℚ": r"\mathbb{Q}", "ℕ": r"\mathbb{N}", "ℂ": r"\mathbb{C}"}
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_SUBSCRIPT_RUN = re.compile("[₀₁₂₃₄₅₆₇₈₉]+")
_GLYPHS = {**_GREEK, **_GLYPHS}
_GLYPH = re.compile("|".join(map(re.escape, _GLYPHS)))

_REWRITES = [
    (re.compile(pattern), replacement)
    for pattern, replacement in [
        (r"\s+", " "),
        (r"\\(?:displaystyle|textstyle|scriptstyle|left|right|[bB]igg?[lr]?)(?![a-zA-Z])", ""),
        (r"\\(?:tiny|scriptsize|footnotesize|small|normalsize|large|Large|LARGE|huge|Huge)(?![a-zA-Z])", ""),
        (r"\\underline(?![a-zA-Z])|\\(?:text)?color\s*\{[a-zA-Z]+\}", ""),
        (r"\\(?:qquad|quad)(?=[a-zA-Z]_|[^a-zA-Z]|$)|\\(?:enspace|thinspace)(?![a-zA-Z])|(?<!\\)\\[,;: ]|~", " "),
        (r"(?<!\\)\\!\s*", ""),
        (r"^\s*(?:\\forall(?![a-zA-Z])|∀)", ""),
        (r"\\forall(?![a-zA-Z])|∀", " for all "),
        (r"\+/-|\+\s*-(?=\d)", r"\\pm "),
        (r"(?<!\\)\\[\[\]()]|(?<!\\)\$", ""),
        (r"\\[dtc]frac(?![a-zA-Z])", r"\\frac"),
        (
            r"\\(?:textbf|textit|textrm|textnormal|mathbf|mathrm|mathit|mathsf|boldsymbol|bm|emph|mbox|operatorname)\s*\{",
            r"\\text{",
        ),
        (r"\{,\}", ","),
        (r"\\%", "%"),
        (r"\\(?:leq|leqslant)(?![a-zA-Z])", r"\\le "),
        (r"\\(?:geq|geqslant)(?![a-zA-Z])", r"\\ge "),
        (r"\\neq(?![a-zA-Z])", r"\\ne "),
        (r"\\lbrace(?![a-zA-Z])", r"\\{"),
        (r"\\rbrace(?![a-zA-Z])", r"\\}"),
        (r"\\(?:varnothing)(?![a-zA-Z])|\\\{\s*\\\}", r"\\emptyset "),
        (r"\\cdots|\\dots(?![a-zA-Z])|\\ldots", "..."),
        (r"\^\s*\{\s*\\(?:text)?circ\s*\}|\^\s*\\(?:text)?circ(?![a-zA-Z])|\\degrees?(?![a-zA-Z])", r"^\\circ "),
        (r"(?<=\d)\s*\^\s*\{\s*\\text\s*\{\s*(?:st|nd|rd|th)\s*\}\s*\}|(?<=\d)\s*\^\s*\{\s*(?:st|nd|rd|th)\s*\}", ""),
        (r"(?<=[4-90])th(?![a-z])|(?<=1)st(?= |$)|(?<=2)nd(?= |$)|(?<=3)rd(?= |$)|(?<=1[123])th(?![a-z])", ""),
        (r"\^\\circ\s*(?:\\text\s*\{\s*)?([CF])\s*\}?(?![a-zA-Z])", r" \\text{degrees \1}"),
        (r"(?<=\d)\s*x\s*(?=10\s*\^)", r" \\times "),
        (r"\\mathbb\s*([A-Z])(?![a-zA-Z])", r"\\mathbb{\1}"),
        (r" +", " "),
    ]
]
_ALIGNED = re.compile(r"\\begin\{(?:align|aligned|gather|gathered|cases)\*?\}(.*)\\end\{[a-z]+\*?\}", re.DOTALL)
_MAX_DEPTH = 60
_MAX_WRAPPINGS = 5
_APPROXIMATION = re.compile(r"^(?P<exact>.*?)\\approx\s*(?P<rounded>.*)$", re.DOTALL)
_TEXT = re.compile(r"\\text\s*\{([^{}]*)\}")
_WHOLE_TEXT = re.compile(r"\\text\s*\{([^{}]*)\}")
_DIGIT_RUN = re.compile(r"\d{1000}")
_HUGE = re.compile(r"(?:\^|\*\*)\s*[{(]?\s*[-+]?\s*\d{5,}|(?<!\d)\d{5,}+\s*\)?\s*!|!\s*\)*\s*!")


def normal(text: str) -> str:
    """One form for what differs only in glyphs, wrapping and LaTeX noise. `$…$`, boxes and bold are taken off."""
    text = _plain_glyphs(repaired(text).strip())
    text = last_box(text) or text
    text = _ALIGNED.sub(lambda lines: lines[1].replace("&", "").replace(r"\\", ","), text)
    for pattern, replacement in _REWRITES:
        text = pattern.sub(replacement, text)
    text = _APPROXIMATION.sub(_without_approximation, text).rstrip(" \\").strip().strip("*").strip()
    text = _unwrapped(text.removeprefix("=").lstrip())
    return text.rstrip(".").rstrip() if not text.endswith("...") else text


def _without_approximation(found: re.Match[str]) -> str:
    r"""`\sqrt{2} \approx 1.414` as its exact side, `x \approx 3.2` as an equation; with more behind, unreadable."""
    exact, rounded = found["exact"].strip(), found["rounded"].strip()
    if not exact:
        return rounded
    if re.fullmatch(r"[a-zA-Z](?:_\{?\w+\}?)?", exact):
        return f"{exact} = {rounded}"
    return (
        exact
        if re.fullmatch(r"-?[\d.,]+\s*(?:%|\\text\s*\{[^{}]*\}|\^\\circ)?\.?", rounded)
        else f"{exact} ? {rounded}"
    )


def _unwrapped(text: str) -> str:
    r"""What braces, or `\text`, enclose as a whole."""
    for _ in range(_MAX_WRAPPINGS):
        if not (text.startswith("{") and text.endswith("}") and _closing(text) == len(text) - 1):
            break
        text = text[1:-1].strip()
    found = _WHOLE_TEXT.fullmatch(text)
    return found[1].strip() if found else text


def _closing(text: str) -> int:
    """Where the brace is closed that the text begins with; -1 if it is not."""
    depth = 0
    for position, sign in enumerate(text):
        depth += (sign == "{") - (sign == "}")
        if depth == 0:
            return position
    return -1


def _plain_glyphs(text: str) -> str:
    """Full width signs, vulgar fractions, superscripts and mathematical glyphs in ASCII."""
    if text.isascii():
        return text
    text = _SUPERSCRIPT_RUN.sub(lambda run: "^{" + run[0].translate(_SUPERSCRIPTS) + "}", text)
    text = _SUBSCRIPT_RUN.sub(lambda run: "_{" + run[0].translate(_SUBSCRIPTS) + "}", text)
    text = _ROOT.sub(lambda root: rf"\sqrt{{{root[1]}}}" if root[1] else r"\sqrt", text)
    text = "".join(_BLACKBOARD.get(sign, sign) for sign in text)
    text = "".join(f" {sign}" if unicodedata.decomposition(sign).startswith("<fraction>") else sign for sign in text)
    text = unicodedata.normalize("NFKC", _with_raised(text).translate(_HYPHENS))
    return _GLYPH.sub(lambda glyph: _GLYPHS[glyph[0]], text)


def _with_raised(text: str) -> str:
    """Small letters as powers and subscripts: `2ⁿ⁺¹`, `aₙ`."""
    found = []
    for mark, run in groupby(text, key=lambda sign: _MARKS.get(unicodedata.decomposition(sign).partition(" ")[0], "")):
        signs = "".join(run)
        found.append(f"{mark}{{{unicodedata.normalize('NFKC', signs)}}}" if mark else signs)
    return "".join(found)


_MARKS = {"<super>": "^", "<sub>": "_"}
_HYPHENS = {ord(sign): "-" for sign in "‐‑‒–—−"} | dict.fromkeys(map(ord, "\u200b\u200c\u200d\ufeff\u2060"), "")


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
