"""`check_algorithm` passes what is right, and names what is wrong with algorithms that break one promise each."""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import pytest
import torch

from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.algorithm import TokenCredit
from rlenvs_trainers.checks import AlgorithmError, check_algorithm
from rlenvs_trainers.credit import GroupRelative, spread_over
from rlenvs_trainers.explore import Chain
from rlenvs_trainers.ratio import Ratio
from rlenvs_trainers.reduce import Mean
from rlenvs_trainers.regularise import KL, EntropyBonus
from rlenvs_trainers.shape import Overlong
from rlenvs_trainers.specimens import of_rewards
from rlenvs_trainers.surrogate import Clip, Geometric, Likelihood, Soft, TruncatedWeight
from rlenvs_trainers.weights import DropDrifted, HighEntropy, Mismatch


@dataclass(frozen=True)
class Running:
    """REINFORCE against a running mean of the rewards, which it remembers between steps."""

    unit: ClassVar[str] = "trajectory"
    min_group: ClassVar[int] = 1

    def __call__(self, groups, progress):
        baseline = progress.memory.get("credit", {"mean": 0.0})["mean"]
        scored = [(g, i, t) for g, group in enumerate(groups) for i, t in enumerate(group.trajectories) if t.is_scored]
        mean = np.mean([t.reward for _, _, t in scored]) if scored else baseline
        self.remember(progress.memory, 0.9 * baseline + 0.1 * float(mean))
        return {(g, i): spread_over(t, t.reward - baseline) for g, i, t in scored if t.is_trained}

    def remember(self, memory, mean):
        memory["credit"] = {"mean": mean}


class Curriculum:
    """Keeps twice as many groups at every step."""

    refills: ClassVar[bool] = False

    def __call__(self, groups, progress):
        progress.memory["size"] = 2 * progress.memory.get("size", 0.5)
        return groups[: int(progress.memory["size"])]


@dataclass(frozen=True)
class Doubts:
    """An action that notes how sure the policy was of every token."""

    token_signals: ClassVar[tuple[str, ...]] = ("doubt",)

    async def __call__(self, play):
        raise AssertionError("no explorer is run")


@dataclass(frozen=True)
class Support:
    """Notes a reference's likeliest ids and their log-probabilities, and what an action was worth."""

    token_signals: ClassVar[tuple[str, ...]] = ("ids", "logprobs")
    size: int = 4

    async def __call__(self, groups, models):
        raise AssertionError("no annotator is run")

    def example_notes(self, turn, rng):
        shape = (len(turn.completion.token_ids), self.size)
        notes = {"ids": rng.integers(0, 50, shape), "logprobs": -rng.gamma(2.0, 1.0, shape)}
        return replace(turn, token_signals=notes, signals={"worth": rng.random()})


@dataclass(frozen=True)
class Anchored:
    """Reads rows of ids and numbers, and one number per token."""

    needs: ClassVar[tuple[str, ...]] = ("doubt", "ids", "logprobs")
    scope: ClassVar[str] = "token"

    def __call__(self, view, log_ratio_N):
        ids, logprobs = view.constants["ids"], view.constants["logprobs"]
        assert ids.dtype == torch.long
        assert ids.shape == logprobs.shape == (len(log_ratio_N), 4)
        factor_N = (logprobs.exp() * (ids % 2)).sum(1) + view.constants["doubt"].sigmoid()
        return -view.advantage_N * factor_N * log_ratio_N.exp(), {}


@dataclass(frozen=True)
class Worth:
    """A credit rule that reads what was noted of turns and of tokens, and gives targets."""

    unit: ClassVar[str] = "token"
    min_group: ClassVar[int] = 1
    targets: ClassVar[tuple[str, ...]] = ("returns",)

    def __call__(self, groups, progress):
        return {
            (g, i): self.of(one)
            for g, group in enumerate(groups)
            for i, one in enumerate(group.trajectories)
            if one.is_scored
        }

    def of(self, one):
        values = [turn.signals["worth"] + turn.token_signals["doubt"] for turn in one.turns]
        weight = tuple(np.ones_like(value) for value in values)
        return TokenCredit(advantage=tuple(values), weight=weight, targets=self.named(values))

    def named(self, values):
        return {"returns": tuple(values)}


@dataclass(frozen=True)
class Off:
    """A term that is left out, and with it what it needs."""

    name: ClassVar[str] = "off"
    coefficient: ClassVar[float] = 0.0
    needs: ClassVar[tuple[str, ...]] = ("what nobody gives",)
    reduce: ClassVar[None] = None

    def __call__(self, view):
        raise AssertionError("its coefficient is 0")


