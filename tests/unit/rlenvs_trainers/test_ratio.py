"""Ratios of actions and trajectories, and what they do to the gradient of their tokens."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from rlenvs_trainers.objective import Views
from rlenvs_trainers.ratio import Ratio
from rlenvs_trainers.reduce import Mean
from rlenvs_trainers.surrogate import Clip

from .slopes import CLIPPED, FinerCredit, batch_of, slope


def test_where_advantages_differ_inside_of_a_unit_every_token_has_its_own_gradient():
    """With one broadcast ratio all four tokens of the trajectory would get the same."""
    batch = replace(batch_of([4], [0]), advantage_N=np.array([1.0, -2.0, 3.0, 0.0]))
    finer = replace(CLIPPED, credit=FinerCredit(unit="token"), ratio=Ratio(unit="trajectory"))
    algorithm = replace(finer, surrogate=Clip(low=0.9, high=0.9))
    _, gradient = slope(algorithm, batch, [-1.0, -1.2, -0.8, -1.0], [-1.1] * 4)
    ratio = np.exp(0.1)
    np.testing.assert_allclose(gradient, -ratio * np.array([1.0, -2.0, 3.0, 0.0]) / 4, rtol=1e-12)


def test_gspo_token_equals_gspo_where_the_advantage_is_the_trajectorys():
    batch = batch_of([2, 3], [1, -0.5])
    logprobs, old = [-1.0, -1.2, -0.8, -1.0, -1.3], [-1.1, -1.0, -1.0, -1.0, -1.0]
    gspo = replace(CLIPPED, ratio=Ratio(unit="trajectory"))
    per_token = replace(gspo, credit=FinerCredit(unit="token"))
    (one, g_one), (other, g_other) = (slope(algorithm, batch, logprobs, old) for algorithm in (gspo, per_token))
    assert float(one.value.detach()) == pytest.approx(float(other.value.detach()), abs=1e-12)
    np.testing.assert_allclose(g_one, g_other, atol=1e-12)


# CAPO, arXiv:2604.18401: five actions of two trajectories.
Z = [[0.2, -0.1], [0.1, 0.3, -0.2, 0.2], [0.5], [-0.3, 0.1, 0.05], [0.0, -0.4]]
WHITENED = [1.076843, 0.700047, 0.304220, -1.255362, -0.825748]


def capo_batch():
    owners = [0, 0, 0, 1, 1]
    batch = batch_of([len(z) for z in Z], WHITENED)
    return replace(batch, action_N=batch.trajectory_N, trajectory_N=np.array(owners)[batch.trajectory_N])


def test_the_length_calibrated_ratio_of_actions():
    batch = capo_batch()
    logprobs = torch.tensor(np.concatenate(Z) - 2.0)
    batch = replace(batch, constants={"old": np.full(len(batch), -2.0)})
    view = Views(batch, dtype=torch.float64).of(batch, {"logprob": logprobs})
    first = np.unique(batch.action_N, return_index=True)[1]
    calibrated = Ratio(unit="action", length_power=0.5, centre=True)(view, "action")
    np.testing.assert_allclose(calibrated[first], [0.0551777, 0.1625, 0.5, -0.1140545, -0.2983757], atol=1e-7)
    uncentred = Ratio(unit="action", length_power=0.5)(view, "action")
    sums, lengths = [0.1, 0.4, 0.5, -0.15, -0.4], [2, 4, 1, 3, 2]
    np.testing.assert_allclose(uncentred[first], np.array(sums) / np.sqrt(lengths), atol=1e-12)
    for centre in (True, False):
        geometric = Ratio(unit="action", length_power=1.0, centre=centre)(view, "action").exp()
        np.testing.assert_allclose(geometric[first], [1.051271, 1.105171, 1.648721, 0.951229, 0.818731], atol=1e-6)


@pytest.mark.parametrize(("epsilon", "expected"), [(1e-3, -0.00083244), (0.2, -0.10918389)])
def test_the_clipped_loss_over_actions(epsilon, expected):
    ratio = Ratio(unit="action", length_power=0.5, centre=True)
    algorithm = replace(CLIPPED, ratio=ratio, surrogate=Clip(low=epsilon, high=epsilon), reduce=Mean(over="action"))
    loss, _ = slope(algorithm, capo_batch(), np.concatenate(Z) - 2.0, [-2.0] * 12)
    assert float(loss.value.detach()) == pytest.approx(expected, abs=1e-6)


def test_a_calibrated_ratio_moves_every_token_by_its_share_of_the_action():
    wide = Clip(low=0.9, high=0.9)
    ratio = Ratio(unit="action", length_power=0.5)
    algorithm = replace(CLIPPED, ratio=ratio, surrogate=wide, reduce=Mean(over="action"), credit=FinerCredit("action"))
    _, gradient = slope(algorithm, capo_batch(), np.concatenate(Z) - 2.0, [-2.0] * 12)
    lengths = np.array([len(z) for z in Z])
    w = np.exp(np.array([sum(z) for z in Z]) / np.sqrt(lengths))
    expected = -np.array(WHITENED) * w / np.sqrt(lengths) / 5  # one of five actions
    np.testing.assert_allclose(gradient, np.repeat(expected, lengths), rtol=1e-9)


def test_the_calibrated_ratio_varies_as_much_for_long_actions_as_for_short_ones():
    rng = np.random.default_rng(0)
    for power, growth in ((0.5, 1.0), (0.0, 64.0), (1.0, 1 / 64)):
        variances = []
        for length in (4, 256):
            batch = batch_of([length] * 400, [1.0] * 400)
            logprobs = torch.from_numpy(0.01 * rng.standard_normal(len(batch)) - 2.0)
            batch = replace(batch, constants={"old": np.full(len(batch), -2.0)})
            view = Views(batch, dtype=torch.float64).of(batch, {"logprob": logprobs})
            log_w = Ratio(unit="action", length_power=power, centre=True)(view, "action").numpy()
            variances.append(log_w[::length].var())
        assert variances[1] / variances[0] == pytest.approx(growth, rel=0.3)
