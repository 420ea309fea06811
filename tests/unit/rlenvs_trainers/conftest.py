"""A tiny policy that several test modules share: two layers, width 64."""

import pytest

from rlenvs_trainers.policy import LoadedPolicy, load_policy
from rlenvs_trainers.render import Renderer

TINY = "tiny:hidden=64,layers=2,heads=2,mlp=128,context=256"


@pytest.fixture(scope="session")
def tiny_policy() -> LoadedPolicy:
    return load_policy(TINY, seed=3)


@pytest.fixture(scope="session")
def renderer(tiny_policy: LoadedPolicy) -> Renderer:
    return Renderer(tiny_policy.tokenizer, eos_ids=tiny_policy.eos_ids)
