"""The loss that slots make together: its means, its terms, and which combinations are refused."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
import torch

from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.objective import NonFiniteError, notes, objections, scope
from rlenvs_trainers.ratio import Ratio
from rlenvs_trainers.reduce import Mean
from rlenvs_trainers.regularise import KL, EntropyBonus
from rlenvs_trainers.surrogate import Clip, Geometric, Likelihood, Soft, TruncatedWeight
from rlenvs_trainers.weights import HighEntropy, Mismatch

from .slopes import CLIPPED, FinerCredit, batch_of, slope


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
    old = [-1.0 - distance, -1.0, -1.0 - distance, -1.0, -1.0]
    loss, gradient = slope(algorithm, batch, [-1.0] * 5, old, dtype=torch.float32)  # in float64 exp(200) is finite
    assert np.isfinite(float(loss.value.detach()))
    assert np.isfinite(gradient).all()


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
class HowLikely:
    """A factor that the weights move, as a rule's author may forget to detach it."""

    needs: ClassVar[tuple[str, ...]] = ()

    def __call__(self, view, log_ratio_N):
        return view.logprobs_N.exp(), {}


def test_a_factor_scales_the_gradient_and_has_none_of_its_own():
    batch, logprobs = batch_of([2, 2], [1, -1]), np.log([0.5, 0.25, 0.5, 0.125])
    _, plain = slope(GRPO, batch, logprobs)
    _, scaled = slope(replace(GRPO, weights=(HowLikely(),)), batch, logprobs)
    np.testing.assert_allclose(scaled, plain * np.exp(logprobs), rtol=1e-12)


def test_diagnostics_of_one_name_are_all_there():
    pair = (Mismatch(mode="mask"), Mismatch(highest=3.0), Mismatch(lowest=1.0))
    batch = replace(batch_of([1, 1], [1, -1]), sampler_N=np.log([0.1, 0.4]))
    loss, _ = slope(replace(CLIPPED, weights=pair), batch, np.log([0.25, 0.2]), np.log([0.25, 0.2]))
    weights = [loss.means[name] for name in ("mismatch/weight", "mismatch/weight/2", "mismatch/weight/3")]
    assert weights == pytest.approx([(0 + 0.5) / 2, (2.5 + 0.5) / 2, (2 + 1) / 2])


@dataclass(frozen=True)
class Named:
    """A regulariser of a stranger's, under any name."""

    name: str
    coefficient: float = 1.0
    needs: ClassVar[tuple[str, ...]] = ()
    scope: ClassVar[str] = "token"
    reduce: ClassVar[None] = None


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
        ({"regularise": (KL(coefficient=0.1), KL(coefficient=0.2))}, "2 regularisers are called 'kl'"),
        ({"regularise": (KL(coefficient=0.1), Named("kl"))}, "give each a `name` of its own"),
        ({"regularise": (Named("surrogate"),)}, "'surrogate', which is a name of the core's own"),
        ({"regularise": (Named("mismatch"),)}, "'mismatch', which is a name of the core's own"),
        ({"weights": (HighEntropy(),)}, "the mean is over 'trajectory': set its normalise_by to 'all'"),
        ({"weights": (HighEntropy(),), "reduce": Mean(over="batch", inner="sum")}, "the mean is over 'batch'"),
        ({"surrogate": Greedy()}, "needs 'vallue', which nothing provides. There is: entropy, reference, sampler"),
    ],
)
def test_a_combination_that_makes_no_sense_is_refused_with_a_sentence(slots, sentence):
    (objection,) = objections(replace(GRPO, **slots))
    assert sentence in objection


def test_the_shipped_algorithm_has_no_objections():
    assert list(objections(GRPO)) == []


def test_what_makes_sense_has_no_objections():
    idle = (KL(coefficient=0.0), KL(coefficient=0.1), EntropyBonus(coefficient=0.1))
    assert list(objections(replace(GRPO, regularise=idle, weights=(HighEntropy(normalise_by="all"),)))) == []
    assert list(objections(replace(GRPO, reduce=Mean(over="token"), weights=(HighEntropy(),)))) == []


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