NOTED = replace(GRPO, explore=Chain(act=Doubts()), annotate=(Support(),), surrogate=Anchored())

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
    "running": replace(GRPO, select=(Curriculum(),), credit=Running()),
    "noted": NOTED,
    "noted credit": replace(NOTED, credit=Worth(), ratio=Ratio(unit="trajectory"), regularise=(Off(),)),
    "uncertain": replace(
        GRPO, weights=(HighEntropy(normalise_by="all"), Mismatch(unit="trajectory", mode="mask", highest=3.0))
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_the_slots_can_be_put_together_to_keeps_every_promise(name):
    assert len(check_algorithm(RIGHT[name])) == 16


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


class Uncentred(GroupRelative):
    """Takes the rounding of a mean for a difference."""

    def __call__(self, groups, progress):
        means = [np.mean([one.reward for one in group.scored] or [0.0]) for group in groups]
        return {
            (g, i): spread_over(one, one.reward - means[g])
            for g, group in enumerate(groups)
            for i, one in enumerate(group.trajectories)
            if one.is_scored
        }


class Unwritten(Running):
    """Remembers what JSON cannot hold."""

    def remember(self, memory, mean):
        memory["credit"] = {"mean": np.float32(mean)}


class Renamed(Running):
    """Remembers under a number, which is a text when it comes back."""

    def __call__(self, groups, progress):
        progress.memory["credit"] = {"mean": progress.memory.get(0, 0.0)}
        return super().__call__(groups, progress)

    def remember(self, memory, mean):
        memory[0] = mean


@dataclass(frozen=True)
class Hidden(Running):
    """Remembers in itself how often it was asked."""

    steps: list[int] = field(default_factory=list)

    def __call__(self, groups, progress):
        self.steps.append(progress.step)
        return {(g, 0): spread_over(one.trajectories[0], float(len(self.steps))) for g, one in enumerate(groups)}


class Forgetful(Curriculum):
    """Knows how many groups to keep only while the same object lives."""

    def __call__(self, groups, progress):
        self.size = getattr(self, "size", 0) + 1 if progress.step else 1
        return groups[: self.size]


class Unnamed(Worth):
    """Gives targets under another name than it declares."""

    def named(self, values):
        return {"values": tuple(values)}


@dataclass(frozen=True)
class Vanishing(Restless):
    """Claims to push nothing where there is no advantage, and is wrong only beside others that have one."""

    vanishes: ClassVar[bool] = True
    scope: ClassVar[str] = "trajectory"

    def __call__(self, view, log_ratio_N):
        return -(view.advantage_N + 0.1 * view.advantage_N.abs().max()) * log_ratio_N.exp(), {}


class Quitting(GroupRelative):
    """Ends the program."""

    def __call__(self, groups, progress):
        raise SystemExit(0)


WRONG = {
    "an exit": ({"credit": Quitting()}, "The same groups get the same credit. ForeignExitError: raised SystemExit: 0"),
    "None is no zero": ({"credit": Everyone()}, "a reward of None counts as a number"),
    "no favourites": ({"credit": Rounded()}, "3 attempts that earned 1.0 have different credit"),
    "rounding": ({"credit": Uncentred()}, "3 attempts that all earned 0.[67] have advantages up to 1.1.*e-16"),
    "not JSON": ({"credit": Unwritten()}, "float32 is not JSON serializable. Keep numbers as float"),
    "not as JSON": ({"credit": Renamed()}, "go on alike. Not so: credit differs: something is remembered elsewhere"),
    "hidden": ({"credit": Hidden()}, "go on alike. Not so: credit differs: something is remembered elsewhere"),
    "forgotten": ({"select": (Forgetful(),)}, "go on alike. Not so: other groups or trajectories are selected"),
    "targets": (
        {"credit": Unnamed(), "explore": NOTED.explore, "annotate": NOTED.annotate},
        r"it declares \['returns'\] and gives \['values'\]",
    ),
    "vanishes": ({"surrogate": Vanishing()}, "where half of the samples have no advantage. Not so"),
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


def test_a_checked_algorithm_leaves_nothing_behind_for_the_next():
    assert check_algorithm(RIGHT["running"]) == check_algorithm(RIGHT["running"])


def test_notes_of_which_there_is_no_example_are_numbers_one_per_token_equal_for_equal_attempts():
    one, other = of_rewards(NOTED, [1.0, 0.0])[0].trajectories
    assert one.turns[0].token_signals["doubt"].shape == (3,)
    assert one.turns[0].token_signals["doubt"].tolist() == other.turns[0].token_signals["doubt"].tolist()
    assert one.turns[0].token_signals["ids"].shape == (3, 4)
