"""Answers, questions and replies that are mutated: a verdict on each, soon, and the same both ways round.

CI tries a few thousand; `RLENVS_FUZZ=100000 pytest tests/unit/rlenvs/verifiers/test_fuzz.py` as many as one likes.
"""

import json
import os
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import seed as start
from hypothesis import strategies as st

from rlenvs.verifiers import extract, verify

NUM_MUTATIONS = int(os.environ.get("RLENVS_FUZZ", "3000"))
LIMIT_S = 12.0  # what a worker may take, on a machine that is busy
BATCH = 1500  # hypothesis remembers what it has tried: one run of all would measure its memory, and not ours
GROWTH_MIB = 100  # of this process and its workers, from the first batch to the last
PIECES = (
    *"0123456789+-*/^_!%=<>(){}[]|,.;: xyzabie$&'\\",
    r"\frac{", r"\sqrt{", r"\pi", r"\infty", r"\cup", r"\text{", r"\boxed{", r"\pm", r"\le", r"\sin ", r"\log_",
    r"\{", r"\}", r"\begin{pmatrix}", r"\end{pmatrix}", "^{", "_{", " and ", " or ", "\n", "²", "½", "√", "，", "∞",
    "10^", "!!", "e9", r"\approx", r"\pmod{", "for all ", " cm", " hours ", "one ", "half", "(A) ", "无", "不是", "≡",
)  # fmt: skip
FOR_WORKERS = [r"\sum_{k=1}^{n} k", r"\int_0^1 x^2 dx", r"\lim_{x\to0}\frac{\sin x}{x}", r"\prod_{i=1}^{5} i"]

edits = st.lists(
    st.tuples(st.integers(0, 3), st.floats(0, 1), st.integers(0, 6), st.sampled_from(PIECES)), min_size=1, max_size=6
)


def mutated(text: str, changes: list[tuple[int, float, int, str]]) -> str:
    """The text with a few places deleted, doubled, swapped or filled."""
    for change, where, length, piece in changes:
        start = int(where * len(text))
        end = min(len(text), start + length)
        if change == 0:
            text = text[:start] + text[end:]
        elif change == 1:
            text = text[:start] + text[start:end] * (length + 2) + text[end:]
        else:
            text = text[:start] + piece + text[start if change == 2 else end :]
    return text


@pytest.mark.timeout(300 + NUM_MUTATIONS / 100)
def test_no_mutated_answer_breaks_the_verifier_or_keeps_it_busy(cases_folder: Path) -> None:
    lines = (cases_folder / "math_cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases: list[dict[str, Any]] = [json.loads(line) for line in lines]
    seeds = [str(case[side]) for case in cases for side in ("gold", "answer") if case[side]]
    questions = ["", *(case["question"] for case in cases if case.get("question"))]
    golds = seeds + FOR_WORKERS * (len(seeds) // (20 * len(FOR_WORKERS)))

    @settings(max_examples=BATCH, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(
        gold=st.sampled_from(golds),
        seed=st.sampled_from(seeds),
        changes=edits,
        question=st.sampled_from(questions),
        is_reply=st.booleans(),
    )
    def try_one(gold: str, seed: str, changes: Any, question: str, is_reply: bool) -> None:
        answer = mutated(seed, changes)
        started = time.monotonic()
        verdict = verify(gold, extract(answer) if is_reply else answer, mutated(question, changes[:1]))
        assert time.monotonic() - started < LIMIT_S
        assert verdict != "error"
        if not question and not is_reply and gold not in FOR_WORKERS and verdict == "equal":
            assert verify(answer, gold) in ("equal", "bad_gold")

    sizes = []
    for batch in range(-(-NUM_MUTATIONS // BATCH)):
        start(batch)(try_one)()
        sizes.append(memory_mib())
    assert sizes[-1] - sizes[0] < GROWTH_MIB, sizes


def memory_mib() -> float:
    process = psutil.Process()
    return sum(each.memory_info().rss for each in (process, *process.children(recursive=True))) / 2**20
