from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
import torch

from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.algorithm import Progress, TokenCredit
from rlenvs_trainers.batch import pack
from rlenvs_trainers.objective import NonFiniteError, Views, notes, objections, objective, scope
from rlenvs_trainers.ratio import Ratio
from rlenvs_trainers.records import Group
from rlenvs_trainers.reduce import Mean
from rlenvs_trainers.regularise import KL, EntropyBonus
from rlenvs_trainers.surrogate import Clip, Geometric, Likelihood, Soft, TruncatedWeight
from rlenvs_trainers.synthetic import completion, trajectory
from rlenvs_trainers.weights import DropDrifted, HighEntropy, Mismatch

NOW = Progress(step=0, num_steps=1)
CLIPPED = replace(GRPO, updates=(1, 4))


def batch_of(lengths, advantages, *, sampler=None):
    """One trajectory per length, with one advantage each."""
    one_each = [
        trajectory([((1,), completion(range(n), logprobs=sampler and sampler[i]))], 1.0, attempt=i)
        for i, n in enumerate(lengths)
    ]
    credit = {
        (0, i): TokenCredit(advantage=(np.full(n, float(a)),), weight=(np.ones(n),))
        for i, (n, a) in enumerate(zip(lengths, advantages, strict=True))
    }
    return pack([Group(trajectories=tuple(one_each))], credit)


def slope(algorithm, batch, logprobs, old=None, **more):
    """The loss and its gradient by the log-probabilities."""
    leaf = torch.tensor(logprobs, dtype=torch.float64).requires_grad_()
    constants = {} if old is None else {"old": np.array(old, dtype=np.float64)}
    signals = {"logprob": leaf} | {name: torch.tensor(v, dtype=torch.float64) for name, v in more.items()}
    batch = replace(batch, constants={**batch.constants, **constants})
    loss = objective(algorithm, Views(batch, dtype=torch.float64).of(batch, signals), batch.where)
    loss.value.backward()
    return loss, leaf.grad.numpy()


@pytest.mark.parametrize("mean", [Mean(over="trajectory"), Mean(over="token"), Mean(over="action")])
@pytest.mark.parametrize("unit", ["action", "trajectory"])
def test_r08_a_sequence_ratio_of_one_gives_minus_the_mean_advantage_whatever_the_lengths(mean, unit):
    algorithm = replace(CLIPPED, ratio=Ratio(unit=unit), reduce=mean)
    loss, _ = slope(algorithm, batch_of([2, 10], [1, -1]), [-1.0] * 12, [-1.0] * 12)
    expected = {"trajectory": 0.0, "action": 0.0, "token": 8 / 12}[mean.over]
    assert float(loss.value.detach()) == pytest.approx(expected, abs=1e-12)


def test_a_token_mean_weighs_rows_by_length_and_a_row_mean_does_not():
    batch = batch_of([1, 9], [1, -1])
    for mean, expected in ((Mean(over="token"), 9.0), (Mean(over="trajectory"), 1.0)):
        _, gradient = slope(replace(GRPO, reduce=mean), batch, [-1.0] * 10)
        assert -gradient[1:].sum() / gradient[0] == pytest.approx(expected)


def test_a_wrong_answer_is_pushed_as_hard_per_token_when_it_is_long_only_with_a_constant_divisor():
    batch = batch_of([2, 20], [-1, -1])
    for mean, expected in ((Mean(over="trajectory", inner="sum", constant=32.0), 1.0), (Mean(over="trajectory"), 10.0)):
        _, gradient = slope(replace(GRPO, reduce=mean), batch, [-1.0] * 22)
        assert gradient[0] / gradient[-1] == pytest.approx(expected)


