"""What counts as an answer to a data set's problems, and in which form it was published to be given.

A convention only ever refuses: what it lets pass still has to equal the reference.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from rlenvs.data.choices import chosen
from rlenvs.verifiers import VerifierError, is_equal
from rlenvs.verifiers.credit import partial_credit
from rlenvs.verifiers.notation.exact import number
from rlenvs.verifiers.notation.text import normal

Answers = Literal["any", "number", "integer"]
MAX_NUMBER_CHARS = 200  # of one number with its name and unit
_DECIMAL = re.compile(r"(?:\\\$)?\s*[-+]?\s*[\d, ]*\d(?:\.\d*)?")
_UNIT = re.compile(
    r"(?:\s*+/?\s*+(?:\\text\s*+\{[^{}]*+\}|[a-zA-Z]++\.?)(?:\s*+\^\s*+\{?[1-4]\}?)?|\s*+\^\s*+\{?\s*+\\circ\s*+\}?)++$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Convention:
    """A data set's way of asking and answering."""

    template: str  # the published form of replies, a name of `rlenvs.rewards.TEMPLATES`
    answers: Answers = "any"
    least: int | None = None  # of a number; None: no limit
    most: int | None = None
    source: str = ""  # who published it

    def admits(self, answer: str) -> bool:
        """Whether a text can be an answer at all.

        A number is written out: a decimal, a fraction or a percentage, perhaps with thousands separators, a currency,
        a name in front (`x = 5`) and a unit behind; a calculation is none. An integer is written with digits, and may
        have leading zeros and a decimal point with zeros behind it: 027 and 27.0 are 27, 54/2 is none.
        """
        if self.answers == "any":
            return True
        if len(answer) > MAX_NUMBER_CHARS:
            return False
        written = _UNIT.sub("", normal(answer).rpartition("=")[2].strip()).strip()
        value = number(written)
        if value is None or (self.least is not None and value < self.least):
            return False
        if self.most is not None and value > self.most:
            return False
        return self.answers == "number" or (value.denominator == 1 and _DECIMAL.fullmatch(written) is not None)

    def is_right(self, target: Any, answer: str, question: str) -> bool:
        """Whether an answer is right: one of this kind that equals the target, or means the right option.

        Args:
            target: the reference; of a choice `{"answer": letter, "options": texts}`.

        Raises:
            VerifierError: the reference cannot be read, or the verifier is broken.
        """
        if isinstance(target, Mapping):
            if not target["answer"]:
                raise VerifierError("bad_gold for a choice: it does not say which option is right")
            return bool(chosen(answer, target["options"], question) == target["answer"])
        return self.admits(answer) and is_equal(target, answer, question)

    def credit(self, target: Any, answer: str, question: str) -> float:
        """How much of an answer is right, from 0 to 1; see `rlenvs.verifiers.credit`. A choice is right or wrong.

        Raises:
            VerifierError: as `is_right`.
        """
        if isinstance(target, Mapping):
            return float(self.is_right(target, answer, question))
        return partial_credit(target, answer, question) if self.admits(answer) else 0.0


GSM8K = Convention(template="marked", answers="number", source="arXiv:2110.14168; openai/grade-school-math, dataset.py")
"""A number after `####`; the published grader drops thousands separators and compares what is written."""

BOXED = Convention(template="boxed", source="arXiv:2103.03874, sec. 3")
"""Any expression, in the last box."""

AMC = Convention(template="boxed", answers="number", source="AMC 12, its choices left out: QwenLM/Qwen2.5-Math")
"""A number, in the last box."""

AIME = Convention(template="boxed", answers="integer", least=0, most=999, source="AIME: answers are from 000 to 999")
"""An integer from 0 to 999, in the last box."""

CHOICE = Convention(template="choice", source="openai/simple-evals, common.py")
"""The letter of an option, or its text where no other option says the same."""
