"""Grading what exists already: the core of `rlenvs grade`, a few rows at a time and resumable.

Rows go in and come out as JSON lines. Whether an answer is right belongs to `rlenvs.verifiers`, whether a program is to
`rlenvs.code`.
"""

from rlenvs.grading.code import grade_code
from rlenvs.grading.mathematics import grade_math
from rlenvs.grading.resuming import Progress
from rlenvs.grading.rows import GradingError

__all__ = ["GradingError", "Progress", "grade_code", "grade_math"]
