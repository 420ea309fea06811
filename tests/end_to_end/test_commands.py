"""From nothing to a page: warm start, training, evaluation and report, each from the command line."""

import json
import re
from pathlib import Path

import pytest

from rlenvs import plugins
from rlenvs.plugins import load
from rlenvs_trainers.checks import check_algorithm

WORLD = Path(__file__).with_name("world.py")


@pytest.fixture
def evaluated(rlenvs):
    """`evaluated("oracle")`: the JSON of its evaluation on twenty tasks, four samples each."""

    def evaluate(policy, *arguments):
        line = ["eval", "--policy", policy, "--env", "test/Digit-v0", "--num-tasks", 20, "--samples", 4, "--json"]
        done = rlenvs(*line, "--plugin", WORLD, "--max-tokens", 3, *arguments)
        assert done.code == 0, done
        return json.loads(done.out)

    return evaluate


def pass_at_1(evaluation):
    return evaluation["mean_pass@1"]["value"]


def test_warm_start_training_evaluation_and_report_follow_on_each_other(rlenvs, evaluated, run_of):
    tiny = ["--policy", "tiny:hidden=32,layers=2,heads=2,mlp=64,context=256"]
    learn = ["--set", "rollout.tasks_per_step=16", "--set", "learner.lr=1e-2"]
    assert rlenvs("sft", "tiny.toml", "--name", "warm", "--steps", 40, *tiny, *learn).code == 0
    held_out = ["--set", "eval.num_tasks=20", "--set", 'eval.env.0.id="test/Digit-v0"', "--set", "eval.samples=4"]
    warm = "runs/warm/checkpoints/step-000040"
    line = ["train", "tiny.toml", "--name", "better", "--policy", warm, "--steps", 30, "--set", "learner.lr=3e-3"]
    assert rlenvs(*line, *held_out, "--set", "rollout.group_size=8", "--set", "env.0.kwargs.size=0.0").code == 0
    before, after = pass_at_1(evaluated(warm)), pass_at_1(evaluated("runs/better/checkpoints/step-000030"))
    assert after > before + 0.3
    assert pass_at_1(evaluated("runs/better")) == after, "a run is its newest checkpoint"

    done = rlenvs("report", "runs/better")
    assert (done.code, done.out.strip()) == (0, "runs/better/report.html")
    page = Path("runs/better/report.html").read_text()
    better = run_of("better")
    held = {(step, name.split()[-1]): values["pass@1"] for step, name, values in better.evals}
    for number in (held[0, "sampled"], held[30, "sampled"]):
        assert f"{100 * number:.1f}" in page
    assert "test/Digit-v0" in page
    assert "30 of 30" in page
    assert not re.search(r"""(src|href)=["']https?://""", page), "it opens offline"
    assert better.rollouts_of(30)[0].messages[-1]["content"] in page


def test_the_oracle_is_always_right_and_guesses_seldom(evaluated):
    oracle = evaluated("oracle")
    assert pass_at_1(oracle) == 1.0
    assert pass_at_1(evaluated("random")) < 0.2


def test_a_policy_that_says_any_digit_is_right_once_in_ten(evaluated, warm):
    evaluation = evaluated(warm)
    interval = evaluation["mean_pass@1"]
    assert interval["low"] < 0.1 < interval["high"]
    greedy = evaluated(warm, "--temperature", 0, "--samples", 1)
    assert pass_at_1(greedy) in (0.0, 1.0), "one answer for every task, or nearly"


@pytest.mark.parametrize("name", list(load().algorithms))
def test_every_registered_algorithm_keeps_its_promises(name):
    assert len(check_algorithm(plugins.load().algorithms[name])) >= 10


def test_config_toml_is_complete_and_makes_the_same_run_again(rlenvs, run_of):
    assert rlenvs("train", "tiny.toml", "--name", "first", "--set", "surrogate.high=0.28").code == 0
    assert rlenvs("train", "runs/first/config.toml", "--name", "second").code == 0
    first, second = run_of("first"), run_of("second")
    ((_, _, started), *_) = first.events
    slots = started["algorithm"]
    assert (slots["surrogate"]["high"], slots["surrogate"]["low"]) == (0.28, 0.2), "what was set, and what was not"
    assert json.loads(first.files(6)["state.json"])["slots"] == slots
    assert second.rollouts == first.rollouts
    assert second.metrics == first.metrics
    assert second.files(6) == first.files(6)


@pytest.mark.parametrize(
    ("policy", "changes", "rate"), [("tiny", [], 1e-3), ("tiny", ["learner.lr=1e-5"], 1e-5), ("warm", [], 1e-6)]
)
def test_a_warm_start_of_fresh_weights_has_a_rate_at_which_they_learn(rlenvs, run_of, warm, policy, changes, rate):
    tiny = "tiny:hidden=32,layers=2,heads=2,mlp=64,context=256"
    config = (
        Path("tiny.toml")
        .read_text()
        .replace("lr = 1e-3", "")
        .replace(str(warm), tiny if policy == "tiny" else str(warm))
    )
    Path("plain.toml").write_text(config)
    sets = [word for change in ["steps=2", *changes] for word in ("--set", change)]
    assert rlenvs("sft", "plain.toml", "--name", "start", *sets).code == 0
    assert {values["lr"] for values in run_of("start").metrics.values()} == {rate}


def test_demonstrations_have_no_mismatch_with_a_sampler_that_was_not_asked(rlenvs, run_of):
    assert rlenvs("sft", "tiny.toml", "--name", "start", "--steps", 1).code == 0
    assert not [name for name in run_of("start").metrics[1] if name.startswith("mismatch/")]


TOLD = """
    from rlenvs.hooks import hookimpl

    @hookimpl
    def on_evaluation(step, name, metrics):
        print("told", step, name, metrics["pass@1"])
"""


def test_observers_are_told_of_every_held_out_evaluation_as_it_is_recorded(rlenvs, run_of, plugin):
    held_out = ["eval.num_tasks=4", 'eval.env.0.id="test/Digit-v0"', "steps=1"]
    sets = [word for change in held_out for word in ("--set", change)]
    done = rlenvs("train", "tiny.toml", "--name", "run", "--plugin", plugin("told", TOLD), *sets)
    recorded = [f"told {step} {name} {values['pass@1']}" for step, name, values in run_of("run").evals]
    assert len(recorded) == 4, "before and after, sampled and greedy"
    assert sorted(line for line in done.out.splitlines() if line.startswith("told")) == sorted(recorded)


def test_what_people_watch_is_among_the_metrics_of_a_step(rlenvs, run_of):
    assert rlenvs("train", "tiny.toml", "--name", "run", "--steps", 1).code == 0
    metrics = run_of("run").metrics[1]
    assert {
        "reward/mean",
        "accuracy",
        "loss",
        "grad_norm",
        "lr",
        "ratio/kl",
        "mismatch/mean",
        "groups/zero_signal",
    } <= set(metrics)
    assert 0 < metrics["policy/entropy"] < 4.7, "nats per token, of a vocabulary of about a hundred"
