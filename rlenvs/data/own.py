"""Rows of a person's own file: a question and its answer, perhaps with options to choose from."""

from rlenvs.data.choices import read_options, right_letter, with_options
from rlenvs.data.problems import Reading, Row

_ANSWERS = ("answer", "correct", "answerKey")
_WORKINGS = ("solution", "rationale", "working")


def own(row: Row) -> Reading:
    """`question` (or `problem`) and `answer`, text or a number; `options` or `choices` make it a choice.

    Of a choice the answer, in `answer`, `correct` or `answerKey`, is the right one's letter, its place from 0, or its
    text. `solution`, `rationale` or `working` is a worked solution.
    """
    question = str(row["problem"] if "problem" in row else row["question"])
    given = row[next((name for name in _ANSWERS if name in row), "answer")]
    working = next((str(row[name]) for name in _WORKINGS if row.get(name)), "")
    texts, labels = read_options(row)
    if texts:
        return Reading(with_options(question, texts), right_letter(given, texts, labels), working, texts)
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        raise ValueError(f"an answer is text or a number, got {given!r}")
    return Reading(question, str(given), working)
