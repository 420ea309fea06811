"""Questions with lettered options: how they are asked, and which option an answer means."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rlenvs.verifiers import verify
from rlenvs.verifiers.notation import structure
from rlenvs.verifiers.notation.text import normal

LETTERS = "ABCDEFGHIJ"  # as many as the verifier knows for letters of a choice
_ONE_LETTER = re.compile(r"\(?([A-Ja-j])\)?\.?")
_LABEL = re.compile(r"\s*\(?([A-J])\s*[).:]\s*")


def with_options(question: str, options: Sequence[str]) -> str:
    """The question with its options below, a line for each: `A) 42`."""
    lines = [f"{letter}) {option}" for letter, option in zip(LETTERS, options, strict=False)]
    return f"{question}\n\n" + "\n".join(lines)


def chosen(answer: str, options: Sequence[str], question: str = "") -> str | None:
    r"""The letter of the option that an answer means; None if it means none, or more than one.

    A letter (`B`, `(b)`, `\text{(B)}`, `Option B`), with what stands behind it (`B. 42`) unless that is the text of
    another option alone; or the text of exactly one option, compared as answers are: a calculation that only stands in
    the question is none.

    Args:
        question: with its options below or without.
    """
    question = question.removesuffix(with_options("", options))
    text = normal(answer)
    label = _LABEL.match(text)
    if label and (said := _meant(text[label.end() :], options, question)):
        return label[1] if label[1] in said else None
    letter = structure.option(text)
    meant = "" if letter else _meant(text, options, question)
    if letter is None and not meant and (single := _ONE_LETTER.fullmatch(text)):  # e and i, numbers elsewhere
        letter = single[1].upper()
    if letter is not None:
        return letter if letter in LETTERS[: len(options)] else None
    return meant if len(meant) == 1 else None


def _meant(text: str, options: Sequence[str], question: str) -> str:
    """The letters of the options whose text equals this one."""
    if not text:
        return ""
    return "".join(
        letter for letter, option in zip(LETTERS, options, strict=False) if verify(option, text, question) == "equal"
    )


def read_options(row: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(texts, labels) of a row's options; both empty where it has none.

    `options` or `choices`: a list of texts, each with its letter (AQuA-RAT) or without (MMLU); a table of texts by
    letter (MedQA); or a table with `text` and `label` (ARC).

    Raises:
        ValueError: fewer than two options, more than there are letters, one of them twice, or something else.
    """
    given = row.get("options") if row.get("options") is not None else row.get("choices")
    if given is None:
        return (), ()
    if isinstance(given, Mapping):
        is_arc = {"label", "text"} <= given.keys()
        labels, texts = (given["label"], given["text"]) if is_arc else (tuple(given), tuple(given.values()))
    else:
        labels, texts = LETTERS, given
    texts = tuple(map(str, texts))
    if not 2 <= len(texts) <= len(LETTERS):
        raise ValueError(f"a choice has 2 to {len(LETTERS)} options, got {len(texts)}")
    texts = _without_labels(texts)
    repeated = next((text for place, text in enumerate(texts) if text in texts[:place]), None)
    if repeated is not None:
        raise ValueError(f"the options of a choice differ from each other, {repeated!r} is there twice")
    return texts, tuple(map(str, labels))[: len(texts)]


def _without_labels(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The options without their own letters, where each has the one that is its turn."""
    found = [_LABEL.match(text) for text in texts]
    if [label and label[1] for label in found] != list(LETTERS[: len(texts)]):
        return texts
    return tuple(text[label.end() :].strip() for text, label in zip(texts, found, strict=True) if label)


def right_letter(answer: Any, texts: Sequence[str], labels: Sequence[str]) -> str:
    """The letter of the right option: the answer is its label, its place from 0 as a number, or its text.

    Raises:
        ValueError: it is none of these.
    """
    places = [place for place, label in enumerate(labels) if str(answer).strip() == label]
    if isinstance(answer, int) and not isinstance(answer, bool):
        places = [answer] if 0 <= answer < len(texts) else []
    places = places or [place for place, text in enumerate(texts) if answer == text]
    if len(places) != 1:
        raise ValueError(f"the answer to a choice is one of its labels {', '.join(labels)}, got {answer!r}")
    return LETTERS[places[0]]
