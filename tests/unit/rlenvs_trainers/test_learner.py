import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from rlenvs.errors import RlenvsError
from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.algorithm import Progress
from rlenvs_trainers.batch import Sample, pack
from rlenvs_trainers.config import LearnerConfig
from rlenvs_trainers.learner import Learner, LearnerState
from rlenvs_trainers.objective import NonFiniteError
from rlenvs_trainers.ratio import Ratio
from rlenvs_trainers.records import Group
from rlenvs_trainers.reduce import Mean
from rlenvs_trainers.reference import random_model, reference_gradient
from rlenvs_trainers.regularise import KL, EntropyBonus
from rlenvs_trainers.surrogate import Clip, Soft, TruncatedWeight
from rlenvs_trainers.synthetic import completion, group, trajectory, varied_groups
from rlenvs_trainers.weights import HighEntropy

VOCABULARY = 64
NOW = Progress(step=0, num_steps=1)


def model(dtype=torch.float32):
    return random_model(VOCABULARY, dtype=dtype)


def learner(algorithm=GRPO, *, dtype=torch.float32, temperature=1.0, num_steps=10, **options):
    defaults = {"device": "cpu", "tokens_per_microbatch": 100, "lr": 1e-2}
    return Learner(
        model(dtype), LearnerConfig(**{**defaults, **options}), algorithm, temperature=temperature, num_steps=num_steps
    )


def packed(groups, algorithm=GRPO):
    return pack(groups, algorithm.credit(groups, NOW))


@pytest.fixture(scope="module")
def batch():
    return packed(varied_groups(np.random.default_rng(0), vocabulary=VOCABULARY))


@pytest.fixture(scope="module")
def on_policy(batch):
    """The same tokens with the log-probabilities that the untouched model gives them."""
    said = learner().logprobs(batch.samples)
    return replace(batch, sampler_N=np.concatenate(said))


def flat(gradient):
    return torch.cat([value.flatten() for value in gradient.values()])


def moved(batch, by=0.2):
    """As if the policy had gone some way since it wrote the tokens."""
    rng = np.random.default_rng(3)
    return replace(batch, constants={"old": batch.sampler_N + by * rng.standard_normal(len(batch))})


# Exactness.

MEANS = [
    Mean(over="token"),
    Mean(over="action"),
    Mean(over="trajectory"),
    Mean(over="trajectory", inner="sum", constant=9.0),
]


@pytest.mark.parametrize("mean", MEANS, ids=lambda mean: f"{mean.over}-{mean.inner}")
@pytest.mark.parametrize("unit", ["token", "action", "trajectory"])
def test_r07_the_gradient_does_not_depend_on_micro_batches_and_packing(mean, unit):
    rng = np.random.default_rng(1)
    prompt = rng.integers(0, VOCABULARY, 9)
    lengths = [1, 2, 5, 60, 17, 33, 8, 41]
    turns = [[(prompt, completion(rng.integers(0, VOCABULARY, n), logprobs=[-4.0] * n))] for n in lengths]
    one = Group(trajectories=tuple(trajectory(t, float(i % 2), attempt=i) for i, t in enumerate(turns)))
    algorithm = replace(GRPO, ratio=Ratio(unit=unit), reduce=mean, updates=(1, 2))
    batch = moved(packed([one]))
    gradients = [
        flat(learner(algorithm, tokens_per_microbatch=budget, packing=packing).gradient(batch))
        for budget in (1, 80, 160, 10_000)
        for packing in ("none", "prefix")
    ]
    for other in gradients[1:]:
        assert float((other - gradients[0]).norm() / gradients[0].norm()) < 1e-6


