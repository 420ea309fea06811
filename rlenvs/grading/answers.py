"""A mathematical answer to grade, beside its reference."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from rlenvs.grading.rows import ID, TEXT, Field, Id, check_fields
from rlenvs.verifiers import RULES_VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class GradingRow:
    """One answer to grade."""

    id: Id
    gold: str | int | float | None  # None: there is no reference, which is its verdict: bad_gold
    answer: str | None  # None: no answer was given
    question: str = ""
    form: Literal["bare", "text"] = "bare"  # text: a whole reply, from which the answer is extracted first

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of all that the verdict depends on: a verdict of another one is stale."""
        content = json.dumps([RULES_VERSION, self.gold, self.answer, self.question, self.form])
        return hashlib.sha256(content.encode()).hexdigest()[:16]


_FIELDS: Mapping[str, Field] = {
    "id": ID,
    "gold": (str | int | float | None, "text, a number, or null for none"),
    "answer": (str | int | float | None, "text, a number, or null for none"),
    "question": TEXT,
}


def answer_row(record: Mapping[str, Any]) -> GradingRow:
    """The row of a line's object.

    Raises:
        ValueError: it is none.
    """
    check_fields(record, ("id", "gold", "answer"), _FIELDS)
    form: Any = "bare" if record.get("form") is None else record["form"]
    if form not in ("bare", "text"):
        raise ValueError(f"form is bare (the answer alone) or text (a whole reply): got {form!r}")
    question = record.get("question") or ""
    answer = record["answer"] if record["answer"] is None else str(record["answer"])
    return GradingRow(id=record["id"], gold=record["gold"], answer=answer, question=question, form=form)
