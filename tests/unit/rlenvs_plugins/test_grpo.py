from dataclasses import replace

import numpy as np
import torch

from rlenvs.plugins import load
from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.algorithm import Progress
from rlenvs_trainers.batch import pack
from rlenvs_trainers.checks import check_algorithm
from rlenvs_trainers.config import LearnerConfig
from rlenvs_trainers.credit import GroupRelative
from rlenvs_trainers.learner import Learner
from rlenvs_trainers.records import Group
from rlenvs_trainers.reduce import Mean
from rlenvs_trainers.reference import random_model
from rlenvs_trainers.surrogate import Clip
from rlenvs_trainers.synthetic import completion, trajectory

PROMPTS = [(1, 2, 3), (4, 5)]
CONFIG = LearnerConfig(device="cpu", lr=3e-3)  # of both: what learns from rewards, and what has them shuffled
GOOD = 7  # the answer that is rewarded, whatever the prompt


def test_it_is_found_by_its_entry_point():
    assert load().algorithms["grpo"] == GRPO


def test_its_options_are_the_papers():
    assert GRPO.credit == GroupRelative(scale="group", baseline="mean", eps=1e-6)
    assert GRPO.surrogate == Clip(low=0.2, high=0.2, cap=None)
    assert GRPO.reduce == Mean(over="trajectory", inner="mean")
    assert GRPO.updates == (1, 1)
    assert GRPO.needs == frozenset()  # with a KL coefficient of 0 no reference is computed


def test_it_keeps_every_promise():
    check_algorithm(GRPO)


def sampled(learner, rng, attempts=32):
    """One token per attempt, drawn from the model's own distribution; half of its mass is lost on other answers."""
    groups = []
    for number, prompt in enumerate(PROMPTS):
        with torch.no_grad():
            logprobs = learner.policy.model(torch.tensor([prompt])).logits[0, -1].double().log_softmax(-1).numpy()
        ids = rng.choice(len(logprobs), size=attempts, p=np.exp(logprobs) / np.exp(logprobs).sum())
        one_each = [
            trajectory(
                [(prompt, completion([int(i)], logprobs=[logprobs[i]]))], float(i == GOOD), task=str(number), attempt=a
            )
            for a, i in enumerate(ids)
        ]
        groups.append(Group(trajectories=tuple(one_each)))
    return groups


def chance(learner):
    with torch.no_grad():
        return [float(learner.policy.model(torch.tensor([p])).logits[0, -1].softmax(-1)[GOOD]) for p in PROMPTS]


def test_a_rare_right_answer_becomes_the_usual_one():
    rng = np.random.default_rng(0)
    learner = Learner(random_model(16, dtype=torch.float32), CONFIG, GRPO)
    before = chance(learner)
    for _ in range(40):
        groups = sampled(learner, rng)
        metrics = learner.update(pack(groups, GRPO.credit(groups, Progress(step=0, num_steps=40))))
        assert metrics.get("mismatch/max", 0.0) < 1e-4
    assert max(before) < 0.3
    assert min(chance(learner)) > 0.9


def test_shuffled_rewards_teach_nothing():
    """The same, with every reward given to another attempt of its group: the answer becomes no likelier."""
    rng = np.random.default_rng(0)
    learner = Learner(random_model(16, dtype=torch.float32), CONFIG, GRPO)
    before = chance(learner)
    for _ in range(40):
        groups = [shuffled(group, rng) for group in sampled(learner, rng)]
        learner.update(pack(groups, GRPO.credit(groups, Progress(step=0, num_steps=40))))
    assert max(chance(learner)) < max(before) + 0.2


def shuffled(group, rng):
    order = rng.permutation(len(group.trajectories))
    donors = [group.trajectories[index] for index in order]
    return Group(
        trajectories=tuple(
            replace(one, rewards=donor.rewards, verdict=donor.verdict)
            for one, donor in zip(group.trajectories, donors, strict=True)
        )
    )
