"""Training teaches: a seeded run on a task of one digit, and the same run with rewards that say nothing."""

from pathlib import Path

import numpy as np
import pytest

SHUFFLED = Path(__file__).parents[2] / "benchmarks" / "shuffled_rewards.py"
RIGHT = 7  # the digit
T_99 = 3.355  # Student's, two-sided 99 %, of the nine other digits: 8 degrees of freedom
SETTINGS = ["steps=80", "learner.lr=1e-3", "rollout.tasks_per_step=4", "rollout.group_size=8", "env.0.kwargs.size=0.0"]
HELD_OUT = ["eval.num_tasks=40", 'eval.env.0.id="test/Digit-v0"', "eval.env.0.kwargs.size=0.0", "eval.samples=5"]


@pytest.fixture
def learn(rlenvs, run_of):
    """Held-out accuracy (sampled, greedy) before and after, and the run."""

    def learned(*arguments, seed=1):
        sets = [word for each in (*SETTINGS, *HELD_OUT, f"seed={seed}") for word in ("--set", each)]
        done = rlenvs("train", "tiny.toml", "--name", "run", *sets, *arguments)
        assert done.code == 0, done
        run = run_of("run")
        return {(step, name.split()[-1]): values["pass@1"] for step, name, values in run.evals}, run

    return learned


def gain_and_noise(run):
    """How much more often the right digit is said in the last ten steps than in the first ten, and by how much chance.

    Where rewards say nothing, the right digit is a digit like the other nine: theirs say how far the same updates and
    the same number of samples carry one by chance. In 99 of 100 such runs the gain is smaller than the noise.
    """

    def shares(steps):
        said = [row.messages[-1]["content"] for step in steps for row in run.rollouts_of(step)]
        return np.array([np.mean([each == str(digit) for each in said]) for digit in range(10)])

    gains = shares(range(71, 81)) - shares(range(1, 11))
    others = np.delete(gains, RIGHT)
    return abs(gains[RIGHT] - others.mean()), T_99 * others.std(ddof=1) * np.sqrt(1 + 1 / 9)


def test_from_rewards_alone_the_policy_learns_which_digit_is_right(learn):
    accuracy, run = learn()
    assert 0.03 < accuracy[0, "sampled"] < 0.2, "one in ten by chance"
    assert accuracy[80, "sampled"] > 0.9
    assert accuracy[80, "greedy"] == 1.0
    first, last = (np.mean([run.metrics[step]["accuracy"] for step in steps]) for steps in (range(1, 6), range(76, 81)))
    assert last - first > 0.7
    gain, noise = gain_and_noise(run)
    assert gain > 3 * noise, "the control below would see it"


def test_from_rewards_shuffled_within_each_group_it_learns_nothing(learn):
    _, run = learn("--plugin", SHUFFLED, "--algorithm", "grpo_shuffled")
    gain, noise = gain_and_noise(run)
    assert gain < noise < 0.25
    assert sum(values["grad_norm"] > 0 for values in run.metrics.values()) > 30, "it was pushed about all the same"


def test_warm_start_imitates_until_the_demonstrations_are_likely(rlenvs, run_of):
    tiny = 'policy="tiny:hidden=32,layers=2,heads=2,mlp=64,context=256"'
    sets = [tiny, "steps=40", "learner.lr=1e-2", "sampling.max_tokens=256"]  # as many as fit: nothing is sampled
    done = rlenvs("sft", "tiny.toml", "--name", "warm", *[word for each in sets for word in ("--set", each)])
    assert done.code == 0, done
    losses = [values["loss"] for values in run_of("warm").metrics.values()]
    assert losses[0] == pytest.approx(np.log(120), rel=0.2), "of about 120 tokens each is as likely"
    assert np.mean(losses[-5:]) == pytest.approx(np.log(10) / 2, abs=0.35), "a digit of ten, and a sure end"
