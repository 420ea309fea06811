"""Losses and gradients of the published trainers on fixture F, recorded with their own code (verl, TRL), to 1e-6."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from rlenvs_trainers.batch import Batch
from rlenvs_trainers.objective import Views, objective
from rlenvs_trainers.ratio import Ratio
from rlenvs_trainers.reduce import Mean
from rlenvs_trainers.regularise import KL, estimate_kl
from rlenvs_trainers.surrogate import Clip, Geometric, Soft, TruncatedWeight
from rlenvs_trainers.weights import HighEntropy

DUAL = Clip(low=0.2, high=0.2, cap=3.0)
TOKENS, ROWS = Mean(over="token"), Mean(over="trajectory")
SEQUENCE = Ratio(unit="trajectory")

LOSSES = {
    "clip, dual clip, token-mean": ({"surrogate": DUAL, "reduce": TOKENS}, 0.15325412, 0.12225934),
    "clip, dual clip, seq-mean-token-sum": (
        {"surrogate": DUAL, "reduce": Mean(over="trajectory", inner="sum")},
        0.48530472,
        0.38715458,
    ),
    "clip, dual clip, seq-mean-token-mean": ({"surrogate": DUAL, "reduce": ROWS}, 0.14690784, 0.10456928),
    "clip, dual clip, seq-mean-token-sum-norm": (
        {"surrogate": DUAL, "reduce": Mean(over="batch", inner="sum", constant=5.0)},
        0.58236567,
        0.46458550,
    ),
    "clip, token-mean": ({"surrogate": Clip(), "reduce": TOKENS}, 0.22078982, 0.23806755),
    "TRL grpo": ({"surrogate": Clip(), "reduce": ROWS}, 0.21819551, 0.23964322),
    "TRL dr_grpo": (
        {"surrogate": Clip(), "reduce": Mean(over="trajectory", inner="sum", constant=5.0)},
        0.13983355,
        0.15077611,
    ),
    "DAPO": ({"surrogate": Clip(low=0.2, high=0.28, cap=10.0), "reduce": TOKENS}, 0.21349698, 0.23806755),
    "GSPO": ({"ratio": SEQUENCE, "surrogate": Clip(low=3e-4, high=4e-4), "reduce": ROWS}, 0.13288795, 0.16545574),
    "GSPO with wide bounds": ({"ratio": SEQUENCE, "surrogate": Clip(), "reduce": ROWS}, 0.11757338, 0.17757964),
    "CISPO, verl": ({"surrogate": TruncatedWeight(lowest=0.8, highest=1.2), "reduce": TOKENS}, 0.08213282, 0.16704692),
    "CISPO, TRL": ({"surrogate": TruncatedWeight(lowest=0.0, highest=5.0), "reduce": TOKENS}, 0.13300694, 0.25899187),
    "SAPO": ({"surrogate": Soft(), "reduce": ROWS}, 0.07965900, 0.15225095),
    "GMPO": ({"surrogate": Geometric(low=0.4, high=0.4), "reduce": ROWS}, 0.12083851, 0.17193511),
    "TRL grpo with KL": (
        {"surrogate": Clip(), "reduce": ROWS, "regularise": (KL(coefficient=0.04, estimator="k3"),)},
        0.22331342,
        0.24217311,
    ),
}


@pytest.mark.parametrize("name", LOSSES)
def test_a_published_loss_and_the_norm_of_its_gradient_are_reproduced(name, fixture_f, made_of):
    slots, expected, expected_norm = LOSSES[name]
    value, gradient_N = fixture_f.loss(made_of(**slots))
    assert value == pytest.approx(expected, abs=1e-6)
    assert np.linalg.norm(gradient_N) == pytest.approx(expected_norm, abs=1e-6)


@pytest.mark.parametrize(("normalise_by", "expected"), [("selected", 0.39393274), ("all", 0.08293321)])
def test_the_loss_on_the_most_uncertain_fifth_of_the_tokens(normalise_by, expected, fixture_f, made_of):
    rule = HighEntropy(share=0.2, normalise_by=normalise_by)
    value, gradient_N = fixture_f.loss(made_of(surrogate=DUAL, reduce=TOKENS, weights=(rule,)))
    assert value == pytest.approx(expected, abs=1e-6)
    chosen = {(2, 2), (2, 3), (3, 1), (4, 0)}
    assert {fixture_f.tokens[index] for index in np.flatnonzero(gradient_N)} <= chosen


def test_the_most_uncertain_tokens_are_the_four_with_the_highest_entropy(fixture_f):
    leaf_N = torch.from_numpy(fixture_f.logprobs_N)
    mask_N, _ = HighEntropy(share=0.2, normalise_by="all")(fixture_f.view(leaf_N), leaf_N)
    assert [fixture_f.tokens[index] for index in np.flatnonzero(mask_N)] == [(2, 2), (2, 3), (3, 1), (4, 0)]


def test_dr_grpo_with_undivided_advantages(fixture_f, made_of):
    advantage_N = np.array([0.5, -0.5, -0.5, 0.5, 0.0, 0.0])[fixture_f.batch.trajectory_N]
    batch = replace(fixture_f.batch, advantage_N=advantage_N)
    by_length = made_of(surrogate=DUAL, reduce=Mean(over="batch", inner="sum", constant=5.0))
    by_row_and_length = made_of(surrogate=DUAL, reduce=Mean(over="trajectory", inner="sum", constant=5.0))
    assert fixture_f.loss(by_length, batch)[0] == pytest.approx(0.33622956, abs=1e-6)
    assert fixture_f.loss(by_row_and_length, batch)[0] == pytest.approx(0.05603826, abs=1e-6)


def test_the_sequence_ratio_is_the_geometric_mean_of_its_tokens(fixture_f):
    view = fixture_f.view(torch.from_numpy(fixture_f.logprobs_N))
    ratio_N = SEQUENCE(view, credit_unit="trajectory").exp().numpy()
    first = np.unique(fixture_f.batch.trajectory_N, return_index=True)[1]
    expected = [0.786628, 1.568312, 0.893597, 0.860708, 1.038212, 1.568312]
    np.testing.assert_allclose(ratio_N[first], expected, atol=1e-6)


@pytest.mark.parametrize(("estimator", "expected"), [("k1", -0.00473684), ("k2", 0.14047105), ("k3", 0.12579709)])
def test_the_kl_estimators_averaged_over_tokens(estimator, expected, fixture_f):
    reference_N = torch.from_numpy(fixture_f.batch.constants["reference"])
    estimate_N = estimate_kl(torch.from_numpy(fixture_f.logprobs_N), reference_N, estimator)
    assert float(estimate_N.mean()) == pytest.approx(expected, abs=1e-6)


def test_the_straight_through_estimator_has_the_value_of_k3_and_the_gradient_of_k2(fixture_f):
    reference_N = torch.from_numpy(fixture_f.batch.constants["reference"])
    leaf_N = torch.from_numpy(fixture_f.logprobs_N).requires_grad_()
    estimate = estimate_kl(leaf_N, reference_N, "k3+").mean()
    estimate.backward()
    assert float(estimate) == pytest.approx(0.12579709, abs=1e-6)
    np.testing.assert_allclose(leaf_N.grad * len(leaf_N), leaf_N.detach() - reference_N, atol=1e-12)


def test_a_token_mean_does_not_depend_on_how_rows_are_cut_into_micro_batches(fixture_f, made_of):
    """The mean of two micro-batches' own token means would be 0.0762."""
    algorithm, views = made_of(surrogate=DUAL, reduce=TOKENS), Views(fixture_f.batch, dtype=torch.float64)
    parts = [fixture_f.batch.take([0, 1, 2]), fixture_f.batch.take([3, 4, 5])]
    assert sum(_part_of_loss(algorithm, views, part, fixture_f) for part in parts) == pytest.approx(
        0.15325412, abs=1e-6
    )


def _part_of_loss(algorithm, views: Views, part: Batch, fixture_f) -> float:
    rows = np.unique(part.trajectory_N)
    logprobs_N = fixture_f.logprobs_N[np.isin(fixture_f.batch.trajectory_N, rows)]
    return float(objective(algorithm, views.of(part, {"logprob": torch.from_numpy(logprobs_N)})).value)