@pytest.mark.parametrize(
    "slots",
    [
        {},
        {"ratio": Ratio(unit="trajectory")},
        {"ratio": Ratio(unit="action", length_power=0.5, centre=True)},
        {"surrogate": TruncatedWeight(), "regularise": (EntropyBonus(coefficient=0.1),)},
        {"surrogate": Soft(), "weights": (HighEntropy(),), "regularise": (KL(coefficient=0.1),)},
    ],
)
def test_one_pass_and_two_passes_give_the_gradient_of_the_slow_reference(slots, batch, monkeypatch):
    algorithm = replace(GRPO, updates=(1, 2), **slots)
    batch = moved(batch)
    batch = replace(batch, constants={**batch.constants, "reference": batch.sampler_N - 0.1})
    expected = flat(reference_gradient(algorithm, model(torch.float64), batch, temperature=0.8))
    for forced_scope in (None, "batch"):
        if forced_scope:
            monkeypatch.setattr("rlenvs_trainers.passes.scope", lambda _: "batch")
        got = flat(learner(algorithm, dtype=torch.float64, temperature=0.8).gradient(batch))
        assert float((got - expected).norm() / expected.norm()) < 1e-6


def test_r09_a_token_that_was_forced_changes_nothing_whatever_is_said_of_it():
    turns = [((1, 2), completion((3, 4, 5), logprobs=(-1.0, said, -1.0), forced=(1,))) for said in (-1.0, -9.0)]
    gradients = []
    for turn in turns:
        other = trajectory([((1, 2), (6, 7))], 0.0, attempt=1)
        batch = packed([Group(trajectories=(trajectory([turn], 1.0), other))])
        gradients.append(flat(learner().gradient(batch)))
    torch.testing.assert_close(*gradients, rtol=0, atol=0)


def test_r09_the_order_of_attempts_changes_nothing(batch):
    order = np.random.default_rng(5).permutation(len(batch.samples))
    one, other = (flat(learner().gradient(b)) for b in (moved(batch), moved(batch).take(order)))
    assert float((one - other).norm() / one.norm()) < 1e-6


def test_r09_a_long_neighbour_that_pads_the_others_changes_nothing():
    """The neighbour's advantage is 0, and the mean is over rows: only the padding of the others grows."""
    short = [trajectory([((1, 2), (3 + i, 4, 5))], float(i), attempt=i) for i in range(2)]
    gradients = []
    for length in (3, 40):
        idle = [trajectory([((7,), range(length))], 1.0, task="idle", attempt=i) for i in range(2)]
        batch = packed([Group(trajectories=tuple(short)), Group(trajectories=tuple(idle))])
        gradients.append(flat(learner(tokens_per_microbatch=10_000).gradient(batch)))
    assert float((gradients[0] - gradients[1]).norm() / gradients[0].norm()) < 1e-6


@pytest.mark.parametrize("reward", [1.0, 0.7])
def test_r01_a_step_without_a_signal_has_a_gradient_of_exactly_zero(reward):
    batch = packed([group([reward] * 8, length=5)])
    metrics = learner().update(batch)
    assert metrics["grad_norm"] == 0.0
    assert np.isfinite(metrics["loss"])
    assert not flat(learner().gradient(batch)).any()


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


# Updates.


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


def test_the_reference_is_the_policy_that_training_began_with(batch):
    ours = learner(replace(GRPO, regularise=(KL(coefficient=0.5),)))
    first, second = ours.update(batch), ours.update(batch)
    assert first["kl/mean"] == pytest.approx(0.0, abs=1e-6)
    assert second["kl/mean"] > 1e-4
    assert learner().reference is None


def test_the_mismatch_leaves_out_what_another_policy_wrote():
    def by(policy, number):
        written = replace(completion((5, 6), logprobs=(-0.5, -0.5)), policy=policy)
        return trajectory([((1, 2), written)], float(number % 2), attempt=number)

    def mismatch(*policies):
        ones = tuple(by(policy, number) for number, policy in enumerate(policies))
        metrics = learner().update(packed([Group(trajectories=ones)]))
        return {name: value for name, value in metrics.items() if name.startswith("mismatch/")}

    assert mismatch("demonstrator", "demonstrator") == {}
    assert mismatch("policy", "policy") == pytest.approx(mismatch("policy", "policy", "demonstrator", "demonstrator"))


