"""Evaluations before and after training, side by side."""

import math
import re
from pathlib import Path

import pytest

from rlenvs.report.held_out import change

from .pages import Page, row, whole_run, write_run


def test_before_and_after_stand_side_by_side_with_intervals(tmp_path: Path) -> None:
    text = Page(write_run(tmp_path, whole_run)).text
    assert "20.0% 15.0 – 25.0, step 0" in re.sub(r"\s+", " ", text)
    assert "90.0% 85.0 – 95.0, step 30" in re.sub(r"\s+", " ", text)
    # seven tasks of ten went from wrong to right: 70 ± t(9) * 48.3 / sqrt(10)
    assert "+70.0 +35.4 – +104.6" in re.sub(r"\s+", " ", text)


def test_the_change_is_paired_task_by_task_on_those_that_both_have() -> None:
    before = [row(0, 0, correct=0.0), row(0, 1, correct=1.0), row(1, correct=0.0), row(2, correct=0.0), row(5)]
    after = [row(0, correct=1.0), row(1, correct=1.0), row(2, correct=None), row(3, correct=1.0), row(5)]
    estimate = change(before, after)  # tasks 0, 1 and 5 rose by 0.5, 1 and 0
    assert estimate is not None
    assert estimate.value == pytest.approx(0.5)
    assert estimate.high - estimate.value == pytest.approx(4.302653 * 0.5 / math.sqrt(3), rel=1e-5)
    assert change(before[:1], after) is None
