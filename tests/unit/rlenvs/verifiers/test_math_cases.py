"""The bank of maths verdicts in the folder RLENVS_CASES: agreement, limits in time, nothing evaluated."""

import json
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rlenvs import verifiers

AGREEMENT = 0.98  # measured: 230 of 230


@pytest.fixture(scope="module")
def cases(cases_folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (cases_folder / "math_cases.jsonl").read_text(encoding="utf-8").splitlines()]


def verdict(case: dict[str, Any]) -> str:
    answer = case["answer"]
    if case["form"] == "text" and answer is not None:
        answer = verifiers.extract(answer)
    return verifiers.verify(case["gold"], answer, case.get("question"))


def test_the_verifier_agrees_with_the_bank_and_accepts_nothing_wrong(cases: list[dict[str, Any]]) -> None:
    outcomes: Counter[str] = Counter()
    accepted_wrongly = []
    for case in cases:
        given = verdict(case)
        is_right = given in ("equal", "not_equal") and (given == "equal") == case["equal"]
        outcomes["right" if is_right else given] += 1
        if given == "equal" and not case["equal"]:
            accepted_wrongly.append(case["id"])
    assert accepted_wrongly == []
    assert outcomes["right"] >= AGREEMENT * outcomes.total(), outcomes


@pytest.mark.parametrize("in_thread", [False, True], ids=["main thread", "another thread"])
def test_every_dos_case_returns_within_its_limit(cases: list[dict[str, Any]], in_thread: bool) -> None:
    late: list[str] = []

    def run() -> None:
        for case in (case for case in cases if case["kind"] == "dos"):
            started = time.monotonic()
            verdict(case)
            if time.monotonic() - started > case["limit_s"]:
                late.append(case["id"])

    if in_thread:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    else:
        run()
    assert late == []


def test_no_malicious_case_leaves_a_file_or_is_right(
    cases: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pool = verifiers.VerifierPool(1)  # its worker starts in this folder
    for case in (case for case in cases if case["kind"] == "malicious"):
        answer = case["answer"]
        assert verifiers.judge(case["gold"], answer, pool=pool).verdict == "not_equal", case["id"]
        pool.algebra("x", answer)  # and if the text reached the parser as it stands
    assert pool.algebra("x+x", "2x").verdict == "equal"
    pool.close()
    assert list(tmp_path.iterdir()) == []
