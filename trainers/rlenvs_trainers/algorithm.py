"""An algorithm is data: one choice per slot. This module has the slots' protocols and what flows between them.

The maths of the choices is in `explore`, `select`, `shape`, `credit`, `ratio`, `surrogate`, `weights`, `regularise`,
`reduce`; the core that calls them is `objective` (tensors) and `loop` (records). No module of slots imports torch
before a slot is called, so that listing algorithms stays instant.

A component has what its protocol here names, and may declare more: `scope`, `vanishes`, `clips`, `targets`,
`needs_sampler`, `token_signals`, `objection`, `example_notes`. What they mean, and what is assumed without them, is in
`declared`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from rlenvs_trainers.records import Group, Level, Player, Trajectory

if TYPE_CHECKING:
    from torch import Tensor

    from rlenvs_trainers.forward import Policy
    from rlenvs_trainers.render import Renderer
    from rlenvs_trainers.rollout import Rollouts
    from rlenvs_trainers.samplers.base import Sampler
    from rlenvs_trainers.signal_modules import SignalModule
    from rlenvs_trainers.view import View

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far training has come: what schedules and curricula read."""

    step: int
    num_steps: int
    version: int = 0  # of the policy that is about to be trained: what staleness is measured against
    memory: dict[str, Any] = field(default_factory=dict)
    """What slots remember between steps (a running baseline, a curriculum), by slot name: JSON values, owned by the
    loop, saved in every checkpoint and restored."""

    @property
    def fraction(self) -> float:
        """0 at the first step, 1 at the last."""
        return self.step / max(1, self.num_steps - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCredit:
    """Credit of one trajectory, a number per token of each turn, in the order of its turns.

    Checked by `batch.pack`, which knows whose it is: an array for every turn, an entry for every token.
    """

    advantage: tuple[Floats, ...]  # one [L] per turn, finite
    weight: tuple[Floats, ...]  # one [L] per turn, >= 0; 0: not trained, and not counted in any denominator
    targets: Mapping[str, tuple[Floats, ...]] = field(default_factory=dict)  # for what a critic should say


Credit = Mapping[tuple[int, int], TokenCredit]
"""By (index of the group, index of the trajectory in it). A trajectory that is not there is not trained."""


class Explorer(Protocol):
    """Turns tasks into trajectories. Async: it calls the sampler and the environments.

    It, and every part inside of it, may declare `needs_sampler` and `token_signals`, and have `example_notes`.
    """

    async def __call__(self, rollouts: Rollouts) -> Sequence[Trajectory]:
        """All trajectories of one group of attempts, every seat."""


class Selector(Protocol):
    """Which groups, and which of their trajectories, go on."""

    @property
    def refills(self) -> bool:
        """Whether the loop draws new tasks for the groups that it dropped."""

    def __call__(self, groups: Sequence[Group], progress: Progress) -> Sequence[Group]:
        """The groups that stay; trajectories to be masked come back with `is_trained=False`."""


Pair = tuple[Sequence[int], Sequence[int]]
"""A prefix, which is not empty, and its continuation, in token ids."""


class Models(Protocol):
    """What annotators may ask: the policy that is trained, and what the sampler serves beside it."""

    @property
    def renderer(self) -> Renderer:
        """From messages to ids and back."""

    @property
    def sampler(self) -> Sampler:
        """Who wrote the completions."""

    @property
    def player(self) -> Player:
        """The name and version under which the sampler serves the policy that is trained."""

    async def score(self, pairs: Sequence[Pair], player: Player | None = None) -> Sequence[tuple[float, ...]]:
        """Log-probability of every continuation token given its prefix, in nats, at temperature 1.

        Args:
            player: whose; None: of the policy that is trained.
        """

    def signals(self, trajectories: Sequence[Trajectory]) -> Sequence[Sequence[Mapping[str, Floats]]]:
        """What the learner computes of the policy that is trained, at the sampling temperature, without gradient.

        Returns:
            For every trajectory and turn, by name, [L] numbers (or [L, K] rows), NaN at tokens that were not sampled:
            "logprob" and "entropy" in nats, and each `Signal` that the algorithm brings along and whose `needs` are
            noted on all the turns.
        """


class Annotator(Protocol):
    """Adds what a model says of the trajectories: beliefs, values, reference support. Async: it calls models.

    It may declare `needs_sampler` and `token_signals`, and have `example_notes`, as an `Explorer`.
    """

    async def __call__(self, groups: Sequence[Group], models: Models) -> Sequence[Group]:
        """The same groups, with signals."""


class Shaper(Protocol):
    """Adds named rewards to the environment's own."""

    def __call__(self, group: Group, progress: Progress) -> Group:
        """The same group with more rewards."""


class CreditRule(Protocol):
    """Whose doing it was: an advantage for every token. It may declare `targets`."""

    @property
    def unit(self) -> Level:
        """The finest unit at which its advantages differ."""

    @property
    def min_group(self) -> int:
        """The fewest attempts at a task from which it can tell anything."""

    def __call__(self, groups: Sequence[Group], progress: Progress) -> Credit:
        """Credit for all groups of the step (gathered over ranks)."""


@runtime_checkable
class Signal(Protocol):
    """What the learner computes of every trained token beside its log-probability and entropy: a critic's value, say.

    It has no slot: it is a field of whichever component brings it along, at any depth. Every slot that has its `name`
    in `needs` finds it in `view.signals`, a differentiable leaf; annotators find it in `Models.signals`. What it learns
    is trained, checkpointed and restored with the policy.
    """

    @property
    def name(self) -> str:
        """An identifier."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Names of the token signals that its module reads."""

    @property
    def lr(self) -> float | None:
        """The peak learning rate of what it learns, on the policy's schedule; None: it learns nothing."""

    def build(self, policy: Policy) -> SignalModule:
        """What computes it, on the policy's device. Called once, before the first step."""


class RatioRule(Protocol):
    """How far the policy has moved, at a unit. It may declare its `scope`, and have an `objection`."""

    @property
    def unit(self) -> Level:
        """The unit that one ratio speaks of."""

    def __call__(self, view: View, credit_unit: Level) -> Tensor:
        """[N] log-ratio of each token's unit, clamped so that its exponential is finite."""


class Surrogate(Protocol):
    """The loss of every token before weights and averaging.

    It may declare its `scope`, whether it `vanishes` and whether it `clips`, and have an `objection`.
    """

    @property
    def needs(self) -> tuple[str, ...]:
        """Names of the signals and constants that it reads."""

    def __call__(self, view: View, log_ratio_N: Tensor) -> tuple[Tensor, Mapping[str, Tensor]]:
        """[N] losses, and named diagnostics as [N] tensors (their weighted mean is logged)."""


class WeightRule(Protocol):
    """A detached factor per token, after the surrogate and before the regularisers.

    It may declare its `scope`, and have an `objection`.
    """

    @property
    def needs(self) -> tuple[str, ...]:
        """Names of the signals and constants that it reads."""

    def __call__(self, view: View, log_ratio_N: Tensor) -> tuple[Tensor, Mapping[str, Tensor]]:
        """[N] factors, and diagnostics."""


class Regulariser(Protocol):
    """A term added to the loss, outside of ratio and weights.

    It may declare its `scope`, and have an `objection`.
    """

    @property
    def name(self) -> str:
        """What its term is called in the metrics."""

    @property
    def coefficient(self) -> float:
        """0: the term is left out, and what it needs is not computed."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Names of the signals and constants that it reads."""

    @property
    def reduce(self) -> Reduction | None:
        """None: the algorithm's own."""

    def __call__(self, view: View) -> Tensor:
        """[N] terms, before the coefficient."""


class Reduction(Protocol):
    """From a number per token to one number. It may declare its `scope`, and have an `objection`."""

    def __call__(self, value_N: Tensor, view: View) -> Tensor:
        """The mean whose denominators are those of the whole optimiser step, over all ranks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Algorithm:
    """One choice per slot.

    `explore` and `annotate` call models; every other slot is a pure function. See `docs/algorithms.md`.
    """

    name: str
    explore: Explorer
    select: tuple[Selector, ...] = ()
    annotate: tuple[Annotator, ...] = ()
    shape: tuple[Shaper, ...] = ()
    credit: CreditRule
    old: Literal["trainer", "sampler"] = "trainer"
    ratio: RatioRule
    surrogate: Surrogate
    weights: tuple[WeightRule, ...] = ()
    regularise: tuple[Regulariser, ...] = ()
    reduce: Reduction
    updates: tuple[int, int] = (1, 1)  # epochs over the step's data, minibatches per epoch

    def __post_init__(self) -> None:
        epochs, minibatches = self.updates
        if epochs < 1 or minibatches < 1:
            raise ValueError(
                f"algorithm {self.name!r}: updates are (epochs, minibatches), both at least 1: got {self.updates}"
            )

    @property
    def needs(self) -> frozenset[str]:
        """The signals that its slots read, besides the log-probability."""
        needs = set(self.surrogate.needs)
        needs.update(*(rule.needs for rule in self.weights))
        needs.update(*(term.needs for term in self.regularise if term.coefficient))
        return frozenset(needs)
