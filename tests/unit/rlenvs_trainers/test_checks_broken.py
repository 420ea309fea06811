"""`check_algorithm` names what is wrong with algorithms that break one promise each."""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import pytest
import torch

from rlenvs_plugins.grpo import GRPO
from rlenvs_trainers.checks import AlgorithmError, check_algorithm
from rlenvs_trainers.credit import GroupRelative, spread_over

from .promises import NOTED, Curriculum, Running, Worth


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
