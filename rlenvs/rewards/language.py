"""Language consistency: which share of a chain of thought's words is in the language that it should be in.

Words are told apart by their scripts, so languages of one script (English and French) are not: both are Latin.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from rlenvs.errors import unknown
from rlenvs.records import Message, Task
from rlenvs.rewards.functions import policy_reply
from rlenvs.rewards.prose import FORMULA_SCRIPTS, prose, script_of
from rlenvs.rubric import Grader


@dataclass(frozen=True, slots=True)
class Language:
    """A language that is known by its script."""

    name: str
    script: str
    remark: str  # a sentence in it that goes before any answer


LANGUAGES: dict[str, Language] = {
    "ar": Language("Arabic", "ARABIC", "الجواب كما يلي."),
    "en": Language("English", "LATIN", "The answer follows."),
    "ja": Language("Japanese", "KANA", "答えは次のとおりです。"),
    "ko": Language("Korean", "HANGUL", "답은 다음과 같습니다."),
    "ru": Language("Russian", "CYRILLIC", "Ответ следующий."),
    "zh": Language("Chinese", "HAN", "答案如下。"),
}
"""The languages by their codes (ISO 639-1)."""

_LETTERS = re.compile(r"[^\W\d_]+")
_SENTENCE_END = re.compile(r"[。！？.!?\n]+")
_WITHOUT_BLANKS = ("HAN", "KANA", "THAI", "LAO", "KHMER", "MYANMAR")


def language_named(code: str) -> Language:
    """The language of that code.

    Raises:
        ValueError: there is none; the message names the near miss.
    """
    if code not in LANGUAGES:
        raise ValueError(unknown("language", code, LANGUAGES))
    return LANGUAGES[code]


def language_share(text: str, code: str) -> float:
    r"""The share of words that are in a language, from 0 to 1.

    A word is letters of one script in a row; in scripts written without blanks (Chinese, Japanese, Thai …) each letter
    is one. Not counted are formulas (`$…$`, `\(…\)`, `\[…\]`), code (in backticks), LaTeX commands, numbers, single
    Latin or Greek letters, and Latin or Greek ones that touch a digit, `_`, `^` or an opening parenthesis (`x_1`,
    `5cm`, `gcd(`). Letters of other scripts count in formulas too. Chinese characters are Japanese in a sentence that
    has kana, and Chinese elsewhere.

    Returns:
        0 where there is no word at all: else saying nothing would be the cheapest way to the full share.
    """
    found = Counter(_words(text))
    return found[language_named(code).script] / found.total() if found else 0.0


def language_reward(code: str) -> Grader:
    """A reward function: the share of the chain of thought's words that are in a language; see `language_share`.

    The chain of thought is what the policy's last message has before its last `</think>`; all of it without one.

    Source: DeepSeek-R1, arXiv:2501.12948 sec. 2.3.2, which does not say what a word is.
    """
    language_named(code)
    return partial(_language, code)


def _language(code: str, task: Task, transcript: Sequence[Message]) -> float:
    reply = policy_reply(task, transcript) or ""
    thought, closing, _ = reply.rpartition("</think>")
    return language_share(thought if closing else reply, code)


def _words(text: str) -> Iterator[str]:
    """The script of each word."""
    composed = unicodedata.normalize("NFKC", text)
    plain = "".join(sign for sign in prose(composed) if not unicodedata.combining(sign))
    for sentence in _SENTENCE_END.split(plain):
        scripts = [script for letters in _LETTERS.finditer(sentence) for script in _words_of(letters)]
        is_japanese = "KANA" in scripts
        yield from ("KANA" if is_japanese and script == "HAN" else script for script in scripts)


def _words_of(letters: re.Match[str]) -> Iterator[str]:
    """The scripts of the words in letters that stand side by side."""
    position = letters.start()
    for script, run in groupby(letters[0], script_of):
        start, position = position, position + sum(1 for _ in run)
        if script in _WITHOUT_BLANKS:
            yield from [script] * (position - start)
        elif script not in FORMULA_SCRIPTS or not _is_notation(letters.string, start, position):
            yield script


def _is_notation(text: str, start: int, end: int) -> bool:
    """Whether Latin or Greek letters are a name in mathematics rather than a word."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return end - start == 1 or before.isdigit() or after.isdigit() or before in ("_", "^") or after in ("_", "^", "(")
