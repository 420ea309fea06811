"""Laws of ratios, means and cuts, for any lengths, weights and advantages."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.batch import Batch, Sample
from rlenvs_trainers.objective import Views, objective
from rlenvs_trainers.ratio import Ratio
from rlenvs_trainers.reduce import Mean

MEANS = [
    Mean(over=over, inner=inner, constant=constant)
    for over in ("token", "action", "trajectory", "batch")
    for inner in ("mean", "sum")
    for constant in (None, 7.0)
    if (over, inner) != ("batch", "mean")
]


@st.composite
def batches(draw):
    """One to five trajectories of one to three samples, each one or two actions of one to six tokens."""
    shape = draw(
        st.lists(
            st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=2), min_size=1, max_size=3),
            min_size=1,
            max_size=5,
        )
    )
    tokens = [
        (t, s, a)
        for t, samples in enumerate(shape)
        for s, acts in enumerate(samples)
        for a, n in enumerate(acts)
        for _ in range(n)
    ]
    samples = list(dict.fromkeys((t, s) for t, s, _ in tokens))
    actions = list(dict.fromkeys(tokens))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    trajectory_N = np.array([t for t, _, _ in tokens])
    n = len(tokens)
    return Batch(
        samples=tuple(
            Sample.of([0], range(tokens_of))
            for tokens_of in (sum(1 for t, s, _ in tokens if (t, s) == key) for key in samples)
        ),
        sampler_N=np.zeros(n),
        advantage_N=rng.standard_normal(n),
        weight_N=rng.uniform(0.1, 2.0, n) if draw(st.booleans()) else np.ones(n),
        sample_N=np.array([samples.index((t, s)) for t, s, _ in tokens]),
        action_N=np.array([actions.index(key) for key in tokens]),
        trajectory_N=trajectory_N,
        group_N=trajectory_N,
        constants={"old": -rng.gamma(2.0, 0.5, n), "logprob": -rng.gamma(2.0, 0.5, n)},
    )


def view_of(views, part):
    return views.of(part, {"logprob": torch.from_numpy(part.constants["logprob"].copy()).requires_grad_()})


def loop_mean(mean, batch, values):
    """The mean as its docstring says it, with loops."""
    weights, total = batch.weight_N, 0.0
    if mean.over == "token":
        return sum(w * x for w, x in zip(weights, values, strict=True)) / sum(weights) / (mean.constant or 1.0)
    ids = np.zeros(len(batch), dtype=int) if mean.over == "batch" else batch.segment_ids(mean.over)
    for unit in set(ids.tolist()):
        inside = [i for i in range(len(ids)) if ids[i] == unit]
        value = sum(weights[i] * values[i] for i in inside)
        total += value / sum(weights[i] for i in inside) if mean.inner == "mean" else value
    return total / len(set(ids.tolist())) / (mean.constant or 1.0)


@given(batch=batches())
@settings(max_examples=25)
@pytest.mark.parametrize("mean", MEANS, ids=repr)
def test_a_mean_is_what_a_loop_over_units_gives(mean, batch):
    view = view_of(Views(batch, dtype=torch.float64), batch)
    got = mean(view.advantage_N, view)
    assert float(got) == pytest.approx(loop_mean(mean, batch, batch.advantage_N), rel=1e-9, abs=1e-12)


@given(batch=batches(), unit=st.sampled_from(["token", "action", "trajectory"]), power=st.sampled_from([0.0, 0.5, 1.0]))
@settings(max_examples=40)
def test_a_ratio_is_what_a_loop_over_units_gives(batch, unit, power):
    rule = Ratio(unit=unit, length_power=1.0 if unit == "token" else power)
    view = view_of(Views(batch, dtype=torch.float64), batch)
    got = rule(view, unit).detach().numpy()
    z = batch.constants["logprob"] - batch.constants["old"]
    ids, weights = batch.segment_ids(unit), batch.weight_N
    for i in range(len(batch)):
        inside = [j for j in range(len(batch)) if ids[j] == ids[i]]
        length = sum(weights[j] for j in inside)
        expected = z[i] if unit == "token" else sum(weights[j] * z[j] for j in inside) / length**power
        assert got[i] == pytest.approx(float(np.clip(expected, -20, 20)), rel=1e-9, abs=1e-9)


@given(batch=batches(), mean=st.sampled_from(MEANS), seed=st.integers(0, 1000))
@settings(max_examples=40)
@pytest.mark.parametrize("unit", ["token", "action", "trajectory"])
def test_parts_of_whole_trajectories_add_up_to_the_loss_and_its_gradient(unit, batch, mean, seed):
    algorithm = replace(GRPO, ratio=Ratio(unit=unit), reduce=mean, updates=(1, 2))
    views = Views(batch, dtype=torch.float64)
    whole = view_of(views, batch)
    loss = objective(algorithm, whole)
    loss.value.backward()
    owners = batch.owners(batch.trajectory_N)
    halves = np.random.default_rng(seed).integers(0, 2, owners.max() + 1)[owners]
    value, gradient = 0.0, np.zeros(len(batch))
    for half in (0, 1):
        indices = np.flatnonzero(halves == half)
        if len(indices):
            view = view_of(views, batch.take(indices))
            part = objective(algorithm, view)
            part.value.backward()
            value += float(part.value.detach())
            gradient[batch.tokens_of(indices)] = view.logprobs_N.grad.numpy()
    assert value == pytest.approx(float(loss.value.detach()), rel=1e-9, abs=1e-12)
    np.testing.assert_allclose(gradient, whole.logprobs_N.grad.numpy(), rtol=1e-9, atol=1e-12)


@given(batch=batches(), scale=st.floats(0.1, 10))
@settings(max_examples=40)
def test_means_of_units_do_not_change_when_all_weights_are_scaled(batch, scale):
    scaled = replace(batch, weight_N=batch.weight_N * scale)
    for mean in (Mean(over="token"), Mean(over="action"), Mean(over="trajectory")):
        values = [
            float(mean(view.advantage_N, view))
            for view in (view_of(Views(b, dtype=torch.float64), b) for b in (batch, scaled))
        ]
        assert values[0] == pytest.approx(values[1], rel=1e-9, abs=1e-12)
