"""The gradient of an optimiser step: exact however it is cut into passes, and of trained tokens alone."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.algorithm import TokenCredit
from rlenvs_trainers.batch import pack
from rlenvs_trainers.ratio import Ratio
from rlenvs_trainers.records import Group
from rlenvs_trainers.reduce import Mean
from rlenvs_trainers.reference import reference_gradient
from rlenvs_trainers.regularise import KL, EntropyBonus
from rlenvs_trainers.surrogate import Soft, TruncatedWeight
from rlenvs_trainers.synthetic import completion, group, trajectory
from rlenvs_trainers.weights import DropDrifted, HighEntropy, Mismatch

from .critics import SUPPORT
from .learning import VOCABULARY, flat, learner, model, moved, packed
from .noting import packed as noted
from .slopes import FinerCredit

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
        {"surrogate": Soft(), "weights": (HighEntropy(normalise_by="all"),), "regularise": (KL(coefficient=0.1),)},
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


def rewritten():
    """Trajectories of two samples, the first of them without an advantage; another without any in either."""
    turns = [
        ((1, 2), completion((3, 4, 5), logprobs=(-1.0, -1.5, -2.0))),
        ((6, 7), completion((8, 9), logprobs=(-5.0, -4.5))),
    ]
    one = Group(trajectories=tuple(trajectory(turns, 0.0, attempt=attempt) for attempt in range(3)))
    credit = {
        (0, attempt): TokenCredit(advantage=(np.zeros(3), np.full(2, late)), weight=(np.ones(3), np.ones(2)))
        for attempt, late in enumerate((-1.0, 0.5, 0.0))
    }
    batch = pack([one], credit)
    return replace(batch, constants={"old": -4.0 + 0.2 * np.sin(np.arange(len(batch)))})


WHOLE_TRAJECTORIES = [
    {"ratio": Ratio(unit="trajectory")},
    {"ratio": Ratio(unit="trajectory", length_power=0.0)},
    {"weights": (Mismatch(unit="trajectory"),)},
    {"weights": (Mismatch(unit="trajectory", mode="geometric_mask", lowest=0.1),)},
    {"weights": (DropDrifted(threshold=1.0),), "surrogate": TruncatedWeight()},
]


@pytest.mark.parametrize("slots", WHOLE_TRAJECTORIES, ids=repr)
@pytest.mark.parametrize("passes", ["one", "two", "two_as_it_does_not_fit"])
def test_a_slot_over_trajectories_sees_their_tokens_without_an_advantage_too(slots, passes, monkeypatch):
    algorithm, batch = replace(GRPO, credit=FinerCredit(unit="action"), updates=(1, 2), **slots), rewritten()
    if passes == "two":
        monkeypatch.setattr("rlenvs_trainers.passes.scope", lambda _: "batch")
    budget = 5 if passes == "two_as_it_does_not_fit" else 100
    expected = flat(reference_gradient(algorithm, model(torch.float64), batch, temperature=1.0))
    got = flat(learner(algorithm, dtype=torch.float64, tokens_per_microbatch=budget).gradient(batch))
    assert float((got - expected).norm() / expected.norm()) < 1e-6


@pytest.mark.parametrize(("slots", "tokens"), [({}, 6), ({"ratio": Ratio(unit="trajectory")}, 16)])
def test_no_more_is_computed_than_what_has_an_advantage_or_is_mixed_with_it(slots, tokens):
    """Two of three trajectories have an advantage, on a row of 3 tokens; the other row has 4, and both are padded."""
    algorithm = replace(GRPO, credit=FinerCredit(unit="action"), **slots)
    metrics = learner(algorithm, packing="none", tokens_per_microbatch=8).update(rewritten())
    assert metrics["tokens/computed"] == tokens


def test_r09_a_token_that_was_forced_changes_nothing_whatever_is_said_of_it():
    """Ratios are over what was said when the tokens were sampled, and one ratio is that of a whole trajectory."""
    algorithm = replace(GRPO, old="sampler", ratio=Ratio(unit="trajectory"), surrogate=TruncatedWeight())

    def gradient(said, forced):
        turn = ((1, 2), completion((3, 4, 5), logprobs=(-4.0, said, -4.0), forced=forced))
        other = trajectory([((1, 2), (6, 7))], 0.0, attempt=1)
        return flat(learner(algorithm).gradient(packed([Group(trajectories=(trajectory([turn], 1.0), other))])))

    torch.testing.assert_close(gradient(-4.0, forced=(1,)), gradient(-5.0, forced=(1,)), rtol=0, atol=0)
    assert not torch.allclose(gradient(-4.0, forced=()), gradient(-5.0, forced=()), rtol=1e-2)
    assert not torch.allclose(gradient(-4.0, forced=()), gradient(-4.0, forced=(1,)), rtol=1e-2)


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


@pytest.mark.parametrize(("reward", "attempts"), [(1.0, 8), (0.7, 8), (0.7, 3), (0.1, 6), (0.1 + 0.2, 7)])
def test_r01_a_step_without_a_signal_has_a_gradient_of_exactly_zero(reward, attempts):
    batch = packed([group([reward] * attempts, length=5)])
    metrics = learner().update(batch)
    assert metrics["grad_norm"] == 0.0
    assert metrics["loss"] == 0.0
    assert not flat(learner().gradient(batch)).any()


def test_prompts_that_attempts_share_are_computed_once():
    prompt = tuple(range(40))
    attempts = [trajectory([(prompt, (50, 51, 52))], float(i % 2), attempt=i) for i in range(8)]
    batch = packed([Group(trajectories=tuple(attempts))])
    computed = {
        packing: learner(packing=packing, tokens_per_microbatch=999).update(batch)["tokens/computed"]
        for packing in ("none", "prefix")
    }
    assert computed == {"none": 8 * 42, "prefix": 39 + 8 * 3}


@pytest.mark.parametrize("slots", [{}, {"weights": (HighEntropy(share=0.9, normalise_by="all"),)}])
def test_groups_without_a_signal_are_not_computed_and_count_in_the_mean_all_the_same(slots):
    algorithm = replace(GRPO, **slots)
    mixed = [trajectory([((1,), (2, 3 + i))], float(i), attempt=i) for i in range(2)]
    constant = [trajectory([((4,), range(5, 15))], 1.0, task="easy", attempt=i) for i in range(2)]
    both = packed([Group(trajectories=tuple(mixed)), Group(trajectories=tuple(constant))])
    assert learner(algorithm).update(both)["tokens/computed"] <= 2 * 2
    expected = flat(reference_gradient(algorithm, model(torch.float64), both, temperature=1.0))
    got = flat(learner(algorithm, dtype=torch.float64).gradient(both))
    assert float((got - expected).norm() / expected.norm()) < 1e-6


@pytest.mark.parametrize("algorithm", [GRPO, SUPPORT], ids=lambda each: each.name)
def test_r20_the_gradient_is_the_same_each_time_with_several_threads(algorithm):
    """Many rows of one long prompt, and many tokens that are looked up often: enough for threads to share the work."""
    rng = np.random.default_rng(1)
    prompt = rng.integers(0, VOCABULARY, 200)
    turns = [[(prompt, completion(rng.integers(0, VOCABULARY, 12), logprobs=[-4.0] * 12))] for _ in range(48)]
    one = Group(trajectories=tuple(trajectory(t, float(i % 2), attempt=i) for i, t in enumerate(turns)))
    ours = learner(algorithm, tokens_per_microbatch=10_000)
    batch = noted(algorithm, ours, [one])
    threads = torch.get_num_threads()
    torch.set_num_threads(4)
    try:
        gradients = [flat(ours.gradient(batch)) for _ in range(12)]
    finally:
        torch.set_num_threads(threads)
    assert all(torch.equal(each, gradients[0]) for each in gradients)
    assert not torch.are_deterministic_algorithms_enabled()