@pytest.mark.parametrize("unit", ["token", "action", "trajectory"])
@pytest.mark.parametrize("distance", [200.0, -200.0])
@pytest.mark.parametrize("surrogate", [Clip(), Clip(cap=3.0), TruncatedWeight(), Soft(), Likelihood()])
def test_r33_a_log_ratio_of_two_hundred_gives_a_finite_gradient(unit, distance, surrogate):
    algorithm = replace(GRPO, ratio=Ratio(unit=unit), surrogate=surrogate, regularise=(KL(coefficient=0.1),))
    batch = batch_of([2, 3], [1, -1])
    batch = replace(batch, constants={"reference": np.full(5, -1.0 - distance)})
    loss, gradient = slope(algorithm, batch, [-1.0] * 5, [-1.0 - distance, -1.0, -1.0 - distance, -1.0, -1.0])
    assert np.isfinite(float(loss.value.detach()))
    assert np.isfinite(gradient).all()


def test_where_advantages_differ_inside_of_a_unit_every_token_has_its_own_gradient():
    """With one broadcast ratio all four tokens of the trajectory would get the same."""
    batch = replace(batch_of([4], [0]), advantage_N=np.array([1.0, -2.0, 3.0, 0.0]))
    credit = replace(FinerCredit(), unit="token")
    algorithm = replace(CLIPPED, credit=credit, ratio=Ratio(unit="trajectory"), surrogate=Clip(low=0.9, high=0.9))
    _, gradient = slope(algorithm, batch, [-1.0, -1.2, -0.8, -1.0], [-1.1] * 4)
    ratio = np.exp(0.1)
    np.testing.assert_allclose(gradient, -ratio * np.array([1.0, -2.0, 3.0, 0.0]) / 4, rtol=1e-12)


def test_gspo_token_equals_gspo_where_the_advantage_is_the_trajectorys():
    batch = batch_of([2, 3], [1, -0.5])
    logprobs, old = [-1.0, -1.2, -0.8, -1.0, -1.3], [-1.1, -1.0, -1.0, -1.0, -1.0]
    gspo = replace(CLIPPED, ratio=Ratio(unit="trajectory"))
    per_token = replace(gspo, credit=replace(FinerCredit(), unit="token"))
    (one, g_one), (other, g_other) = (slope(algorithm, batch, logprobs, old) for algorithm in (gspo, per_token))
    assert float(one.value.detach()) == pytest.approx(float(other.value.detach()), abs=1e-12)
    np.testing.assert_allclose(g_one, g_other, atol=1e-12)


@dataclass(frozen=True)
class FinerCredit:
    unit: str = "token"

    def __call__(self, groups, progress):
        raise NotImplementedError


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
    for centre in (True, False):
        geometric = Ratio(unit="action", length_power=1.0, centre=centre)(view, "action").exp()
        np.testing.assert_allclose(geometric[first], [1.051271, 1.105171, 1.648721, 0.951229, 0.818731], atol=1e-6)


@pytest.mark.parametrize(("epsilon", "expected"), [(1e-3, -0.00083244), (0.2, -0.10918389)])
def test_the_clipped_loss_over_actions(epsilon, expected):
    ratio = Ratio(unit="action", length_power=0.5, centre=True)
    algorithm = replace(CLIPPED, ratio=ratio, surrogate=Clip(low=epsilon, high=epsilon), reduce=Mean(over="action"))
    loss, _ = slope(algorithm, capo_batch(), np.concatenate(Z) - 2.0, [-2.0] * 12)
    assert float(loss.value.detach()) == pytest.approx(expected, abs=1e-6)


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


# Weights.


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


def test_a_regulariser_may_have_a_mean_of_its_own():
    bonus = EntropyBonus(coefficient=0.1, reduce=Mean(over="token"))
    loss, _ = slope(
        replace(GRPO, regularise=(bonus,)), batch_of([1, 3], [0, 0]), [-1.0] * 4, entropy=[4.0, 1.0, 1.0, 2.0]
    )
    assert loss.terms["entropy"] == pytest.approx(-0.1 * 2.0)


def test_diagnostics_are_averaged_over_tokens():
    old = np.log([0.1, 0.1, 0.1, 0.1])
    loss, _ = slope(CLIPPED, batch_of([3, 1], [1, -1]), np.log([0.13, 0.11, 0.05, 0.05]), old)
    assert loss.means["clip/high"] == 0.25
    assert loss.means["clip/low"] == 0.25
    assert loss.means["ratio/mean"] == pytest.approx((1.3 + 1.1 + 0.5 + 0.5) / 4)
    assert loss.maxima["ratio/max"] == pytest.approx(1.3)


