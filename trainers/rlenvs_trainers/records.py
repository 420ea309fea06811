"""What a rollout is made of, in tokens: completions, turns, trajectories, groups. Frozen, checked once when made.

Text is decoded for the environment; ids that were sampled are never encoded again.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rlenvs.records import FAILURES, Ending, Message, Task, Verdict

FinishReason = Literal[
    "stop",  # the policy wrote an end-of-sequence token (the last id)
    "stop_string",  # it wrote one of the texts that end an action (`Sampling.stop`)
    "length",  # its token limit was reached first
    "monitor",  # a monitor stopped the action
    "cut",  # the environment used only the beginning: the ids after it were dropped
]
Level = Literal["token", "action", "trajectory"]
"""The three units of an interaction: what a reward speaks of, at which credit, ratio and averaging work."""

Numbers = npt.NDArray[np.floating[Any] | np.integer[Any]]

CUT_SHORT: frozenset[Ending] = frozenset({"max_tokens", "context_overflow"})
"""Endings that a token limit caused."""

LEVELS: tuple[Level, ...] = ("token", "action", "trajectory")  # from fine to coarse


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """One message, exactly as the policy sampled it."""

    token_ids: tuple[int, ...]  # [L], the end-of-sequence token included where it was written
    logprobs: tuple[float, ...]  # [L] nats, of the tempered distribution under the weights that sampled it
    sampled: tuple[bool, ...]  # [L] False on ids that a monitor forced: never trained
    finish_reason: FinishReason
    policy: str  # the name of the policy that wrote it
    version: int  # how many updates that policy had had

    def __post_init__(self) -> None:
        tokens, logprobs, sampled = len(self.token_ids), len(self.logprobs), len(self.sampled)
        if not tokens == logprobs == sampled:
            raise ValueError(
                f"one logprob and one sampled flag per token: got {tokens} tokens, {logprobs} logprobs, {sampled} flags"
            )
        if self.version < 0:
            raise ValueError(f"a policy version counts updates from 0: got {self.version}")
        for position, logprob in enumerate(self.logprobs):
            if not logprob <= 1e-4:  # also catches NaN
                raise ValueError(f"a logprob is at most 0: got {logprob} at position {position}")

    def cut(self, length: int) -> "Completion":
        """The first `length` tokens, as they were sampled."""
        if length >= len(self.token_ids):
            return self
        return Completion(
            token_ids=self.token_ids[:length],
            logprobs=self.logprobs[:length],
            sampled=self.sampled[:length],
            finish_reason="cut",
            policy=self.policy,
            version=self.version,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """Who sits in a seat: the policy that is trained, a past self, another."""

    policy: str  # its name in the sampler
    version: int | None  # that it must be served by; None: whichever is there
    is_learner: bool = True  # False: what it writes is not trained on


@dataclass(frozen=True, slots=True, kw_only=True)
class Reward:
    """One named number and what it speaks of."""

    name: str
    value: float | None  # weighted, as it enters the return; None: could not be scored
    level: Level = "trajectory"
    token: int | None = None  # the position in the completion, at level "token"

    def __post_init__(self) -> None:
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"reward {self.name!r} is a finite number or None: got {self.value}")
        if (self.level == "token") != (self.token is not None):
            raise ValueError(f"reward {self.name!r}: a token position goes with level 'token', and only with it")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One action and what it led to.

    Branches of a tree share the turns of their common path, by `id`.
    """

    id: str
    prompt_ids: tuple[int, ...]  # everything the policy read before it wrote
    completion: Completion
    discarded: tuple[Completion, ...] = ()  # sampled and thrown away before this one: they count in the budget
    reply: tuple[Message, ...] = ()  # what the world answered
    rewards: tuple[Reward, ...] = ()  # levels "token" and "action"
    signals: Mapping[str, float] = field(default_factory=dict)  # named numbers of a monitor or an annotator
    # The same for every token of the completion, [L] or [L, K]: values, a reference's top K … Equality ignores them.
    token_signals: Mapping[str, Numbers] = field(default_factory=dict, compare=False)
    belief: float | None = None  # of the right answer, in the state *before* this action

    def __post_init__(self) -> None:
        if not self.prompt_ids:
            raise ValueError(f"turn {self.id}: the policy read nothing before it wrote")
        length = len(self.completion.token_ids)
        for name, numbers in self.token_signals.items():
            if numbers.dtype.kind not in "fiu" or numbers.ndim not in (1, 2) or len(numbers) != length:
                raise ValueError(
                    f"turn {self.id}: signal {name!r} has numbers of shape [{length}] or [{length}, K], one entry per "
                    f"token: got {numbers.dtype} of shape {list(numbers.shape)}"
                )
        for reward in self.rewards:
            if reward.level == "trajectory":
                raise ValueError(
                    f"turn {self.id}: reward {reward.name!r} of level 'trajectory' belongs to the trajectory"
                )
            if reward.token is not None and not 0 <= reward.token < length:
                raise ValueError(
                    f"turn {self.id}: reward {reward.name!r} speaks of token {reward.token}, which is not there"
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """Where a trajectory grew on a tree of shared beginnings."""

    tree: int  # which tree of its group
    parent: str | None  # id of the last turn shared with the branch it left; None: it left at the root
    log_weight: float = 0.0  # of this leaf under the exploration's target, relative to a plain sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """What one agent seat lived through in one episode."""

    episode: str
    task: Task
    seat: str
    policy: str = "policy"  # who sat there
    attempt: int  # which of the group's attempts
    turns: tuple[Turn, ...]
    ending: Ending
    verdict: Verdict | None
    prompt: tuple[Message, ...] = ()  # in words, what the seat read before its first action: for people to read
    answer: str | None = None  # how a right first action of this seat would look; None: the environment does not say
    final_belief: float | None = None  # of the right answer, in the state after the last action: see `Turn.belief`
    rewards: tuple[Reward, ...] = ()  # level "trajectory": the verdict's parts, and what shapers add
    branch: Branch | None = None
    is_trained: bool = True  # False: stays in its group's statistics but gets no gradient
    error: str = ""

    def __post_init__(self) -> None:
        if (self.verdict is None) != (self.ending in FAILURES):
            raise ValueError(
                f"episode {self.episode}: the verdict is None exactly when nothing can be learned, "
                f"got ending {self.ending!r} with verdict {self.verdict}"
            )
        ids = [turn.id for turn in self.turns]
        if len(set(ids)) != len(ids):
            raise ValueError(f"episode {self.episode}: its turns have different ids, got {ids}")

    @property
    def task_id(self) -> str:
        """Of its task."""
        return self.task.id

    @property
    def fingerprint(self) -> str:
        """Of its task: siblings agree."""
        return self.task.fingerprint

    @property
    def is_scored(self) -> bool:
        """Whether it may enter its group's statistics."""
        return self.verdict is not None and all(reward.value is not None for reward in self.all_rewards)

    @property
    def all_rewards(self) -> tuple[Reward, ...]:
        """Those of every level."""
        return (*self.rewards, *(reward for turn in self.turns for reward in turn.rewards))

    @property
    def reward(self) -> float:
        """The sum of all its rewards. Only for a scored trajectory."""
        if not self.is_scored:
            raise ValueError(f"episode {self.episode} has no reward: it ended as {self.ending!r}. Ask is_scored first.")
        return float(sum(reward.value for reward in self.all_rewards if reward.value is not None))

    @property
    def parts(self) -> dict[str, float]:
        """What each name added to the reward, over all levels: they sum to `reward`. Empty where it is not scored."""
        sums: dict[str, float] = {}
        for reward in self.all_rewards if self.is_scored else ():
            sums[reward.name] = sums.get(reward.name, 0.0) + (reward.value or 0.0)
        return sums

    @property
    def num_tokens(self) -> int:
        """Tokens that the policy wrote into the conversation (discarded ones not counted)."""
        return sum(len(turn.completion.token_ids) for turn in self.turns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Attempts by one policy in one seat at one task: what a baseline may be taken over."""

    trajectories: tuple[Trajectory, ...]

    def __post_init__(self) -> None:
        if not self.trajectories:
            raise ValueError("a group has at least one trajectory")
        kinds = {(each.fingerprint, each.seat, each.policy) for each in self.trajectories}
        if len(kinds) > 1:
            raise ValueError(
                f"a group is one task, one seat and one policy, baselines must not mix them: got {sorted(kinds)}"
            )

    @property
    def task_id(self) -> str:
        """The task all of them tried."""
        return self.trajectories[0].task_id

    @property
    def seat(self) -> str:
        """The agent seat all of them sat in."""
        return self.trajectories[0].seat

    @property
    def scored(self) -> tuple[Trajectory, ...]:
        """Those that may enter its statistics."""
        return tuple(trajectory for trajectory in self.trajectories if trajectory.is_scored)
