"""LaTeX noise, and the ways of writing one sign, in one form: patterns and what stands in their place, in order."""

import re
from collections.abc import Callable

_Replacement = str | Callable[[re.Match[str]], str]
_BASES = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
    "sixteen": 16,
}  # fmt: skip
_INCHES = 12  # of a foot
_ENDS = r"[^\[\]()]*[,;][^\[\]()]*"  # of an interval


def _as_binomial(found: re.Match[str]) -> str:
    """`C_5^2` and `5C2` as a binomial, where it can be one."""
    above, below = (int(digits) for digits in found.groups() if digits)
    return rf"\binom{{{above}}}{{{below}}}" if below <= above else found[0]


_REWRITES: list[tuple[str, _Replacement]] = [
    (r"\s+", " "),
    (r"\\(?:left|right)\s*\.|\\(?:nonumber|notag|hfill|centering|limits)(?![a-zA-Z])", ""),
    (r"\\(?:hspace|vspace|label|tag)\*?\s*\{[^{}]*\}", " "),
    (r"\\(?:displaystyle|textstyle|scriptstyle|left|right|middle|[bB]igg?[lrm]?)(?![a-zA-Z])", ""),
    (r"\{\s*\\(?:bf|it|rm|sf|tt|em)(?![a-zA-Z])([^{}]*)\}", r"{\1}"),
    (r"^\\(?:bf|it|rm|sf|tt|em)(?![a-zA-Z])", ""),
    (r"\\begin\s*\{(?:equation|displaymath|math)\*?\}|\\end\s*\{(?:equation|displaymath|math)\*?\}", ""),
    (r"\\(?:colorbox|fcolorbox\s*\{[a-z]*\})\s*\{[a-zA-Z]+\}\s*(?=\{)|\\ensuremath\s*(?=\{)", ""),
    (r"\{([^{}]*)\\over(?![a-z])([^{}]*)\}", r"\\frac{\1}{\2}"),
    (r"\{([^{}]*)\\choose(?![a-z])([^{}]*)\}", r"\\binom{\1}{\2}"),
    (r"\\(?:cr|tabularnewline)(?![a-z])|\\\\\s*\[-?[\d.]+\s*[a-z]{2}\]", r"\\\\ "),
    (r"\\(?:nicefrac|sfrac|cfrac)(?![a-zA-Z])", r"\\frac"),
    (r"\\text\s*\{\s*([.,:;])\s*\}|\{([:])\}", r"\1\2"),
    (r"\\(?:tiny|scriptsize|footnotesize|small|normalsize|large|Large|LARGE|huge|Huge)(?![a-zA-Z])", ""),
    (r"\\underline(?![a-zA-Z])|\\(?:text)?color\s*\{[a-zA-Z]+\}", ""),
    (
        r"\\(?:qquad|quad)(?=[a-zA-Z]_|[^a-zA-Z]|$)|\\(?:enspace|thinspace)(?![a-zA-Z])|(?<!\\)\\[,;: ]|(?<=\S)~(?=\S)",
        " ",
    ),
    (r" {2,}", " "),
    (r"(?<!\\)\\!\s*", ""),
    (r"^\s*(?:\\forall(?![a-zA-Z])|∀)", ""),
    (r"\\forall(?![a-zA-Z])|∀", " for all "),
    (r"\+/-|^\+-(?=\d)", r"\\pm "),
    (r"^(USD|EUR|GBP|RMB|CNY|INR|JPY)\s*(-?[\d.,]+)$", r"\2 \1"),
    (r"^Rs\.?\s*(?=\d)(-?[\d.,]+)$", r"\1 rupees"),
    (r"(?<=\d)\s*per ?mill?e?(?![a-z])", "‰"),
    (r"\bU\.?S\.?\s*(?=\\?\$|dollars?\b)", ""),
    (r"(?<![\\$])\$(?!.*\$(?!-?\.?\d))(?=-?\.?\d)(?=[^$]*$|[^$]*\$-?\.?\d)", r"\\$"),  # no formula is closed: money
    (r"(?<=[\w}])\$,?\s*\$(?=[\w\\])", ", "),  # two formulas
    (r"(?<=\d)\s*(?:\\q?quad|~)\s*(?=\d)", ", "),
    (r"(?<=\w)(?<!\\)\$(?=\w)", " "),  # 5$6$ is no 56
    (r"(?<!\\)\\[\[\]()]|(?<!\\)\$", ""),
    (r"\\[dtc]frac(?![a-zA-Z])", r"\\frac"),
    (
        r"\\(?:mathbf|boldsymbol|bm)\s*\{([a-z])\}(?=\s*\\times)|(?<=\\times)\s*\\(?:mathbf|boldsymbol|bm)\s*\{([a-z])\}",
        r"\\vec{\1\2}",
    ),
    (
        r"\\(?:text(?:bf|it|rm|sf|tt|sc|normal)|math(?:bf|rm|it|sf)|boldsymbol|bm|emph|mbox|operatorname)\s*\{",
        r"\\text{",
    ),
    (r"\s*\{\s*,\s*\}\s*", ","),
    (r"\\%", "%"),
    (r"\\(?:leq|leqslant|leqq)(?![a-zA-Z])", r"\\le "),
    (r"\\(?:geq|geqslant|geqq)(?![a-zA-Z])", r"\\ge "),
    (r"\\neq(?![a-zA-Z])|\\not\s*=", r"\\ne "),
    (r"\\not\s*\\in(?![a-z])", r"\\notin "),
    (r"(?<=[\])])\s*U\s*(?=[\[(])", r" \\cup "),
    (r"\\big(?:cup|cap)(?![a-z])", lambda found: found[0].replace("big", "")),
    (r"^all real numbers (?:except|other than)\s+(.*)$", r"\\mathbb{R} \\setminus \\{\1\\}"),
    (r"(?<![a-zA-Z\d)}])(?:\{\s*\}\s*)?[_^]\s*\{?(\d+|n)\}?\s*C\s*_\s*\{?(\d+|[kr])\}?", r"\\binom{\1}{\2}"),
    (r"\\text\s*\{\s*\}|(?<!\\)\{\s*\}|(?<=\d)~$", ""),
    (r"\\text\s*\{\s*(-?[\d.,]*\d|[\dA-F]+(?=\s*\}\s*_))\s*\}", r"\1"),
    (r"\\text\s*\{\s*\(?(?:in )?base (\d+|[a-z]+)\)?\s*\}", r" base \1"),
    (r"(?<=[\dA-F])_\s*\{\s*\((\d+)\)\s*\}", r"_\1"),
    (r"^\{(\w+)\}\s*_", r"\1_"),
    (r"(?:\(\s*\\text\s*\{\s*|\\text\s*\{\s*\(\s*|\(\s*\\?)mod\s*\}?\s*(\d+)\s*\)", r"\\pmod{\1}"),
    (r"(?<![a-zA-Z])(?:np|numpy|math|sympy)\.(?=[a-z])", ""),  # np.sqrt(2), as programs write it
    (r"^(?:exactly|precisely|about|approximately|roughly|around)\s+(?=[-\d\\$.])", ""),
    (r"^(?:\\(?:therefore|implies|Rightarrow|Longrightarrow)(?![a-z])|∴)\s*", ""),
    (r"^(?:\\text\s*\{)?\s*diverges to\s*\}?\s*", ""),
    (r",?\s*(?:\\text\s*\{)?\s*\(?(?:i\.\s?e\.|\(or(?= ))\s*\}?\s*([^()]*?)\)?$", r" \\text{or} \1"),
    (r"(?<=\d)\s*\\Omega$", r" \\text{ohm}"),
    (r"\s*(?:\\text\s*\{)?\s*\((?:exactly|approximately|approx\.?|rounded)\)\s*\}?$", ""),
    (r"\s+per cent(?![a-z])", r"%"),
    (r"(\d+(?:\.\d+)?)\s*‰", r"\\frac{\1}{1000}"),
    (r"\^\s*\{?\s*\\text\s*\{\s*o\s*\}\s*\}?", r"^\\circ "),
    (r"\\text\s*\{([a-zA-Z]+)\}\s*(?:\\cdot|\*)\s*\\text\s*\{([a-zA-Z]+)\}", r"\\text{\1*\2}"),
    (r"\\(?:blacksquare|square|qed|Box)(?![a-z])", ""),
    (r"(?<![a-zA-Z\\])sq\. ?(?=[a-z])", "square "),
    (r"(?<![a-zA-Z\\}\d])C\s*_\s*\{?(\d+)\}?\s*\^\s*\{?(\d+)\}?", _as_binomial),
    (r"(?<![a-zA-Z\d])(\d+) ?C ?(\d+)(?!\d)|(?<![a-zA-Z])nCr\s*\((\d+),\s*(\d+)\)|^(\d+) choose (\d+)$", _as_binomial),
    (r"\\frac\s*\{\s*\\text\s*\{(\w+)\}\s*\}\s*\{\s*\\text\s*\{(\w+)\}\s*\}", r"\\text{\1/\2}"),
    (r"^(\d+)\s*(?:\\text\s*\{\s*)?to(?:\s*\})?\s*(\d+)$", r"\1:\2"),
    (r"(?<=\d)[_'](?=\d{3}(?:[_']\d{3})*(?!\d))", ""),
    (r"\\lbrace(?![a-zA-Z])", r"\\{"),
    (r"\\rbrace(?![a-zA-Z])", r"\\}"),
    (r"\\(?:varnothing)(?![a-zA-Z])|\\\{\s*\\\}", r"\\emptyset "),
    (r"\\(?:cdots|dots|dotsc|dotsb|ldots|hdots)(?![a-zA-Z])|…", "..."),
    (r"\^\s*\{\s*\\(?:text)?circ\s*\}|\^\s*\\(?:text)?circ(?![a-zA-Z])|\\degrees?(?![a-zA-Z])", r"^\\circ "),
    (r"(?<=\d)\s*\^\s*\{\s*(?:\\text\s*\{\s*)?(st|nd|rd|th)\s*\}?\s*\}", r"\1"),
    (
        r"^(\d*(?:1\d|[04-9]))th(?= |$)|^(\d*(?<!1)1)st(?= |$)|^(\d*(?<!1)2)nd(?= |$)|^(\d*(?<!1)3)rd(?= |$)",
        r"\1\2\3\4",
    ),
    (r"(\d+)\s*\^\\circ\s*(\d+)\s*'(?!')", r"(\1+\\frac{\2}{60})^\\circ "),
    (r"\^\\circ\s*(?:\\text\s*\{\s*)?([CF])\s*\}?(?![a-zA-Z])", r" \\text{degrees \1}"),
    (
        r"(?<=[\d}])\s*(?:\\text\s*\{\s*)?(?:\^\\circ|degrees?)?\s*(?:\\text\s*\{\s*)?"
        r"([CF])(?:elsius|entigrade|ahrenheit)\s*\}?$",
        r" \\text{degrees \1}",
    ),
    (
        r"^(\d+)\s*(?:'|\\text\s*\{\s*(?:ft|feet|foot)\.?\s*\}|ft\.?|feet|foot)\s*(?:and )?(\d+)\s*"
        r"(?:\"|''|\\text\s*\{\s*(?:in|inch|inches)\.?\s*\}|in\.?|inch|inches)$",
        lambda found: rf"{_INCHES * int(found[1]) + int(found[2])} \text{{inches}}",
    ),
    (r"(?<=\d)\s*x\s*(?=10\s*\^)", r" \\times "),
    (r"\\mathbb\s*([A-Z])(?![a-zA-Z])", r"\\mathbb{\1}"),
    (r"\^\s*\{?((?:\\prime\s*)+)\}?", lambda found: "'" * found[1].count("prime")),
    (r"_\s*\{?\\odot\}?", "_{sun}"),
    (r"(?<=\.)(\d*)\((\d+)\)(?![\d.^!(])", r"\1\\overline{\2}"),  # 0.1(6) repeats its last digit
    (r"\\dot\s*\{?(\d)\}?(\d*)\\dot\s*\{?(\d)\}?", r"\\overline{\1\2\3}"),
    (r"\\dot\s*\{?(\d)\}?", r"\\overline{\1}"),
    (rf"_\s*\{{\s*(?:\\text\s*\{{\s*)?({'|'.join(_BASES)})\s*\}}?\s*\}}", lambda found: f"_{_BASES[found[1]]}"),
    (
        rf"(?<=\w)(\)?\s*\(?(?:in )?)base[ -]({'|'.join(_BASES)})",
        lambda found: f"{found[1]}base {_BASES[found[2]]}",
    ),
    (r"(?<=[\d.])\\bar(?![a-z])", r"\\overline"),
    (r"^\\frac\s*\{\s*d\s*([a-zA-Z])\s*\}\s*\{\s*d\s*x\s*\}\s*=|^d([a-zA-Z])\s*/\s*dx\s*=", r"\1\2' ="),
    (rf"(^|\\c[ua]p\s*|\\in\s*)\]({_ENDS})\[", r"\1(\2)"),  # ]1, 2[
    (rf"(^|\\c[ua]p\s*|\\in\s*)\]({_ENDS})\]", r"\1(\2]"),
    (rf"(^|\\c[ua]p\s*|\\in\s*)\[({_ENDS})\[", r"\1[\2)"),
    (r" +", " "),
]
_COMPILED = [(re.compile(pattern), replacement) for pattern, replacement in _REWRITES]


def rewritten(text: str) -> str:
    """The text in that form."""
    for pattern, replacement in _COMPILED:
        text = pattern.sub(replacement, text)
    return text
