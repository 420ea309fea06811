"""`check_algorithm` passes what is right, and names what is wrong with algorithms that break one promise each."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
import torch

from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.checks import AlgorithmError, check_algorithm
from rlenvs_trainers.credit import GroupRelative, spread_over
from rlenvs_trainers.ratio import Ratio
from rlenvs_trainers.reduce import Mean
from rlenvs_trainers.regularise import KL, EntropyBonus
from rlenvs_trainers.shape import Overlong
from rlenvs_trainers.surrogate import Clip, Geometric, Likelihood, Soft, TruncatedWeight
from rlenvs_trainers.weights import DropDrifted, HighEntropy, Mismatch

RIGHT = {
    "grpo": GRPO,
    "dr_grpo": replace(
        GRPO, credit=GroupRelative(scale="none"), reduce=Mean(over="trajectory", inner="sum", constant=30.0)
    ),
    "dapo": replace(
        GRPO, shape=(Overlong(max_length=10, cache=5),), surrogate=Clip(high=0.28, cap=10.0), reduce=Mean(over="token")
    ),
    "gspo": replace(GRPO, ratio=Ratio(unit="trajectory"), surrogate=Clip(low=0.03, high=0.04), updates=(1, 4)),
    "capo": replace(
        GRPO, ratio=Ratio(unit="action", length_power=0.5, centre=True), reduce=Mean(over="action"), updates=(2, 1)
    ),
    "cispo": replace(GRPO, surrogate=TruncatedWeight(), reduce=Mean(over="token"), updates=(1, 4)),
    "sapo": replace(GRPO, surrogate=Soft(), regularise=(KL(coefficient=0.1, estimator="k3+"),)),
    "gmpo": replace(GRPO, surrogate=Geometric(), weights=(DropDrifted(),)),
    "likelihood": replace(GRPO, surrogate=Likelihood(), regularise=(EntropyBonus(coefficient=0.1),)),
    "uncertain": replace(GRPO, weights=(HighEntropy(), Mismatch(unit="trajectory", mode="mask", highest=3.0))),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_the_slots_can_be_put_together_to_keeps_every_promise(name):
    assert len(check_algorithm(RIGHT[name])) == 12


class Everyone(GroupRelative):
    """Counts attempts that could not be scored as zeros."""

    def __call__(self, groups, progress):
        return {
            (g, i): spread_over(one, (one.reward if one.is_scored else 0.0) - self.mean(group))
            for g, group in enumerate(groups)
            for i, one in enumerate(group.trajectories)
        }

    def mean(self, group):
        return np.mean([one.reward if one.is_scored else 0.0 for one in group.trajectories])


class Rounded(GroupRelative):
    """Divides by a standard deviation that is never quite 0."""

    def __call__(self, groups, progress):
        credit = {}
        for g, group in enumerate(groups):
            rewards = np.array([one.reward for one in group.scored], dtype=np.float32)
            values = iter((rewards - rewards.mean()) / (np.std(rewards) * 0 + 1e-12) + np.arange(len(rewards)) * 1e-3)
            credit |= {(g, i): spread_over(t, next(values)) for i, t in enumerate(group.trajectories) if t.is_scored}
        return credit


@dataclass(frozen=True)
class Unclamped:
    needs: ClassVar[tuple[str, ...]] = ()
    scope: ClassVar[str] = "token"

    def __call__(self, view, log_ratio_N):
        ratio_N = (view.logprobs_N - view.old_N).exp()
        return -view.advantage_N * torch.where(ratio_N > 5.0, torch.ones_like(ratio_N), ratio_N), {}


@dataclass(frozen=True)
class Undeclared:
    needs: ClassVar[tuple[str, ...]] = ()
    scope: ClassVar[str] = "token"

    def __call__(self, view, log_ratio_N):
        return -view.advantage_N * view.signals["entropy"].detach() * log_ratio_N.exp(), {}


@dataclass(frozen=True)
class Whitened:
    """Claims to look at single tokens, and divides by what it finds in the whole view."""

    needs: ClassVar[tuple[str, ...]] = ()
    scope: ClassVar[str] = "token"

    def __call__(self, view, log_ratio_N):
        return -view.advantage_N / (0.1 + view.advantage_N.abs().mean()) * log_ratio_N.exp(), {}


@dataclass(frozen=True)
class Positional:
    """Favours whoever comes first in the batch."""

    needs: ClassVar[tuple[str, ...]] = ()

    def __call__(self, view, log_ratio_N):
        return -view.advantage_N * log_ratio_N.exp() * torch.linspace(1, 2, len(log_ratio_N)), {}


@dataclass(frozen=True)
class Restless:
    """Pushes even where there is nothing to learn."""

    needs: ClassVar[tuple[str, ...]] = ()
    scope: ClassVar[str] = "token"

    def __call__(self, view, log_ratio_N):
        return -(view.advantage_N + 0.1) * log_ratio_N.exp(), {}


class Quitting(GroupRelative):
    """Ends the program."""

    def __call__(self, groups, progress):
        raise SystemExit(0)


WRONG = {
    "an exit": ({"credit": Quitting()}, "The same groups get the same credit. ForeignExitError: raised SystemExit: 0"),
    "None is no zero": ({"credit": Everyone()}, "a reward of None counts as a number"),
    "no favourites": ({"credit": Rounded()}, "eight attempts that earned 1.0 have different credit"),
    "overflow": ({"surrogate": Unclamped()}, "plus and minus 200 give a finite loss and gradient"),
    "needs": ({"surrogate": Undeclared()}, r"Undeclared declares \[\] and reads \['entropy'\]"),
    "scope": ({"surrogate": Whitened()}, "Its slots say that they mix no more than a token"),
    "order": ({"surrogate": Positional()}, "The order of samples does not matter. Not so"),
    "signal": ({"surrogate": Restless()}, "Advantages of zero give a gradient of exactly zero"),
}


@pytest.mark.parametrize("promise", WRONG)
def test_a_broken_promise_is_named(promise):
    slots, sentence = WRONG[promise]
    with pytest.raises(AlgorithmError, match=sentence):
        check_algorithm(replace(GRPO, **slots))


def test_an_algorithm_that_cannot_run_says_why_before_any_check():
    with pytest.raises(AlgorithmError, match="cannot run: surrogate Likelihood ignores the ratio"):
        check_algorithm(replace(GRPO, surrogate=Likelihood(), updates=(2, 2)))


def test_what_was_checked_is_said_in_sentences():
    assert "Advantages of zero give a gradient of exactly zero, regularisers apart." in check_algorithm(GRPO)
