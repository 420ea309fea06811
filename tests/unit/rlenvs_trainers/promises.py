"""Algorithms that keep every promise which `check_algorithm` looks at, of our slots and of others."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import torch

from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.algorithm import TokenCredit
from rlenvs_trainers.credit import GroupRelative, spread_over
from rlenvs_trainers.explore import Chain
from rlenvs_trainers.ratio import Ratio
from rlenvs_trainers.reduce import Mean
from rlenvs_trainers.regularise import KL, EntropyBonus
from rlenvs_trainers.shape import Overlong
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
