"""The embedded sampler on the tiny policy."""

import pytest

from rlenvs_trainers.policy import LoadedPolicy
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.samplers.transformers import TransformersSampler


@pytest.fixture
def sampler(tiny_policy: LoadedPolicy, renderer: Renderer) -> TransformersSampler:
    return TransformersSampler(tiny_policy.model, renderer)
