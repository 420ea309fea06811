"""What is saved of a learner and restored."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.learner import LearnerState
from rlenvs_trainers.regularise import KL

from .critics import CRITIC
from .learning import learner


@pytest.mark.parametrize("slots", [{}, {"updates": (2, 2), "regularise": (KL(coefficient=0.1),)}, {"critic": True}])
def test_r20_a_learner_that_was_saved_and_restored_goes_on_to_the_bit(slots, batch, tmp_path):
    from safetensors.torch import load_file, save_file

    if "critic" in slots:
        algorithm = CRITIC
        batch = replace(batch, constants={"returns": np.sign(batch.advantage_N), "old_value": batch.sampler_N})
    else:
        algorithm = replace(GRPO, **slots)
    ours = learner(algorithm, schedule="cosine")
    ours.update(batch)
    state = ours.state_dict()
    save_file(state.tensors, tmp_path / "state.safetensors")
    weights = {name: tensor.clone() for name, tensor in ours.weights().items()}
    metadata = json.loads(json.dumps(state.metadata))
    expected = ours.update(batch)

    again = learner(algorithm, schedule="cosine")
    again.policy.model.load_state_dict(weights)
    again.load_state_dict(LearnerState(tensors=load_file(tmp_path / "state.safetensors"), metadata=metadata))
    assert again.update(batch) == expected
    torch.testing.assert_close(again.weights(), ours.weights(), rtol=0, atol=0)
    torch.testing.assert_close(again.state_dict().tensors, ours.state_dict().tensors, rtol=0, atol=0)


def test_a_state_of_another_model_is_refused():
    tensors = {"optimiser.model.stranger/exp_avg": torch.zeros(1)}
    state = LearnerState(tensors=tensors, metadata={"version": 1, "optimiser_steps": 1})
    with pytest.raises(ValueError, match="is of another model"):
        learner().load_state_dict(state)


def test_a_state_without_the_reference_that_the_algorithm_needs_is_refused():
    with pytest.raises(ValueError, match="needs a reference, and the state holds none"):
        learner(replace(GRPO, regularise=(KL(coefficient=0.1),))).load_state_dict(learner().state_dict())
