"""Rows of a person's own file: a question and its answer, perhaps with options to choose from."""

from rlenvs.data.choices import read_options, right_letter, with_options
from rlenvs.data.problems import Reading, Row

_ANSWERS = ("answer", "correct", "answerKey")
_WORKINGS = ("solution", "rationale", "working")


def own(row: Row) -> Reading:
    """`question` (or `problem`) and `answer`, text or a number; `options` or `choices` make it a choice.

    Of a choice the answer, in `answer`, `correct` or `answerKey`, is the right one's letter, its place from 0, or its
    text. `solution`, `rationale` or `working` is a worked solution. An answer that is empty or null is an empty
    reference, as which it is reported when the data are checked.
    """
    question = _question(row)
    given = row[next((name for name in _ANSWERS if name in row), "answer")]
    working = next((str(row[name]) for name in _WORKINGS if row.get(name)), "")
    texts, labels = read_options(row)
    is_empty = given is None or (isinstance(given, str) and not given.strip())
    if texts:
        letter = "" if is_empty else right_letter(given, texts, labels)
        return Reading(with_options(question, texts), letter, working, texts)
    if not is_empty and (isinstance(given, bool) or not isinstance(given, str | int | float)):
        raise ValueError(f"an answer is text or a number, got {given!r}")
    return Reading(question, "" if is_empty else str(given), working)


def _question(row: Row) -> str:
    name = "problem" if "problem" in row else "question"
    question = row[name]
    if not isinstance(question, str) or not question.strip():
        raise ValueError(f"a {name} is text that is not empty, got {question!r}")
    return question
