"""Verdicts on programs that others have run: of a part of each source, all of ours are the same."""

from pathlib import Path

import pytest

from benchmarks.graded_code import SOURCES, all_outcomes
from rlenvs_sandbox import open_runner

EVERY = {"CodeGen-16B, HumanEval": 20, "CodeLlama-7B, CRUXEval": 20}  # the rest are taken whole
COUNTS = {
    "Reflexion, HumanEval": 545,
    "Reflexion, MBPP": 558,
    "CodeGen-16B, HumanEval": 545,
    "CodeLlama-7B, CRUXEval": 556,
    "CodeRL, APPS": 83,
}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.filterwarnings("ignore:invalid escape sequence:DeprecationWarning")  # of the programs
@pytest.mark.parametrize("source", SOURCES)
def test_verdicts_are_those_that_were_recorded(data_folder: str, source: str) -> None:
    rows = list(SOURCES[source](Path(data_folder)))[:: EVERY.get(source, 1)]
    assert len(rows) == COUNTS[source]
    with open_runner("bubblewrap", num_workers=2) as runner:
        outcomes = all_outcomes(rows, runner, 2)
    others = [
        (row.id, row.recorded, outcome.status, outcome.detail)
        for row, outcome in zip(rows, outcomes, strict=True)
        if outcome.is_pass != row.has_passed
    ]
    assert others == []
    assert len({row.has_passed for row in rows}) == 2