# What is refused, and what is noted.


@dataclass(frozen=True)
class Broken:
    needs: ClassVar[tuple[str, ...]] = ()

    def __call__(self, view, log_ratio_N):
        return torch.log(view.advantage_N) + log_ratio_N, {}


def test_a_number_that_is_not_one_is_reported_with_its_component_and_task():
    with pytest.raises(
        NonFiniteError, match="surrogate Broken gave nan for a token of task task, episode task/policy/1"
    ):
        slope(replace(GRPO, surrogate=Broken()), batch_of([2, 2], [1, -1]), [-1.0] * 4)


@dataclass(frozen=True)
class Greedy:
    needs: ClassVar[tuple[str, ...]] = ("vallue",)


@pytest.mark.parametrize(
    ("slots", "sentence"),
    [
        ({"surrogate": Geometric(), "ratio": Ratio(unit="trajectory")}, "set ratio.unit to token"),
        ({"surrogate": Geometric(), "credit": FinerCredit(unit="action")}, "one advantage per trajectory"),
        ({"surrogate": Likelihood(), "updates": (1, 4)}, "takes one update per step: updates is (1, 4)"),
        ({"old": "sampler", "weights": (Mismatch(),)}, "corrects twice for the sampler"),
        ({"surrogate": Greedy()}, "needs 'vallue', which nothing provides. There is: entropy, reference, sampler"),
    ],
)
def test_a_combination_that_makes_no_sense_is_refused_with_a_sentence(slots, sentence):
    (objection,) = objections(replace(GRPO, **slots))
    assert sentence in objection


def test_the_shipped_algorithm_has_no_objections():
    assert list(objections(GRPO)) == []


def test_r15_a_configuration_that_can_never_clip_is_reported():
    (note,) = notes(GRPO)
    assert "every ratio is 1 and the clip does nothing" in note
    assert list(notes(replace(GRPO, updates=(2, 1)))) == []
    assert list(notes(replace(GRPO, surrogate=Likelihood()))) == []


@dataclass(frozen=True)
class Silent:
    """A slot of a stranger's, which does not say how far it looks."""

    needs: ClassVar[tuple[str, ...]] = ()


@pytest.mark.parametrize(
    ("slots", "expected"),
    [
        ({}, "token"),
        ({"ratio": Ratio(unit="action")}, "action"),
        ({"surrogate": Geometric()}, "trajectory"),
        ({"ratio": Ratio(unit="action", centre=True)}, "batch"),
        ({"weights": (HighEntropy(),)}, "batch"),
        ({"surrogate": Silent()}, "batch"),
    ],
)
def test_the_scope_of_an_algorithm_is_that_of_its_widest_slot(slots, expected):
    assert scope(replace(GRPO, **slots)) == expected


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Clip(low=0.0), "surrogate.low is in"),
        (lambda: Clip(cap=1.1), "surrogate.cap lies beyond"),
        (lambda: TruncatedWeight(highest=0.2), "bounds of the ratio itself"),
        (lambda: Soft(positive=0.0), "above 0"),
        (lambda: Geometric(low=-0.1), "bounds of the log-ratio"),
        (lambda: Ratio(unit="turn"), "one of token, action, trajectory: got 'turn'"),
        (lambda: Ratio(unit="token", length_power=0.5), "set ratio.unit to action or trajectory"),
        (lambda: Ratio(unit="action", length_power=2.0), "between 0"),
        (lambda: Mean(over="batch"), "reduce.over='token'"),
        (lambda: Mean(constant=0.0), "reduce.constant is positive"),
        (lambda: KL(coefficient=-1.0), "drives the policy away"),
        (lambda: HighEntropy(share=0.0), "a share of tokens"),
        (lambda: Mismatch(lowest=1.5), "bounds lie around 1"),
        (lambda: Mismatch(mode="geometric_mask"), "set unit to action or trajectory"),
    ],
)
def test_an_option_out_of_range_is_refused_by_its_name(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()
