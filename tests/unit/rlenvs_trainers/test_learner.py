"""Updates: what they see and change, what stops them, and what a learner refuses."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from rlenvs.errors import RlenvsError
from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers import learner as learner_module
from rlenvs_trainers.batch import Sample, split
from rlenvs_trainers.objective import NonFiniteError
from rlenvs_trainers.ratio import Ratio
from rlenvs_trainers.records import Group
from rlenvs_trainers.regularise import KL
from rlenvs_trainers.surrogate import Clip
from rlenvs_trainers.synthetic import group, trajectory

from .learning import learner, model, packed


def test_an_update_makes_good_actions_likelier_and_bad_ones_less_likely():
    good, bad = (Sample.of((1, 2), ids) for ids in ((3, 4, 5), (6, 7, 8)))
    attempts = [
        trajectory([((1, 2), ids)], r, attempt=i) for i, (ids, r) in enumerate([((3, 4, 5), 1.0), ((6, 7, 8), 0.0)])
    ]
    ours = learner(lr=1e-3)
    before = [values.sum() for values in ours.logprobs([good, bad])]
    ours.update(packed([Group(trajectories=tuple(attempts))]))
    after = [values.sum() for values in ours.logprobs([good, bad])]
    assert after[0] > before[0]
    assert after[1] < before[1]


def test_nothing_to_train_on_changes_nothing():
    ours = learner()
    before = {name: tensor.clone() for name, tensor in ours.weights().items()}
    metrics = ours.update(packed([group([None, None])]))
    assert ours.version == 0
    assert metrics["tokens/trained"] == 0.0
    assert metrics["learner/optimiser_steps"] == 0.0
    torch.testing.assert_close(ours.weights(), before, rtol=0, atol=0)


def test_r08_a_sequence_ratio_of_one_gives_a_loss_of_zero_for_opposite_advantages():
    attempts = [trajectory([((1,), range(2, 2 + n))], float(i), attempt=i) for i, n in enumerate((2, 10))]
    batch = packed([Group(trajectories=tuple(attempts))])
    metrics = learner(replace(GRPO, ratio=Ratio(unit="trajectory"))).update(batch)
    assert metrics["loss"] == pytest.approx(0.0, abs=1e-7)


@pytest.mark.parametrize("temperature", [0.6, 1.0, 1.7])
def test_r13_on_policy_ratios_are_one_at_any_temperature(temperature, batch):
    """The sampler's log-probabilities are of logits divided by the temperature, made here without the learner."""
    said = [_tempered(model(), sample, temperature) for sample in batch.samples]
    fresh = replace(batch, sampler_N=np.concatenate(said))
    metrics = learner(replace(GRPO, old="sampler"), temperature=temperature).update(fresh)
    assert metrics["ratio/max"] == pytest.approx(1.0, abs=1e-4)
    assert metrics["mismatch/max"] < 1e-4
    assert metrics["mismatch/ess"] == pytest.approx(1.0, abs=1e-6)
    assert learner(replace(GRPO, old="sampler"), temperature=2.5).update(fresh)["ratio/max"] > 1.2


def _tempered(model, sample, temperature):
    with torch.no_grad():
        logits = model(torch.from_numpy(sample.ids)[None]).logits[0, sample.positions - 1]
    logprobs = (logits / temperature).log_softmax(-1).gather(1, torch.from_numpy(sample.targets)[:, None])
    return logprobs[:, 0].double().numpy()


def test_r15_only_a_later_update_can_clip(on_policy):
    options = {"lr": 0.1, "max_grad_norm": 0.0}
    once = learner(replace(GRPO, updates=(1, 1)), **options).update(on_policy)
    twice = learner(replace(GRPO, updates=(2, 1)), **options).update(on_policy)
    assert once["ratio/max"] == 1.0
    assert once["clip/low"] == once["clip/high"] == 0.0
    assert twice["ratio/max"] > 1.2
    assert twice["clip/low"] + twice["clip/high"] > 0.0


def test_the_old_log_probabilities_are_those_from_before_the_first_update(on_policy):
    """Two epochs at a small rate see almost the same policy. Were the old ones taken anew, the ratio would be 1."""
    tiny = learner(replace(GRPO, updates=(2, 1)), lr=1e-4).update(on_policy)
    assert 1.0 + 1e-6 < tiny["ratio/max"] < 1.2


