"""A file of one's own problems: checked, evaluated on and trained on, with rewards put together on the command line."""

import json
from pathlib import Path

import pytest

CHOICES = (
    {"question": "What is 6 times 7?", "options": ["A) 41", "B) 42", "C) 43"], "answer": "B"},
    {"question": "What is the root of 9?", "options": ["A) 2", "B) 4", "C) 3"], "answer": "C"},
    {"question": "Which number is prime?", "options": ["A) 7", "B) 8", "C) 9"], "answer": "A"},
)
REWARDS = 'rewards="dapo", language="en", language_weight=0.1, partial_credit=0.5'


@pytest.fixture
def mine(rlenvs) -> Path:
    path = Path("mine.jsonl")
    path.write_text("".join(f"{json.dumps(row)}\n" for row in CHOICES))
    return path


def test_a_file_of_choices_is_checked_evaluated_on_and_trained_on(rlenvs, run_of, mine) -> None:
    math = ["rlenvs/Math-v0", "--set", f"dataset={mine}"]
    checked = rlenvs("envs", "check", *math, "--set", "rewards=dapo")
    assert (checked.code, checked.out) == (
        0,
        "rlenvs/Math-v0 keeps the contract.\n3 tasks: no fault, nothing twice.\n",
    ), checked

    asked = ["eval", "--policy", "oracle", "--env", *math, "--set", "rewards=accuracy", "--json"]
    result = json.loads(rlenvs(*asked).out)
    assert (result["mean_pass@1"]["value"], result["targets"][0]["num_tasks"]) == (1.0, 3)

    line = ["train", "--env", "rlenvs/Math-v0", "--set", f'env.0.kwargs={{dataset="{mine}", {REWARDS}}}']
    small = ["--policy", "tiny:hidden=32,layers=1,heads=1,mlp=32", "--steps", 1, "--set", "sampling.max_tokens=200"]
    counts = ["--set", "rollout.tasks_per_step=2", "--set", "rollout.group_size=8"]
    assert rlenvs(*line, *small, *counts, "--name", "mine").code == 0
    rollouts = run_of("mine").rollouts_of(1)
    assert len(rollouts) == 16
    for rollout in rollouts:
        assert rollout.parts.keys() == {"signed_accuracy", "language", "partial_credit"}
        assert rollout.parts["signed_accuracy"] == 2 * rollout.correct - 1
        assert 0.0 <= rollout.parts["language"] <= 0.1
        assert "A) " in rollout.messages[0]["content"]
