"""A run that was killed and resumed equals one that was not, to the bit: weights, tasks, tokens, records."""

import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .runs import EVALUATION, SABOTAGE, WORLD, sets

CRITICS = Path(__file__).parents[1] / "unit/rlenvs_trainers/critics.py"


MOMENTS = {
    "while the policy writes": "rollout:20",
    "before an update": "learner:4",
    "when a step is recorded and no checkpoint has it": "recorded:3",
    "before the first checkpoint": "recorded:1",
    "as a save begins": "fsync:12",
    "before the list of checksums": "fsync:20",
    "before the list of checksums counts": "rename:3",
    "before the finished save has its name": "rename:4",
    "while an older checkpoint is deleted": "rmtree:4",
    "right after a save": "saved:2",
    "while held-out tasks are tried": "evaluation:3",
    "while the policy that it started from is evaluated": "evaluated:2",
    "between two evaluations": "evaluated:6",
    "before what it ends with is evaluated": "evaluation:4",
}


@pytest.fixture(scope="module")
def wholes() -> dict[str, Any]:
    return {}


@pytest.fixture
def whole(wholes: dict[str, Any], rlenvs: Callable[..., Any], run_of: Callable[[str], Any]) -> Callable[..., Any]:
    """What an uninterrupted run leaves; each is made once."""

    def run(command: str, *changes: str, step: int = 6) -> tuple[Any, dict[str, bytes]]:
        key = " ".join((command, *changes))
        if key not in wholes:
            name = f"whole-{len(wholes)}"
            assert rlenvs(command, "tiny.toml", "--name", name, *sets(*changes)).code == 0
            wholes[key] = run_of(name), run_of(name).files(step)
        return wholes[key]

    return run


def assert_equal(resumed: Any, whole: tuple[Any, dict[str, bytes]], step: int = 6) -> None:
    expected, files = whole
    assert list(resumed.metrics) == list(range(1, step + 1))
    assert [row.task_id for row in resumed.rollouts] == [row.task_id for row in expected.rollouts]
    assert [row.messages for row in resumed.rollouts] == [row.messages for row in expected.rollouts]
    assert resumed.rollouts == expected.rollouts
    assert resumed.metrics == expected.metrics
    assert resumed.files(step) == files


@pytest.mark.parametrize("command", ["train", "sft"])
def test_r20_the_same_command_twice_gives_the_same_run(rlenvs, start, whole, run_of, command):
    expected = whole(command)
    assert start(command, "tiny.toml", "--name", "again").wait().code == 0
    assert_equal(run_of("again"), expected)
    assert all(values["grad_norm"] > 0.01 for values in expected[0].metrics.values()), "it would show nothing"
    assert len({row.task_id for row in expected[0].rollouts}) == 12


@pytest.mark.parametrize("moment", MOMENTS.values(), ids=MOMENTS)
def test_r20_r22_killed_at_any_moment_and_resumed_it_equals_the_whole_run(rlenvs, start, whole, run_of, moment):
    changes = [*EVALUATION, "keep_checkpoints=1"]
    expected = whole("train", *changes)
    child = start(
        "train", "tiny.toml", "--name", "cut", "--plugin", SABOTAGE, *sets(*changes), SABOTAGE=moment + ":SIGKILL"
    )
    assert child.wait().code == 137
    done = rlenvs("train", "--resume", "runs/cut", *sets(f'plugins=["{WORLD}"]'))
    assert done.code == 0, done.err
    assert "skipped" not in done.err
    assert_equal(run_of("cut"), expected)
    assert run_of("cut").evals == expected[0].evals
    assert run_of("cut").checkpoints == ["step-000006"]
    assert not list(Path("runs/cut/checkpoints").glob(".writing-*"))
    assert run_of("cut").kinds().count("run_finished") == 1


def test_r20_records_of_steps_that_no_checkpoint_has_are_forgotten(rlenvs, start, run_of):
    child = start("train", "tiny.toml", "--name", "cut", "--plugin", SABOTAGE, SABOTAGE="recorded:5:SIGKILL")
    assert child.wait().code == 137
    assert list(run_of("cut").metrics) == [1, 2, 3, 4, 5]
    assert rlenvs("train", "--resume", "runs/cut", "--steps", 4, *sets(f'plugins=["{WORLD}"]')).code == 0
    assert list(run_of("cut").metrics) == [1, 2, 3, 4]
    assert {row.step for row in run_of("cut").rollouts} == {1, 2, 3, 4}


def test_r20_a_warm_start_that_was_killed_resumes_alike(rlenvs, start, whole, run_of):
    expected = whole("sft")
    assert (
        start("sft", "tiny.toml", "--name", "cut", "--plugin", SABOTAGE, SABOTAGE="learner:4:SIGKILL").wait().code
        == 137
    )
    assert rlenvs("sft", "--resume", "runs/cut", *sets(f'plugins=["{WORLD}"]')).code == 0
    assert_equal(run_of("cut"), expected)


