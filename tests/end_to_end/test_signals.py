"""Ctrl-C and SIGTERM: the first ends the step and saves, the second ends at once, and neither spoils anything."""

import signal
from pathlib import Path

import pytest

SABOTAGE = Path(__file__).with_name("sabotage.py")
PLACES = {"in a rollout": "rollout:18", "in an update": "learner:3", "in a save": "fsync:20"}
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}


def started(start, moment, *changes):
    """A run that has reached its moment, in the third step or the save after the fourth, and waits there."""
    child = start("train", "tiny.toml", "--name", "cut", "--plugin", SABOTAGE, *changes, SABOTAGE=f"{moment}:wait")
    child.wait_for(Path("reached").exists)
    return child


def signalled(child, number):
    """The signal has come, and the run has said so."""
    child.signal(number)
    child.wait_for(lambda: "rlenvs: stopping after this step" in child.read("err"))


def let_go(child):
    """The run goes on from where it waits, to its end."""
    Path("go").touch()
    return child.wait()


@pytest.mark.parametrize("number", CODES, ids=lambda number: number.name)
@pytest.mark.parametrize("moment", PLACES.values(), ids=PLACES)
def test_r23_the_first_signal_finishes_the_step_saves_and_stops(start, rlenvs, run_of, moment, number):
    child = started(start, moment)
    signalled(child, number)
    done = let_go(child)
    assert done.code == CODES[number]
    step = 4 if moment.startswith("fsync") else 3
    assert done.out == f"runs/cut: {step} of 6 steps\n"
    assert "Traceback" not in done.err
    assert "rlenvs train --resume runs/cut" in done.err
    cut = run_of("cut")
    assert list(cut.metrics) == list(range(1, step + 1))
    assert f"step-00000{step}" in cut.checkpoints
    assert cut.kinds() == ["run_started", "run_stopped"]
    assert rlenvs("train", "--resume", "runs/cut").code == 0
    assert list(run_of("cut").metrics) == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("number", CODES, ids=lambda number: number.name)
@pytest.mark.parametrize("moment", PLACES.values(), ids=PLACES)
def test_r23_the_second_signal_stops_at_once_and_the_older_checkpoint_is_whole(start, rlenvs, run_of, moment, number):
    child = started(start, moment)
    signalled(child, number)
    child.signal(number)
    done = child.wait(20)
    assert done.code == CODES[number]
    assert "Traceback" not in done.err
    assert "stopped at once" in done.err
    assert run_of("cut").checkpoints == ["step-000002"]
    assert run_of("cut").kinds() == ["run_started", "run_stopped"]
    assert (
        rlenvs("train", "--resume", "runs/cut", "--set", "plugins=[]", "--plugin", SABOTAGE.with_name("world.py")).code
        == 0
    )
    assert list(run_of("cut").metrics) == [1, 2, 3, 4, 5, 6]


def test_r23_a_run_that_is_stopped_before_it_learned_anything_has_not_failed(start, run_of):
    silent = [word for each in ("right='*'", "size=0.0") for word in ("--set", f"env.0.kwargs.{each}")]
    child = started(start, "rollout:18", *silent)
    signalled(child, signal.SIGINT)
    done = let_go(child)
    assert done.code == 130
    assert "rlenvs: nothing was learned so far: no group had a signal in 3 of 3 steps" in done.err
    assert "rlenvs train --resume runs/cut" in done.err
    assert run_of("cut").kinds() == ["run_started", "run_stopped"]


def test_r23_a_signal_while_held_out_tasks_are_tried_saves_the_step_before(start, run_of):
    evaluation = ["eval.num_tasks=2", 'eval.env.0.id="test/Digit-v0"', "eval.every=1", "checkpoint_every=50"]
    child = started(start, "evaluation:3", *[word for change in evaluation for word in ("--set", change)])
    signalled(child, signal.SIGINT)
    assert let_go(child).code == 130
    assert run_of("cut").checkpoints == ["step-000002"]


def test_r23_a_signal_between_two_steps_is_not_lost(start, run_of):
    child = started(start, "recorded:3", "--set", "checkpoint_every=50")
    signalled(child, signal.SIGINT)
    assert let_go(child).code == 130
    assert run_of("cut").checkpoints == ["step-000003"]
