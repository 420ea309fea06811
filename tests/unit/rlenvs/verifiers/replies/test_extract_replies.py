"""Whole replies, with the verdict of a mathematician who reads them: what they state, and what they only mention."""

import json
from pathlib import Path

import pytest

from rlenvs.verifiers import extract, verify

BANK = Path(__file__).with_name("own_replies.jsonl")
CASES = [json.loads(line) for line in BANK.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", [case for case in CASES if case["equal"]], ids=lambda case: case["reply"][:40])
def test_what_a_reply_states_in_any_usual_form_is_its_answer(case: dict[str, str]) -> None:
    assert verify(case["gold"], extract(case["reply"])) == "equal", extract(case["reply"])


@pytest.mark.parametrize("case", [case for case in CASES if not case["equal"]], ids=lambda case: case["reply"][:40])
def test_what_a_reply_hedges_denies_asks_supposes_or_quotes_is_no_answer(case: dict[str, str]) -> None:
    assert verify(case["gold"], extract(case["reply"])) == "not_equal", extract(case["reply"])