def test_the_mismatch_with_the_sampler_is_measured(on_policy):
    shifted = replace(on_policy, sampler_N=on_policy.sampler_N - 0.5)
    metrics = learner().update(shifted)
    assert metrics["mismatch/mean"] == pytest.approx(-0.5, abs=1e-5)
    assert metrics["mismatch/max"] == pytest.approx(0.5, abs=1e-4)
    assert metrics["mismatch/ess"] == pytest.approx(1.0, abs=1e-4)


def test_prompts_that_attempts_share_are_computed_once():
    prompt = tuple(range(40))
    attempts = [trajectory([(prompt, (50, 51, 52))], float(i % 2), attempt=i) for i in range(8)]
    batch = packed([Group(trajectories=tuple(attempts))])
    computed = {
        packing: learner(packing=packing, tokens_per_microbatch=999).update(batch)["tokens/computed"]
        for packing in ("none", "prefix")
    }
    assert computed == {"none": 8 * 42, "prefix": 39 + 8 * 3}


@pytest.mark.parametrize("slots", [{}, {"weights": (HighEntropy(share=0.9),)}])
def test_groups_without_a_signal_are_not_computed_and_count_in_the_mean_all_the_same(slots):
    algorithm = replace(GRPO, **slots)
    mixed = [trajectory([((1,), (2, 3 + i))], float(i), attempt=i) for i in range(2)]
    constant = [trajectory([((4,), range(5, 15))], 1.0, task="easy", attempt=i) for i in range(2)]
    both = packed([Group(trajectories=tuple(mixed)), Group(trajectories=tuple(constant))])
    assert learner(algorithm).update(both)["tokens/computed"] <= 2 * 2
    expected = flat(reference_gradient(algorithm, model(torch.float64), both, temperature=1.0))
    got = flat(learner(algorithm, dtype=torch.float64).gradient(both))
    assert float((got - expected).norm() / expected.norm()) < 1e-6


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


@pytest.mark.parametrize("schedule", ["constant", "linear", "cosine"])
def test_warm_up_and_schedule_give_the_rate_of_every_step(schedule, batch):
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


def test_the_gradient_is_clipped_to_the_norm_that_was_set(batch):
    """The first AdamW step has the size of the rate whatever the gradient: the moments show that it was clipped."""
    ours = learner(max_grad_norm=1e-3)
    metrics = ours.update(batch)
    assert metrics["grad_norm"] > 0.1
    moments = torch.cat([v.flatten() for k, v in ours.optimiser.tensors().items() if k.endswith("/exp_avg")])
    assert float(moments.norm()) == pytest.approx(0.1 * 1e-3, rel=1e-3)


# State.


@pytest.mark.parametrize("slots", [{}, {"updates": (2, 2), "regularise": (KL(coefficient=0.1),)}])
def test_r20_a_learner_that_was_saved_and_restored_goes_on_to_the_bit(slots, batch, tmp_path):
    from safetensors.torch import load_file, save_file

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


def test_a_state_of_another_model_is_refused():
    tensors = {"optimiser.model.stranger/exp_avg": torch.zeros(1)}
    state = LearnerState(tensors=tensors, metadata={"version": 1, "optimiser_steps": 1})
    with pytest.raises(ValueError, match="is of another model"):
        learner().load_state_dict(state)


def test_a_state_without_the_reference_that_the_algorithm_needs_is_refused():
    with pytest.raises(ValueError, match="needs a reference, and the state holds none"):
        learner(replace(GRPO, regularise=(KL(coefficient=0.1),))).load_state_dict(learner().state_dict())


# What is refused.


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
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: None)
    for device in ("auto", "cuda", "cuda:0"):
        with pytest.raises(RlenvsError, match=r"this learner is for cuda:0, .* it is on cpu"):
            learner(device=device)
