"""Programs as training meets them: rewards are the verdicts of a sandbox, and a lost sandbox is no reward at all."""

from pathlib import Path

import pytest

import rlenvs as library

from .runs import sets

LOSSY = Path(__file__).with_name("lossy_sandbox.py")
SETTINGS = [
    'env.0.id="rlenvs/CodeGen-v0"',
    'env.0.kwargs={families=["formula", "conditions"], levels=[1], template="plain", sandbox="lossy"}',
    "env.0.kwargs.mistake_rate=0.5",
    "steps=3",
    "rollout.tasks_per_step=8",
    "rollout.group_size=1",
]


@pytest.fixture
def run(rlenvs, run_of):
    """Imitation of programs of which half are wrong, in a sandbox that is lost with some of them."""
    done = rlenvs("train", "tiny.toml", "--name", "run", "--algorithm", "sft", "--plugin", LOSSY, *sets(*SETTINGS))
    assert done.code == 0, done
    return run_of("run")


def test_a_reward_is_the_verdict_on_the_program_and_a_lost_sandbox_is_none(run):
    env = library.make("rlenvs/CodeGen-v0", families=["formula", "conditions"], levels=[1], template="plain").unwrapped
    endings = {}
    for row in run.rollouts:
        task = env.task_at(int(row.task_id.rpartition("/")[2]))
        program = row.messages[-1]["content"]
        if "(a, b)" in program:
            assert (row.ending, row.reward, row.correct) == ("sandbox_error", None, None)
            assert "three workers in a row were lost" in row.error
        else:
            is_right = program == env.answer_message(task)
            assert (row.ending, row.reward, row.correct) == ("completed", float(is_right), is_right)
        endings.setdefault(row.ending, []).append(row.reward)
    assert len(endings["sandbox_error"]) >= 4
    assert {0.0, 1.0} == set(endings["completed"])
    for step, values in run.metrics.items():
        rewards = [row.reward for row in run.rollouts_of(step) if row.reward is not None]
        assert values["accuracy"] == pytest.approx(sum(rewards) / len(rewards))
