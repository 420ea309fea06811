"""A tiny policy that several test modules share (two layers, width 64), and a batch in which everything happens."""

from dataclasses import replace

import numpy as np
import pytest

from rlenvs_trainers.batch import Batch
from rlenvs_trainers.policy import LoadedPolicy, load_policy
from rlenvs_trainers.records import Group
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.synthetic import varied_groups

from .learning import VOCABULARY, learner, packed

TINY = "tiny:hidden=64,layers=2,heads=2,mlp=128,context=256"


@pytest.fixture(scope="session")
def tiny_policy() -> LoadedPolicy:
    return load_policy(TINY, seed=3)


@pytest.fixture(scope="session")
def renderer(tiny_policy: LoadedPolicy) -> Renderer:
    return Renderer(tiny_policy.tokenizer, eos_ids=tiny_policy.eos_ids)


@pytest.fixture(scope="session")
def groups() -> list[Group]:
    return varied_groups(np.random.default_rng(0), vocabulary=VOCABULARY)


@pytest.fixture(scope="session")
def batch(groups: list[Group]) -> Batch:
    return packed(groups)


@pytest.fixture(scope="session")
def on_policy(batch: Batch) -> Batch:
    """The same tokens with the log-probabilities that the untouched model gives them."""
    said = learner().logprobs(batch.samples)
    return replace(batch, sampler_N=np.concatenate(said))
