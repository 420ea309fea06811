"""What a resumed run does: no evaluation twice and none left out, nothing where it has finished, more where asked."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from .runs import EVALUATION, SABOTAGE, WORLD, sets

TOLD = """
    from rlenvs.hooks import hookimpl

    @hookimpl
    def on_evaluation(step, name, metrics):
        print("told", step, name.split()[-1])
"""


@pytest.fixture
def told(rlenvs: Callable[..., Any], plugin: Callable[..., Path]) -> Callable[..., list[str]]:
    """Resumes the run `cut` with some changes: the evaluations that observers are told of, "2 greedy"."""
    path = plugin("told", TOLD)

    def resumed(*changes: str) -> list[str]:
        given = [f'plugins=["{WORLD}", "{path}"]', *changes]
        done = rlenvs("train", "--resume", "runs/cut", *sets(*given))
        assert done.code == 0, done.err
        return [line.removeprefix("told ") for line in done.out.splitlines() if line.startswith("told")]

    return resumed


AFTERWARDS = ["4 sampled", "4 greedy", "6 sampled", "6 greedy"]


@pytest.mark.parametrize(
    ("moment", "step", "made"),
    [
        ("evaluated:2", 0, ["0 greedy", "2 sampled", "2 greedy", *AFTERWARDS]),
        ("evaluated:3", 2, ["2 sampled", "2 greedy", *AFTERWARDS]),
        ("evaluated:4", 2, ["2 greedy", *AFTERWARDS]),
        ("recorded:3", 2, AFTERWARDS),
        ("evaluated:8", 6, ["6 greedy"]),
    ],
)
def test_a_resumed_run_makes_the_evaluations_that_it_does_not_have_and_no_other(
    start, run_of, told, moment, step, made
):
    line = ["train", "tiny.toml", "--name", "cut", "--plugin", SABOTAGE, *sets(*EVALUATION)]
    assert start(*line, SABOTAGE=moment + ":SIGKILL").wait().code == 137
    assert told() == made
    assert [at for at, kind, _ in run_of("cut").events if kind == "run_started"] == [0, step]
    assert [at for at, kind, _ in run_of("cut").events if kind == "evaluated"] == [0, 0, 2, 2, 4, 4, 6, 6]


def test_an_evaluation_that_is_asked_for_with_other_settings_is_made(rlenvs, run_of, told):
    assert rlenvs("train", "tiny.toml", "--name", "cut", *sets(*EVALUATION)).code == 0
    assert told("eval.every=3") == [], "when it is made does not change what comes of it"
    assert told("eval.num_tasks=5") == ["6 sampled", "6 greedy"]
    assert told() == []
    assert told("sampling.temperature=0.8", "steps=7") == ["6 sampled", "6 greedy", "7 sampled", "7 greedy"]


def test_a_finished_run_has_nothing_to_do_and_says_so(rlenvs, run_of):
    assert rlenvs("train", "tiny.toml", "--name", "whole", *sets(*EVALUATION)).code == 0
    before = run_of("whole")
    done = rlenvs("train", "--resume", "runs/whole")
    assert (done.code, done.out) == (0, "runs/whole: 6 of 6 steps\n")
    said = "rlenvs: runs/whole has made its 6 steps already: nothing is trained or evaluated again. For more: --steps"
    assert said in done.err
    after = run_of("whole")
    assert (after.evals, after.metrics) == (before.evals, before.metrics)
    assert after.kinds() == [*before.kinds(), "run_started", "run_finished"]
    done = rlenvs("train", "--resume", "runs/whole", *sets("eval.num_tasks=5"))
    assert "already" not in done.err, "it was evaluated"


def test_tensorboard_has_every_step_once_and_for_all(start, rlenvs, monkeypatch):
    monkeypatch.setenv("RLENVS_TENSORBOARD", "1")
    line = ["train", "tiny.toml", "--name", "cut", "--plugin", SABOTAGE, *sets(*EVALUATION)]
    assert start(*line, SABOTAGE="evaluated:4:SIGKILL", RLENVS_TENSORBOARD="1").wait().code == 137
    assert rlenvs("train", "--resume", "runs/cut", *sets(f'plugins=["{WORLD}"]')).code == 0
    events = EventAccumulator("runs/cut/tensorboard").Reload()
    assert [event.step for event in events.Scalars("loss")] == [1, 2, 3, 4, 5, 6]
    for way in ("sampled", "greedy"):
        assert [event.step for event in events.Scalars(f"eval/test/Digit-v0 {way}/pass@1")] == [0, 2, 4, 6]


def test_more_steps_can_be_asked_of_a_finished_run(rlenvs, run_of):
    assert rlenvs("train", "tiny.toml", "--name", "longer").code == 0
    assert rlenvs("train", "--resume", "runs/longer", "--steps", 8).code == 0
    assert list(run_of("longer").metrics) == list(range(1, 9))
    assert "steps = 8" in Path("runs/longer/config.toml").read_text()
    done = rlenvs("train", "--resume", "runs/longer")
    assert (done.code, done.out) == (0, "runs/longer: 8 of 8 steps\n")
    assert run_of("longer").kinds().count("run_started") == 3
