"""Training teaches: a seeded run on a task of one digit, and the same run with rewards that say nothing."""

import numpy as np
import pytest

SHUFFLED = """
    from dataclasses import dataclass, replace

    import numpy as np

    from rlenvs.hooks import hookimpl
    from rlenvs_plugins.grpo import GRPO
    from rlenvs_trainers.credit import GroupRelative
    from rlenvs_trainers.records import Group

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Shuffled(GroupRelative):
        def __call__(self, groups, progress):
            rng = np.random.default_rng(progress.step)
            return GroupRelative.__call__(self, [shuffled(each, rng) for each in groups], progress)

    def shuffled(group, rng):
        '''The same rewards, each on some sibling's attempt.'''
        order = rng.permutation(len(group.trajectories))
        rewards = [group.trajectories[place].rewards for place in order]
        pairs = zip(group.trajectories, rewards)
        return Group(trajectories=tuple(replace(each, rewards=given) for each, given in pairs))

    @hookimpl
    def register_algorithms(register):
        register(replace(GRPO, name="shuffled", credit=Shuffled()))
"""
SETTINGS = ["steps=60", "learner.lr=2e-3", "rollout.tasks_per_step=4", "rollout.group_size=8", "env.0.kwargs.size=0.0"]
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


def test_from_rewards_alone_the_policy_learns_which_digit_is_right(learn):
    accuracy, run = learn()
    assert 0.03 < accuracy[0, "sampled"] < 0.2, "one in ten by chance"
    assert accuracy[60, "sampled"] > 0.9
    assert accuracy[60, "greedy"] == 1.0
    first, last = (np.mean([run.metrics[step]["accuracy"] for step in steps]) for steps in (range(1, 6), range(56, 61)))
    assert last - first > 0.7


def test_from_rewards_shuffled_within_each_group_it_learns_nothing(learn, plugin):
    accuracy, run = learn("--plugin", plugin("shuffled", SHUFFLED), "--algorithm", "shuffled")
    assert abs(accuracy[60, "sampled"] - accuracy[0, "sampled"]) < 0.25
    assert sum(values["grad_norm"] > 0 for values in run.metrics.values()) > 30, "it was pushed about all the same"


def test_warm_start_imitates_until_the_demonstrations_are_likely(rlenvs, run_of):
    sets = ['policy="tiny:hidden=32,layers=2,heads=2,mlp=64,context=256"', "steps=40", "learner.lr=1e-2"]
    done = rlenvs("sft", "tiny.toml", "--name", "warm", *[word for each in sets for word in ("--set", each)])
    assert done.code == 0, done
    losses = [values["loss"] for values in run_of("warm").metrics.values()]
    assert losses[0] == pytest.approx(np.log(120), rel=0.2), "of about 120 tokens each is as likely"
    assert np.mean(losses[-5:]) == pytest.approx(np.log(10) / 2, abs=0.35), "a digit of ten, and a sure end"
