"""Learners of a model of two small layers, and batches for them."""

from dataclasses import replace

import numpy as np
import torch

from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.algorithm import Progress
from rlenvs_trainers.batch import pack
from rlenvs_trainers.config import LearnerConfig
from rlenvs_trainers.learner import Learner
from rlenvs_trainers.reference import random_model

VOCABULARY = 64
NOW = Progress(step=0, num_steps=1)


def model(dtype=torch.float32):
    return random_model(VOCABULARY, dtype=dtype)


def learner(algorithm=GRPO, *, dtype=torch.float32, temperature=1.0, num_steps=10, **options):
    defaults = {"device": "cpu", "tokens_per_microbatch": 100, "lr": 1e-2}
    return Learner(
        model(dtype), LearnerConfig(**{**defaults, **options}), algorithm, temperature=temperature, num_steps=num_steps
    )


def packed(groups, algorithm=GRPO):
    return pack(groups, algorithm.credit(groups, NOW))


def flat(gradient):
    return torch.cat([value.flatten() for value in gradient.values()])


def moved(batch, by=0.2):
    """As if the policy had gone some way since it wrote the tokens."""
    rng = np.random.default_rng(3)
    return replace(batch, constants={"old": batch.sampler_N + by * rng.standard_normal(len(batch))})
