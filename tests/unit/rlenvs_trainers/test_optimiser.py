"""The rate of every step, and what moves the weights beside the gradient."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from rlenvs_trainers.synthetic import group

from .learning import flat, learner, packed


@pytest.mark.parametrize("schedule", ["constant", "linear", "cosine"])
def test_warm_up_and_schedule_give_the_rate_of_every_step(schedule):
    ours = learner(schedule=schedule, warmup_steps=2, num_steps=6, lr=1.0)
    rates = []
    for _ in range(6):
        rates.append(ours.optimiser.lr)
        ours.optimiser.steps += 1
    expected = {
        "constant": [0.5, 1, 1, 1, 1, 1],
        "linear": [0.5, 1, 1, 0.75, 0.5, 0.25],
        "cosine": [0.5, 1, 1, 0.853553, 0.5, 0.146447],
    }
    np.testing.assert_allclose(rates, expected[schedule], atol=1e-6)


def test_weight_decay_shrinks_matrices_and_leaves_norms_alone():
    ours = learner(weight_decay=0.5, lr=0.1)
    before = {name: tensor.clone() for name, tensor in ours.weights().items()}
    ours.update(packed([group([1.0, 1.0])]))
    after = ours.weights()
    torch.testing.assert_close(after["model.norm.weight"], before["model.norm.weight"], rtol=0, atol=0)
    torch.testing.assert_close(after["lm_head.weight"], before["lm_head.weight"] * 0.95, rtol=1e-6, atol=0)


def test_the_weights_are_moved_by_the_rate_of_their_step():
    """A gradient of 0 leaves nothing but the decay: each step multiplies a matrix by 1 - rate x decay."""
    ours = learner(weight_decay=0.5, lr=0.2, schedule="linear", warmup_steps=1, num_steps=3)
    before = ours.weights()["lm_head.weight"].clone()
    for _ in range(3):
        ours.update(packed([group([1.0, 1.0])]))
    left = (1 - 0.2 * 0.5) * (1 - 0.2 * 0.5) * (1 - 0.1 * 0.5)  # the warm-up's one step has the whole rate
    torch.testing.assert_close(ours.weights()["lm_head.weight"], before * left, rtol=1e-5, atol=0)


def test_a_step_without_a_signal_goes_on_with_its_momentum():
    """As it would if the zero gradient had been computed."""
    signal, none = packed([group([1.0, 0.0])]), packed([group([1.0, 1.0])])
    signal = replace(signal, advantage_N=np.where(np.arange(6) == 1, 1.0, 0.0))
    ours = learner()
    ours.update(signal)
    before = flat(ours.weights()).clone()
    metrics = ours.update(none)
    assert metrics["grad_norm"] == 0.0
    assert float((flat(ours.weights()) - before).norm()) > 0


def test_the_gradient_is_clipped_to_the_norm_that_was_set(batch):
    """The first AdamW step has the size of the rate whatever the gradient: the moments show that it was clipped."""
    ours = learner(max_grad_norm=1e-3)
    metrics = ours.update(batch)
    assert metrics["grad_norm"] > 0.1
    moments = torch.cat([v.flatten() for k, v in ours.optimiser.tensors().items() if k.endswith("/exp_avg")])
    assert float(moments.norm()) == pytest.approx(0.1 * 1e-3, rel=1e-3)
