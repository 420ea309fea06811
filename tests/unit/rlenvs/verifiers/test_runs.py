"""Runs of one sign, of any length: nothing a policy repeats keeps the reading of its reply or its answer busy."""

import itertools
import time

import pytest

from rlenvs.verifiers import extract, verify

LIMIT_S = 2.0  # on a machine that is busy; as a rule milliseconds
SIGNS = [
    " ", "\n", "\t", "\n \n", "　", "-", "*", "_", "$", "(", ")", "{", "}", "#", "`", "~", "=", "a", "a ", "1", "1 ",
    ", ", ". ", "\\", "\\,", "x=", "| ", "，", "不",
    "\\text{", "\\(", ">", "n_{1}", "n^{1}", "1'", "for all ", "1, ", "one ",
    "\\frac{1}", "\\\\ ", "&", "1 cm ", "(a) 1 ", "\\overline{1}", "1:",
]  # fmt: skip
BEFORE = [
    "",
    "\\boxed{1}",
    "The answer is 5",
    "so Tom has 5",
    "**Answer:** ",
    "A: ",
    '{"answer": ',
    "Therefore, ",
    "#### ",
]
BEHIND = ["", "#", "\\boxed{2}", "because", "."]


@pytest.mark.parametrize("sign", SIGNS)
def test_no_run_keeps_the_reading_of_a_reply_busy(sign: str) -> None:
    for before, behind in itertools.product(BEFORE, BEHIND):
        started = time.perf_counter()
        extract(before + sign * 4000 + behind)
        assert time.perf_counter() - started < LIMIT_S, (before, behind)


@pytest.mark.parametrize("sign", SIGNS)
def test_no_run_keeps_the_verifier_busy(sign: str) -> None:
    for before, behind in itertools.product(("", "x for all ", "5 ", "(A) ", "$", "\\text{", "x = "), ("", "#", "5")):
        answer = before + sign * (1900 // len(sign)) + behind
        started = time.perf_counter()
        assert verify("5", answer) in ("equal", "not_equal")
        assert time.perf_counter() - started < LIMIT_S, (before, behind)
