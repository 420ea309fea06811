"""Algorithms that bring signals along: a critic as baseline, and a loss on what the policy gives to noted tokens.

It is a plug-in too, for tests from the command line.
"""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import torch

from rlenvs.hooks import hookimpl
from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.algorithm import Signal, TokenCredit
from rlenvs_trainers.records import Group
from rlenvs_trainers.signal_modules import SignalModule
from rlenvs_trainers.signals import Critic, LogprobsOf

K = 3


def with_notes(groups, notes):
    """The groups, with `notes(turn, index of the trajectory in all, index of the turn)` among their token signals."""
    trajectories = [trajectory for group in groups for trajectory in group.trajectories]
    noted = iter(
        replace(
            each,
            turns=tuple(
                replace(turn, token_signals={**turn.token_signals, **notes(turn, index, number)})
                for number, turn in enumerate(each.turns)
            ),
        )
        for index, each in enumerate(trajectories)
    )
    return [Group(trajectories=tuple(next(noted) for _ in group.trajectories)) for group in groups]


@dataclass(frozen=True)
class Values:
    """Notes what the critic says before anything is learned."""

    token_signals: ClassVar[tuple[str, ...]] = ("old_value",)

    async def __call__(self, groups, models):
        said = models.signals([trajectory for group in groups for trajectory in group.trajectories])
        return with_notes(groups, lambda turn, index, number: {"old_value": said[index][number]["value"]})


@dataclass(frozen=True)
class AgainstTheCritic:
    """The attempt's reward against the value of every token's state."""

    unit: ClassVar[str] = "token"
    min_group: ClassVar[int] = 1
    targets: ClassVar[tuple[str, ...]] = ("returns",)

    def __call__(self, groups, progress):
        scored = [(g, i, t) for g, group in enumerate(groups) for i, t in enumerate(group.trajectories) if t.is_scored]
        return {(g, i): self._credit(t) for g, i, t in scored if t.is_trained}

    @staticmethod
    def _credit(trajectory):
        values = [np.nan_to_num(turn.token_signals["old_value"]) for turn in trajectory.turns]
        return TokenCredit(
            advantage=tuple(trajectory.reward - value for value in values),
            weight=tuple(np.ones(len(value)) for value in values),
            targets={"returns": tuple(np.full(len(value), trajectory.reward) for value in values)},
        )


@dataclass(frozen=True)
class ValueLoss:
    critic: Signal = field(default_factory=lambda: Critic(lr=1e-2))
    coefficient: float = 1.0
    target: str = "returns"

    name: ClassVar[str] = "value_loss"
    reduce: ClassVar[None] = None
    scope: ClassVar[str] = "token"

    @property
    def needs(self):
        return ("value", self.target)

    def __call__(self, view):
        return (view.signals["value"] - view.constants[self.target]).square() / 2


@dataclass(frozen=True)
class Candidates:
    """Notes K other tokens in the place of each."""

    token_signals: ClassVar[tuple[str, ...]] = ("candidates",)

    async def __call__(self, groups, models):
        return with_notes(groups, lambda turn, index, number: {"candidates": candidates_of(turn)})

    def example_notes(self, turn, rng):
        return replace(turn, token_signals={"candidates": candidates_of(turn)})


def candidates_of(turn):
    return (np.array(turn.completion.token_ids, dtype=np.int64)[:, None] + np.arange(1, K + 1)) % 64


@dataclass(frozen=True)
class Support:
    """Minus the log of what the policy leaves to the candidates together."""

    signal: Signal = field(default_factory=lambda: LogprobsOf(ids="candidates", name="support"))
    coefficient: float = 0.5

    name: ClassVar[str] = "support_loss"
    needs: ClassVar[tuple[str, ...]] = ("support",)
    reduce: ClassVar[None] = None
    scope: ClassVar[str] = "token"

    def __call__(self, view):
        return -view.signals["support"].logsumexp(-1)


class Scale(SignalModule):
    """A number per token that might learn."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3, 3))

    def forward(self, reading):
        return reading.logprob_N * self.weight.sum()


@dataclass(frozen=True)
class Scaled:
    lr: float | None

    name: ClassVar[str] = "scaled"
    needs: ClassVar[tuple[str, ...]] = ()

    def build(self, policy):
        return Scale()


@dataclass(frozen=True)
class Square:
    """Pulls the scaled log-probabilities to 0."""

    signal: Signal
    coefficient: float = 1.0

    name: ClassVar[str] = "square"
    needs: ClassVar[tuple[str, ...]] = ("scaled",)
    reduce: ClassVar[None] = None
    scope: ClassVar[str] = "token"

    def __call__(self, view):
        return view.signals["scaled"].square()


CRITIC = replace(GRPO, name="critic", annotate=(Values(),), credit=AgainstTheCritic(), regularise=(ValueLoss(),))
SUPPORT = replace(GRPO, name="support", annotate=(Candidates(),), regularise=(Support(),))
BOTH = replace(CRITIC, name="both", annotate=(Values(), Candidates()), regularise=(ValueLoss(), Support()))


@hookimpl
def register_algorithms(register):
    register(CRITIC)