@pytest.mark.parametrize(("updates", "expected"), [((1, 1), 1), ((2, 1), 2), ((1, 3), 3), ((2, 3), 6), ((1, 9), 4)])
def test_epochs_and_minibatches_are_optimiser_steps_and_one_version(updates, expected, batch):
    ours = learner(replace(GRPO, updates=updates))
    metrics = ours.update(packed([group([1.0, 0.0, 1.0, 0.0])]) if updates == (1, 9) else batch)
    assert metrics["learner/optimiser_steps"] == expected
    assert ours.version == 1


def test_every_epoch_has_an_order_of_its_own_and_every_update_its_own_again(monkeypatch, batch):
    seen = []

    def noted(step, minibatches, rng):
        parts = split(step, minibatches, rng)
        seen.append([part.labels[int(part.trajectory_N[0])] for part in parts])
        return parts

    monkeypatch.setattr(learner_module, "split", noted)
    one, other = (learner(replace(GRPO, updates=(3, 4))) for _ in range(2))
    for each in (one, one, other):
        each.update(batch)
    first, second, again = seen[:3], seen[3:6], seen[6:]
    assert len({tuple(order) for order in (*first, *second)}) >= 5, "two of six may be alike"
    assert again == first


def test_the_reference_is_the_policy_that_training_began_with(batch):
    ours = learner(replace(GRPO, regularise=(KL(coefficient=0.5),)))
    first, second = ours.update(batch), ours.update(batch)
    assert first["kl/mean"] == pytest.approx(0.0, abs=1e-6)
    assert second["kl/mean"] > 1e-4
    assert learner().reference is None


def test_a_gradient_that_is_not_a_number_stops_before_the_weights_change(batch):
    ours = learner()
    weight = ours.policy.model.model.norm.weight
    weight.register_hook(lambda gradient: gradient * float("nan"))
    before = {name: tensor.clone() for name, tensor in ours.weights().items()}
    with pytest.raises(NonFiniteError, match=r"the step was not taken\. Lower learner\.lr, .* among them task task-"):
        ours.update(batch)
    torch.testing.assert_close(ours.weights(), before, rtol=0, atol=0)


def test_weights_that_are_not_numbers_are_found_at_the_ratio_with_the_task(batch):
    ours = learner()
    ours.policy.model.model.norm.weight.data.fill_(float("nan"))
    with pytest.raises(NonFiniteError, match="ratio gave nan for a token of task task-"):
        ours.update(batch)


def test_a_greedy_temperature_is_refused():
    with pytest.raises(RlenvsError, match="the sampling temperature, which is above 0: got 0"):
        learner(temperature=0.0)


def test_what_is_odd_but_allowed_is_noted():
    assert any("the clip does nothing" in note for note in learner().notes)
    assert learner(replace(GRPO, updates=(1, 2), surrogate=Clip(high=0.28))).notes == ()


def accelerate_on(monkeypatch, *, made=None, error=None):
    def accelerator(**_):
        if error:
            raise error
        return SimpleNamespace(device=torch.device(made))

    monkeypatch.setattr("accelerate.Accelerator", accelerator)


@pytest.mark.parametrize(
    ("there", "reason"),
    [
        ({"made": "cuda:0"}, "it is on cuda:0"),
        ({"error": ValueError("cannot pass in `cpu=True`")}, "cannot pass in `cpu=True`"),
    ],
)
def test_a_process_whose_device_is_another_one_is_refused(monkeypatch, there, reason):
    accelerate_on(monkeypatch, **there)
    with pytest.raises(RlenvsError, match=f"this learner is for cpu, .* is not: {reason}"):
        learner(device="cpu")


def test_a_learner_for_cuda_does_not_stay_on_the_cpu_of_an_earlier_one(monkeypatch):
    accelerate_on(monkeypatch, made="cpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: None)
    for device in ("auto", "cuda", "cuda:0"):
        with pytest.raises(RlenvsError, match=r"this learner is for cuda:0, .* it is on cpu"):
            learner(device=device)
