"""The sampler writes with the trainer's newest weights, at the same temperature; where it does not, the run stops."""

import asyncio

import numpy as np
import pytest

from rlenvs.config import read
from rlenvs.plugins import load
from rlenvs_trainers.algorithm import Progress
from rlenvs_trainers.assembly import new_run
from rlenvs_trainers.batch import Sample
from rlenvs_trainers.config import TrainConfig
from rlenvs_trainers.loop import train
from rlenvs_trainers.samplers.base import ScoreRequest

STALE = """
    from rlenvs.hooks import hookimpl
    from rlenvs_trainers.samplers.transformers import TransformersSampler

    class Forgetful(TransformersSampler):
        def load(self, weights, version, policy="policy"):
            if version < 2:
                super().load(weights, version, policy)

    @hookimpl
    def register_samplers(register):
        register("forgetful", lambda context: Forgetful(context.model, context.renderer))
"""


@pytest.fixture
def begun(warm):
    """`begun("steps=3")`: a run in this process, as the command makes it."""
    runs = []

    def begin(*sets):
        config = read(TrainConfig, "tiny.toml", sets)
        runs.append(new_run(config, load(config.plugins)))
        return runs[-1]

    yield begin
    for run in runs:
        run.store.close()


def test_r19_after_every_step_sampler_and_trainer_agree_on_a_probe(begun):
    run = begun("learner.lr=1e-2", "steps=5")
    prompt, reply = run.renderer.encode("a fixed probe"), run.renderer.message_ids("4711")
    request = ScoreRequest(key="probe", prefix_ids=prompt, continuation_ids=reply)
    seen = []
    for report in train(run):
        (of_trainer,) = run.learner.logprobs([Sample.of(prompt, reply)])
        (of_sampler,) = asyncio.run(run.sampler.score([request]))
        np.testing.assert_allclose(of_sampler, of_trainer, atol=1e-5)
        assert run.sampler.version() == run.learner.version == report.step
        seen.append(of_trainer.sum())
    assert len({round(value, 3) for value in seen}) == 5, "the weights moved"


def test_r19_a_sampler_that_is_not_given_the_new_weights_stops_the_run(rlenvs, plugin, run_of):
    line = ["train", "tiny.toml", "--name", "stale", "--set", "sampler=forgetful", "--plugin", plugin("stale", STALE)]
    done = rlenvs(*line)
    assert done.code == 1
    assert "rlenvs: sampler weights of 'policy' are version 1, trainer 2" in done.err
    assert list(run_of("stale").metrics) == [1, 2]
    assert run_of("stale").events[-1][1] == "run_failed"
    assert run_of("stale").checkpoints == ["step-000002"]


def test_r19_every_rollout_says_which_weights_wrote_it(rlenvs, run_of):
    assert rlenvs("train", "tiny.toml", "--name", "run").code == 0
    assert [{row.version for row in run_of("run").rollouts_of(step)} for step in range(1, 7)] == [
        {version} for version in range(6)
    ]


@pytest.mark.parametrize("temperature", [0.6, 1.0, 1.7])
def test_r13_sampler_and_trainer_divide_by_the_same_temperature(begun, temperature):
    run = begun(f"sampling.temperature={temperature}", "steps=2", "learner.lr=1e-2")
    for report in train(run):
        assert report.metrics["mismatch/max"] < 1e-5
        assert report.metrics["ratio/max"] == pytest.approx(1.0, abs=1e-5)


def test_r15_a_second_pass_over_the_data_has_ratios_and_clips(rlenvs, run_of):
    sets = ["updates=[2,1]", "learner.lr=0.05", "steps=2"]
    done = rlenvs("train", "tiny.toml", "--name", "run", *[word for each in sets for word in ("--set", each)])
    assert done.code == 0
    assert "clip does nothing" not in done.err
    values = run_of("run").metrics[1]
    assert values["ratio/max"] > 1.2
    assert values["clip/low"] + values["clip/high"] > 0
    assert values["learner/optimiser_steps"] == 2


def test_r15_a_clip_that_can_never_act_is_told(rlenvs, run_of):
    done = rlenvs("train", "tiny.toml", "--name", "run", "--steps", 1)
    assert "rlenvs: grpo: with a single update per step every ratio is 1 and the clip does nothing." in done.err
    assert any("clip does nothing" in note for note in run_of("run").events[0][2]["notes"])


def test_r26_seats_on_different_scales_have_baselines_of_their_own(rlenvs, begun):
    """Speakers earn 0 or 1, echoers -10 or 0: with one baseline for both, every speaker would look better."""
    pair = ['env.0.id="rlenvs/EchoPair-v0"', "env.0.kwargs={rounds=1, letters=1, echoer_range=[-10.0, 0.0]}"]
    policy = 'policy="tiny:hidden=32,layers=2,heads=2,mlp=64,context=512"'
    warm = [*pair, policy, "steps=30", "rollout.tasks_per_step=8", "learner.lr=1e-2", "plugins=[]"]
    assert rlenvs("sft", "tiny.toml", "--name", "warm", *[word for each in warm for word in ("--set", each)]).code == 0
    run = begun(*pair, 'policy="runs/warm"', "steps=1", "rollout.group_size=24", "rollout.tasks_per_step=3")
    (report,) = train(run)
    credit = run.algorithm.credit(report.groups, Progress(step=0, num_steps=1))
    assert [group.seat for group in report.groups] == ["echoer", "speaker"] * 3
    varied = 0
    for index, group in enumerate(report.groups):
        rewards = [trajectory.reward for trajectory in group.trajectories]
        advantages = [credit[index, place].advantage[0][0] for place in range(len(rewards))]
        assert set(rewards) <= ({-10.0, 0.0} if group.seat == "echoer" else {0.0, 1.0})
        assert sum(advantages) == pytest.approx(0, abs=1e-9)
        for reward, advantage in zip(rewards, advantages, strict=True):
            assert np.sign(advantage) == np.sign(reward - np.mean(rewards))
        varied += len(set(rewards)) > 1
    assert varied >= 2, "it would show nothing"
