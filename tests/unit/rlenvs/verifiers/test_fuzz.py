"""Answers that are mutated at random: the verifier gives a verdict on each, soon, and means the same both ways round.

CI tries a few thousand; `RLENVS_FUZZ=100000 pytest tests/unit/rlenvs/verifiers/test_fuzz.py` as many as one likes.
"""

import json
import os
import random
import resource
import time
from pathlib import Path

from rlenvs.verifiers import verify

NUM_MUTATIONS = int(os.environ.get("RLENVS_FUZZ", "3000"))
LIMIT_S = 12.0  # what a worker may take, on a machine that is busy
GROWTH_MIB = 300  # of this process, over all of them
PIECES = (
    *"0123456789+-*/^_!%=<>(){}[]|,.;: xyzabie$&'\\",
    r"\frac{", r"\sqrt{", r"\pi", r"\infty", r"\cup", r"\text{", r"\boxed{", r"\pm", r"\le", r"\sin ", r"\log_",
    r"\{", r"\}", r"\begin{pmatrix}", r"\end{pmatrix}", "^{", "_{", " and ", " or ", "\n", "²", "½", "√", "，", "∞",
    "10^", "!!", "e9",
)  # fmt: skip


def mutated(text: str, rng: random.Random) -> str:
    """The text with a few places deleted, doubled, swapped or filled."""
    for _ in range(rng.randint(1, 6)):
        start = rng.randint(0, len(text))
        end = min(len(text), start + rng.randint(0, 6))
        change = rng.randint(0, 3)
        if change == 0:
            text = text[:start] + text[end:]
        elif change == 1:
            text = text[:start] + text[start:end] * rng.randint(2, 9) + text[end:]
        elif change == 2:
            text = text[:start] + rng.choice(PIECES) + text[start:]
        else:
            text = text[:start] + rng.choice(PIECES) + text[end:]
    return text


def test_no_mutated_answer_breaks_the_verifier_or_keeps_it_busy(cases_folder: Path) -> None:
    rng = random.Random(0)
    lines = (cases_folder / "math_cases.jsonl").read_text(encoding="utf-8").splitlines()
    seeds = [str(case[side]) for case in map(json.loads, lines) for side in ("gold", "answer") if case[side]]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    slow, odd = [], []
    for _ in range(NUM_MUTATIONS):
        gold, answer = rng.choice(seeds), mutated(rng.choice(seeds), rng)
        started = time.monotonic()
        verdict = verify(gold, answer)
        if time.monotonic() - started > LIMIT_S:
            slow.append((gold, answer))
        if verdict == "error" or (verdict == "equal" and verify(answer, gold) not in ("equal", "bad_gold")):
            odd.append((gold, answer, verdict))
    assert slow == []
    assert odd == []
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < GROWTH_MIB * 1024