def test_r20_a_second_epoch_of_a_small_data_set_resumes_alike(rlenvs, start, whole, run_of):
    changes = ["env.0.kwargs.tasks=5", "checkpoint_every=1", "algorithm_options.updates=[2,2]"]
    expected = whole("train", *changes)
    child = start(
        "train", "tiny.toml", "--name", "cut", "--plugin", SABOTAGE, *sets(*changes), SABOTAGE="recorded:4:SIGKILL"
    )
    assert child.wait().code == 137
    assert rlenvs("train", "--resume", "runs/cut", *sets(f'plugins=["{WORLD}"]')).code == 0
    assert_equal(run_of("cut"), expected)
    assert {row.task_id for row in run_of("cut").rollouts} == {f"digit/{index}" for index in range(5)}


def test_r20_a_critic_goes_on_as_well(rlenvs, start, whole, run_of):
    both = f'plugins=["{WORLD}", "{CRITICS}"]'
    changes = [both, "algorithm=critic", "regularise.value_loss.critic.lr=0.003"]
    expected = whole("train", *changes)
    line = ["train", "tiny.toml", "--name", "cut", *sets(*changes), "--plugin", SABOTAGE]
    assert start(*line, SABOTAGE="recorded:5:SIGKILL").wait().code == 137
    assert rlenvs("train", "--resume", "runs/cut", *sets(both)).code == 0
    assert_equal(run_of("cut"), expected)
    losses = [values["value_loss/mean"] for values in expected[0].metrics.values()]
    assert losses[-1] < losses[0], "it learned nothing"


MEMORY = """
    import random
    from dataclasses import dataclass, replace

    from rlenvs.hooks import hookimpl
    from rlenvs_plugins.grpo import GRPO
    from rlenvs_trainers.credit import spread_over
    from rlenvs_trainers.records import Reward

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Noise:  # a reward from Python's own generator
        def __call__(self, group, progress):
            def louder(each):
                return replace(each, rewards=(*each.rewards, Reward(name="noise", value=random.random())))

            return replace(group, trajectories=tuple(map(louder, group.trajectories)))

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Running:  # rewards against a running mean over all steps
        @property
        def unit(self):
            return "trajectory"

        @property
        def min_group(self):
            return 1

        def __call__(self, groups, progress):
            credit = {}
            for index, group in enumerate(groups):
                for place, trajectory in enumerate(group.trajectories):
                    baseline = progress.memory.get("mean", 0.0)
                    progress.memory["mean"] = 0.9 * baseline + 0.1 * trajectory.reward
                    credit[index, place] = spread_over(trajectory, trajectory.reward - baseline)
            return credit

    @hookimpl
    def register_algorithms(register):
        register(replace(GRPO, name="running", credit=Running(), shape=(Noise(),)))
"""


def test_r20_r21_what_a_plugin_remembers_and_draws_goes_on_as_well(rlenvs, start, whole, run_of, plugin):
    path = plugin("running", MEMORY)
    arithmetic = ["env.1.id='rlenvs/Arithmetic-v0'", "env.1.weight=0.5", "sampling.max_tokens=4"]
    both = f'plugins=["{WORLD}", "{path}"]'
    changes = [both, "algorithm=running", *arithmetic, "rollout.tasks_per_step=3"]
    expected = whole("train", *changes)
    line = ["train", "tiny.toml", "--name", "cut", *sets(*changes), "--plugin", SABOTAGE]
    assert start(*line, SABOTAGE="rollout:35:SIGKILL").wait().code == 137
    assert list(run_of("cut").metrics)[-1] >= 3
    assert rlenvs("train", "--resume", "runs/cut", *sets(both)).code == 0
    assert_equal(run_of("cut"), expected)
    assert {row.task_id.partition("/")[0] for row in expected[0].rollouts} == {"digit", "arithmetic"}
    assert json.loads(expected[1]["state.json"])["memory"]["mean"] > 0


def test_r20_killed_again_and_again_it_gets_there_all_the_same(start, whole, run_of):
    changes = ["steps=16", "checkpoint_every=1"]
    expected = whole("train", *changes, step=16)
    rng = random.Random(0)
    arguments = ["train", "tiny.toml", "--name", "cut", *sets(*changes)]
    log = Path("runs/cut/run.sqlite-wal")
    codes = []
    for _ in range(3):
        child = start(*arguments)
        size = log.stat().st_size if log.exists() else 0
        while child.process.is_alive() and not (log.exists() and log.stat().st_size != size):
            time.sleep(0.005)
        child.process.join(rng.uniform(0.0, 0.3))
        codes.append(child.kill())
        arguments = ["train", "--resume", "runs/cut"]
    assert set(codes) <= {0, 137}
    assert 137 in codes, "every run ended before it could be killed"
    done = start(*arguments).wait()
    assert done.code == 0, done.err
    assert "skipped" not in done.err
    assert_equal(run_of("cut"), expected, step=16)


def test_r34_evaluation_changes_nothing_of_training(whole):
    without, with_it = whole("train"), whole("train", *EVALUATION)
    assert {step for step, _, _ in with_it[0].evals} == {0, 2, 4, 6}
    assert_equal(without[0], with_it)
