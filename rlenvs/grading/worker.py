"""What a grading process serves: verdicts on a few rows. Never imported by the parent."""

import sys
import time
from typing import Any

_BUDGET_S = 0.5  # after which no further row is begun, so that verdicts are written as they come


def prepare(path: list[str]) -> None:
    """Find modules where the parent finds them, and import the verifier."""
    sys.path[:] = path
    import rlenvs.verifiers  # noqa: F401


def answer(rows: list[tuple[Any, str | None, str, str]]) -> list[tuple[str, float]]:
    """(verdict, milliseconds) for each (gold, answer, question, form), as far as the time suffices: of one at least."""
    graded: list[tuple[str, float]] = []
    started = time.perf_counter()
    for row in rows:
        if graded and time.perf_counter() - started > _BUDGET_S:
            break
        graded.append(_graded(*row))
    return graded


def _graded(gold: Any, answer: str | None, question: str, form: str) -> tuple[str, float]:
    from rlenvs.verifiers import extract, judge

    started = time.perf_counter()
    given = extract(answer) if form == "text" and answer is not None else answer
    verdict = judge(gold, given, question).verdict
    return verdict, round((time.perf_counter() - started) * 1000, 3)
