"""A problem's text, the sentence that asks, its formulas and letters."""

import re
from functools import cached_property

_SENTENCE = re.compile(r"[.?!](?=\s|$)")

_FORMULA = re.compile(
    r"\$\$(.*?)\$\$|\$([^$]*)\$|\\\((.*?)\\\)|\\\[(.*?)\\\]"
    r"|\\begin\s*\{(?:align|equation|gather|multline)\*?\}(.*?)\\end\s*\{[a-z]+\*?\}",
    re.DOTALL,
)
_MOST = 60  # formulas of one problem that are looked at

_PLAIN_NAME = r"(?:sqrt|sin|cos|tan|log|ln|gcd|lcm|max|min|exp|abs|floor|ceil|pi)(?![a-zA-Z])"

_PLAIN_SIGN = (
    rf"{_PLAIN_NAME}|(?<![a-zA-Z])[a-zA-Z](?![a-zA-Z])|[\d.]+[a-zA-Z]{{0,2}}(?![a-zA-Z])|\\[a-z]+"
    r"|[-+*/^(){}|=!,_<>]"
)

_PLAIN_FORMULA = re.compile(rf"(?:(?:{_PLAIN_SIGN})[ ]?){{2,80}}")

_REMARK = re.compile(r"\s*\([^()]*\)\s*$")

RUN = re.compile(r"(?<![a-zA-Z\\])[a-zA-Z]{1,4}(?![a-zA-Z])")

_BESIDE_SIGNS = re.compile(
    r"(?<![a-zA-Z\\])[a-zA-Z]{1,3}(?=\s*[=+*/^_<>(])|(?<=[=+*/^_<>)\d])\s*[a-zA-Z]{1,3}(?![a-zA-Z])"
)

LETTER = re.compile(r"(?<![a-zA-Z\\])[a-zA-Z](?![a-zA-Z])")


def set_formulas(text: str) -> list[str]:
    """The formulas of a text that are marked as such."""
    return [next((inside for inside in found.groups() if inside), "") for found in _FORMULA.finditer(text)]


class Asking:
    """The text of a problem, empty where it is not known."""

    def __init__(self, text: str = "") -> None:
        self.text = text

    @cached_property
    def asking(self) -> str:
        """Its last sentence, what is in brackets behind it left out."""
        sentences = [each for each in _SENTENCE.split(_REMARK.sub("", self.text)) if each.strip()]
        return sentences[-1] if sentences else ""

    @cached_property
    def formulas(self) -> tuple[str, ...]:
        """The formulas in it, set as such or between words; of very many, the first."""
        plain = [found[0].strip(" .,") for found in _PLAIN_FORMULA.finditer(_FORMULA.sub(" ", self.text))]
        return tuple(formula for formula in [*set_formulas(self.text), *plain] if formula.strip())[:_MOST]

    @cached_property
    def equations(self) -> tuple[str, ...]:
        """The equations among its formulas."""
        return tuple(formula for formula in self.formulas if "=" in formula)

    @cached_property
    def letters(self) -> frozenset[str]:
        """The letters that are names in it: single ones, and all in its formulas."""
        formulas = "".join(set_formulas(self.text))
        inside = {letter for run in RUN.findall(formulas) for letter in run}
        beside = {letter for run in _BESIDE_SIGNS.findall(self.text) for letter in run.strip()}
        return frozenset(LETTER.findall(self.text)) | inside | beside

    @cached_property
    def compact(self) -> str:
        """The text without blanks and what LaTeX adds to names."""
        return re.sub(r"[\s${}\\]|\\(?:text|mathrm|left|right|,)", "", self.text)
