r"""References of mathematical data sets: whether one can be read, and answers near it that are wrong.

>>> why_unreadable("torch.asin(10/13)")
"it cannot be read ('torch' is a word): only this very text is right"
>>> wrong_answers("3, 5")
('4, 5', '3, 5, 7919', '3')
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rlenvs.verifiers import judge, rules, verify
from rlenvs.verifiers.asked.question import Question
from rlenvs.verifiers.notation import structure
from rlenvs.verifiers.notation.exact import number
from rlenvs.verifiers.notation.lexer import UnreadableError
from rlenvs.verifiers.notation.reading import read
from rlenvs.verifiers.notation.text import normal
from rlenvs.verifiers.values.rational import UndecidedError

_WHOLE = re.compile(r"(?<![\d.,_])(?<!_\{)\d+")  # of a number that is no index: 3 of 3.5
_PLUS = re.compile(r"(?<=[\w})])\s*\+\s*(?=[\w\\(])")
_ELSEWHERE = "7919"  # an item that no reference has


def why_unreadable(gold: str, question: str = "") -> str:
    """A sentence where answers cannot be compared with a reference by their value; empty where they can."""
    judged = judge(gold, "", question)
    if judged.verdict == "bad_gold":
        return judged.reason
    try:
        node = read(normal(gold))
        if rules.say_the_same(node, node, Question(question)):
            return ""
        why = "what is read differs from itself"
    except (UnreadableError, UndecidedError, RecursionError) as error:
        why = str(error)
    if verify(gold, f"{gold} + 0", question) == "equal":  # by computer algebra, which reads sums and integrals
        return ""
    return f"it cannot be read ({why}): only this very text is right"


def wrong_answers(gold: str) -> tuple[str, ...]:
    """Answers near a reference that are wrong: a number one larger, another sign, an item more, an item less."""
    return tuple(dict.fromkeys(_changed(normal(gold))))


def wrong_letters(target: Mapping[str, Any]) -> tuple[str, ...]:
    """The letters of a choice's other options."""
    letters = [chr(ord("A") + place) for place in range(len(target["options"]))]
    return tuple(letter for letter in letters if letter != target["answer"])


def _changed(gold: str) -> Iterator[str]:
    if found := _WHOLE.search(gold):
        yield f"{gold[: found.start()]}{int(found[0]) + 1}{gold[found.end() :]}"
    value = number(gold)
    if value:
        yield gold[1:].strip() if gold.startswith("-") else f"-{gold}"
    elif found := _PLUS.search(gold):
        yield f"{gold[: found.start()]} - {gold[found.end() :]}"
    yield f"{gold}, {_ELSEWHERE}"
    items = structure.items(gold)
    if len(set(items)) == len(items) > 1:
        yield ", ".join(items[:-1])
