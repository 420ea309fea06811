"""Detached factors of tokens: corrections for the sampler, masks."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from rlenvs_trainers.objective import Views
from rlenvs_trainers.regularise import KL
from rlenvs_trainers.weights import DropDrifted, HighEntropy, Mismatch

from .slopes import CLIPPED, batch_of, slope


def factors(rule, batch, logprobs, old):
    batch = replace(batch, constants={"old": np.array(old)})
    view = Views(batch, dtype=torch.float64).of(batch, {"logprob": torch.tensor(logprobs, dtype=torch.float64)})
    return rule(view, view.logprobs_N - view.old_N)[0].numpy()


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (Mismatch(unit="token", mode="truncate", highest=2.0), [2.0, 0.5, 1.0, 1.2]),
        (Mismatch(unit="token", mode="mask", lowest=0.6, highest=2.0), [0.0, 0.0, 1.0, 1.2]),
        (Mismatch(unit="trajectory", mode="truncate", highest=1.4), [1.4, 1.4, 1.2, 1.2]),
        (Mismatch(unit="trajectory", mode="mask", highest=1.4), [0.0, 0.0, 1.2, 1.2]),
        (Mismatch(unit="trajectory", mode="geometric_mask", lowest=0.9, highest=1.3), [3.0, 0.5, 1.0, 1.2]),
        (Mismatch(unit="trajectory", mode="geometric_mask", lowest=0.9, highest=1.2), [0.0, 0.0, 1.0, 1.2]),
    ],
)
def test_mismatch_weights_by_hand(rule, expected):
    """Two trajectories of two tokens; trainer over sampler is 3, 1/2 in the first, 1, 6/5 in the second."""
    old = np.log([0.3, 0.1, 0.2, 0.24])
    sampler = np.log([0.1, 0.2, 0.2, 0.2])
    batch = batch_of([2, 2], [1, 1], sampler=[list(sampler[:2]), list(sampler[2:])])
    np.testing.assert_allclose(factors(rule, batch, list(old), old), expected, rtol=1e-12)


def test_a_failure_that_the_policy_has_moved_away_from_is_dropped():
    batch = batch_of([2, 2, 2], [-1, 1, -1])
    logprobs = [-1.0, -1.5, -1.0, -1.5, -1.0, -1.1]
    assert factors(DropDrifted(threshold=0.1), batch, logprobs, [-1.0] * 6).tolist() == [0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize(("normalise_by", "expected"), [("selected", [0, 5, 0, 0, 0]), ("all", [0, 1, 0, 0, 0])])
def test_the_entropy_mask_takes_the_first_of_equal_tokens(normalise_by, expected):
    batch = batch_of([2, 3], [1, 1])
    signals = {"logprob": torch.zeros(5), "entropy": torch.tensor([0.1, 0.9, 0.9, 0.3, 0.9])}
    mask, _ = HighEntropy(share=0.2, normalise_by=normalise_by)(Views(batch).of(batch, signals), torch.zeros(5))
    assert mask.tolist() == expected


def test_a_weight_does_not_touch_the_regularisers():
    batch = replace(batch_of([2], [1]), constants={"reference": np.array([-1.5, -1.2])})
    batch = replace(batch, sampler_N=np.array([-9.0, -9.0]))
    masked = replace(CLIPPED, weights=(Mismatch(mode="mask"),), regularise=(KL(coefficient=1.0, estimator="k1"),))
    loss, gradient = slope(masked, batch, [-1.0, -1.0], [-1.0, -1.0])
    assert loss.terms == pytest.approx({"surrogate": 0.0, "kl": 0.35})
    np.testing.assert_allclose(gradient, [0.5, 0.5])
