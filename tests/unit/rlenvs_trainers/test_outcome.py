from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rlenvs.store import RolloutRow, RunStore
from rlenvs_trainers.config import EnvConfig
from rlenvs_trainers.outcome import NothingLearnedError, steps_in_vain

TOKENS = {"learned": (9.0, 4.0), "silent": (9.0, 0.0), "empty": (0.0, 0.0)}  # to train on, with an advantage


def run_of(folder: Path, *steps: str, wanted: int, seats: tuple[str, ...] | None = None) -> Any:
    """A run whose steps went so; in each two attempts by "echoer" are cut off, and one by "speaker" breaks."""
    store = RunStore(folder / "run.sqlite")
    for number, kind in enumerate(steps, start=1):
        trained, moved = TOKENS[kind]
        ends = [("echoer", "max_tokens"), ("echoer", "max_tokens"), ("speaker", "env_error")]
        rows = [
            RolloutRow(
                group=0, attempt=0, episode="e", task_id="t", seat=seat, ending=ending, reward=None, correct=None
            )
            for seat, ending in ends
        ]
        store.write_step(number, {"tokens/trained": trained, "tokens/with_advantage": moved}, rows)
    config = SimpleNamespace(steps=wanted, env=(EnvConfig(id="test/Pair-v0", seats=seats),))
    return SimpleNamespace(store=store, step=len(steps), config=config)


def test_a_run_that_always_learned_has_nothing_to_say(tmp_path: Path) -> None:
    assert steps_in_vain(run_of(tmp_path, "learned", "learned", wanted=2)) == ""


def test_a_run_without_a_step_is_not_judged(tmp_path: Path) -> None:
    assert steps_in_vain(run_of(tmp_path, wanted=2)) == ""


@pytest.mark.parametrize("wanted", [3, 9])
def test_one_step_that_learned_is_enough_and_silent_ones_are_counted(tmp_path: Path, wanted: int) -> None:
    said = steps_in_vain(run_of(tmp_path, "silent", "learned", "empty", wanted=wanted))
    assert said == "no group had a signal in 1 of 3 steps: every attempt at a task earned the same"


def test_steps_without_a_signal_fail_a_run_only_when_it_is_over(tmp_path: Path) -> None:
    run = run_of(tmp_path, "silent", "empty", wanted=3)
    why = "no group had a signal in 1 of 2 steps: every attempt at a task earned the same"
    assert steps_in_vain(run) == f"nothing was learned so far: {why}"
    run.config.steps = 2
    with pytest.raises(NothingLearnedError, match=f"^nothing was learned: {why}$"):
        steps_in_vain(run)


@pytest.mark.parametrize(
    ("seats", "ways"), [(None, "4 max_tokens, 2 env_error"), (("speaker",), "2 env_error"), (("echoer",), "4 max_tok")]
)
def test_what_became_of_attempts_is_told_of_the_seats_that_learn(
    tmp_path: Path, seats: tuple[str, ...] | None, ways: str
) -> None:
    with pytest.raises(NothingLearnedError, match=rf"no attempt had a token to train on \({ways}"):
        steps_in_vain(run_of(tmp_path, "empty", "empty", wanted=2, seats=seats))
