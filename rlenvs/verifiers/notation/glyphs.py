"""Unicode in the signs that LaTeX has in ASCII: full width forms, vulgar fractions, raised digits, Greek, arrows."""

import re
import unicodedata
from itertools import groupby

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SUPERSCRIPT_RUN = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+")
_GLYPHS = {
    "−": "-", "–": "-", "×": r"\times ", "·": r"\cdot ", "÷": r"\div ", "π": r"\pi ", "θ": r"\theta ",
    "≤": r"\le ", "≥": r"\ge ", "≠": r"\ne ", "∞": r"\infty ", "±": r"\pm ", "°": r"^\circ ", "∪": r"\cup ",
    "∩": r"\cap ", "∅": r"\emptyset ", "∈": r"\in ", "⁄": "/", "。": ".", "、": ", ", "≈": r"\approx ", "⋅": r"\cdot ",
    "∙": r"\cdot ", "⋯": "...", "→": r"\to ", "⇒": r"\implies ", "∧": r"\wedge ", "∨": r"\vee ", "≃": r"\simeq ",
    "⩽": r"\le ", "⩾": r"\ge ",
    "∕": "/", "Ø": r"\emptyset ", "∛": r"\sqrt[3]", "Ω": r"\text{ohm}", "¢": r"\text{cents}", "₹": r"₹",
    "⟨": r"\langle ", "⟩": r"\rangle ",
    "⌊": r"\lfloor ", "⌋": r"\rfloor ", "⌈": r"\lceil ", "⌉": r"\rceil ", "∣": "|", "∶": ":", "‑": "-", "—": "-",
    "º": r"^\circ ",
    "′": "'", "∖": r"\setminus ", "或": r"\text{or}", "和": r"\text{and}", "且": r"\text{and}",
}  # fmt: skip
GREEK = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi",
    "Pi", "Sigma", "Phi", "Psi", "Omega",
)  # fmt: skip
_GREEK = {sign: f"\\{name} " for sign, name in zip("αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ", GREEK, strict=True)}
_ROOT = re.compile(r"√\s*(?:(\d+|[a-zA-Z])|(?=[({]))")
_BLACKBOARD = {"ℝ": r"\mathbb{R}", "ℤ": r"\mathbb{Z}", "ℚ": r"\mathbb{Q}", "ℕ": r"\mathbb{N}", "ℂ": r"\mathbb{C}"}
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_SUBSCRIPT_RUN = re.compile("[₀₁₂₃₄₅₆₇₈₉]+")
_GLYPHS = {**_GREEK, **_GLYPHS}
_GLYPH = re.compile("|".join(map(re.escape, _GLYPHS)))


def plain_glyphs(text: str) -> str:
    """Full width signs, vulgar fractions, superscripts and mathematical glyphs in ASCII."""
    if text.isascii():
        return text
    text = _SUPERSCRIPT_RUN.sub(lambda run: "^{" + run[0].translate(_SUPERSCRIPTS) + "}", text)
    text = _SUBSCRIPT_RUN.sub(lambda run: "_{" + run[0].translate(_SUBSCRIPTS) + "}", text)
    text = _ROOT.sub(lambda root: rf"\sqrt{{{root[1]}}}" if root[1] else r"\sqrt", text)
    text = text.replace("º", "°").replace("˚", "°").replace("Ω", "Ω")
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
