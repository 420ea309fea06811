"""From groups and their credit to flat vectors over the trained tokens, and how a step's data is cut. numpy.

Axes: N trained tokens of a batch, in the order of its samples; T tokens of one sample. Tokens that are not trained
(prompts, replies, forced ids, weight 0) are left out here, once; nothing after this module has a mask.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
import numpy.typing as npt

from rlenvs.errors import RlenvsError
from rlenvs_trainers.algorithm import Credit, Floats, Ints, TokenCredit
from rlenvs_trainers.credited import check_credit
from rlenvs_trainers.records import Group, Level, Numbers, Trajectory, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One sequence that the policy reads in a forward pass."""

    ids: Ints  # [T] up to the last trained token
    positions: Ints  # [n] where the trained tokens are in it, increasing; at least 1: something was read before

    def __post_init__(self) -> None:
        if len(self.positions) and not (self.positions[0] >= 1 and self.positions[-1] < len(self.ids)):
            raise ValueError(f"trained positions lie in 1 … {len(self.ids) - 1}: got {self.positions}")

    @classmethod
    def of(cls, prompt_ids: Sequence[int], completion_ids: Sequence[int]) -> Self:
        """A prompt and its completion, every token of which counts."""
        ids = np.array([*prompt_ids, *completion_ids], dtype=np.int64)
        return cls(ids=ids, positions=np.arange(len(prompt_ids), len(ids)))

    @property
    def targets(self) -> Ints:
        """[n] ids of the trained tokens."""
        return self.ids[self.positions]


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Packed vectors over the trained tokens of several samples. Segment ids count from 0 over the whole step."""

    samples: tuple[Sample, ...]
    sampler_N: Floats  # log-probabilities that the sampler reported
    advantage_N: Floats
    weight_N: Floats  # > 0
    sample_N: Ints  # index into `samples`
    action_N: Ints
    trajectory_N: Ints
    group_N: Ints
    # [N] or [N, K] numbers besides: what a critic should say, what annotators noted …
    constants: Mapping[str, Numbers] = field(default_factory=dict)
    labels: tuple[str, ...] = ()  # by trajectory id: its task and episode, for messages
    borrowed: frozenset[int] = frozenset()  # ids of trajectories that another policy wrote, such as demonstrations

    def __post_init__(self) -> None:
        count = sum(len(sample.positions) for sample in self.samples)
        vectors = (
            self.sampler_N,
            self.advantage_N,
            self.weight_N,
            self.sample_N,
            *self._segments(),
            *self.constants.values(),
        )
        if any(len(vector) != count for vector in vectors):
            raise ValueError(f"{count} trained tokens, but vectors of {sorted({len(vector) for vector in vectors})}")
        if not np.all(self.weight_N > 0):
            raise ValueError("a trained token has a weight above 0: leave the others out of the samples' positions")

    def __len__(self) -> int:
        return len(self.weight_N)

    def _segments(self) -> tuple[Ints, Ints, Ints]:
        return self.action_N, self.trajectory_N, self.group_N

    def segment_ids(self, level: Level) -> Ints:
        """[N] which unit every token belongs to."""
        return {"token": np.arange(len(self)), "action": self.action_N, "trajectory": self.trajectory_N}[level]

    def tokens_of(self, samples: Sequence[int] | Ints) -> Ints:
        """Indices of these samples' tokens, in this order."""
        starts = np.concatenate([[0], np.cumsum([len(sample.positions) for sample in self.samples])])
        pieces = [np.arange(starts[index], starts[index + 1]) for index in samples]
        tokens: Ints = np.concatenate([*pieces, np.zeros(0, dtype=np.int64)]).astype(np.int64)
        return tokens

    def own(self) -> npt.NDArray[np.bool_]:
        """[N] whether the seat's own policy wrote it: only then do `sampler_N` and the learner speak of one thing."""
        return ~np.isin(self.trajectory_N, list(self.borrowed))

    def where(self, token: int) -> str:
        """The words that name a token's task and episode."""
        return self.labels[int(self.trajectory_N[token])]

    def take(self, samples: Sequence[int] | Ints) -> Batch:
        """These samples, in this order; segments keep their ids."""
        tokens = self.tokens_of(samples)
        lengths = [len(self.samples[index].positions) for index in samples]
        return Batch(
            samples=tuple(self.samples[index] for index in samples),
            sampler_N=self.sampler_N[tokens],
            advantage_N=self.advantage_N[tokens],
            weight_N=self.weight_N[tokens],
            sample_N=np.repeat(np.arange(len(lengths)), lengths),
            action_N=self.action_N[tokens],
            trajectory_N=self.trajectory_N[tokens],
            group_N=self.group_N[tokens],
            constants={name: values[tokens] for name, values in self.constants.items()},
            labels=self.labels,
            borrowed=self.borrowed,
        )

    def owners(self, of: Ints) -> Ints:
        """[samples] the trajectory or group of each sample, from its first trained token."""
        first = np.unique(self.sample_N, return_index=True)[1]
        return of[first]


def pack(groups: Sequence[Group], credit: Credit, signals: Collection[str] = ()) -> Batch:
    """All trained tokens of a step. A trajectory whose history was rewritten between turns becomes several samples.

    A trajectory that has no credit, or no token with a weight above 0, is not there and counts nowhere.

    Args:
        signals: names of the turns' `token_signals` that become constants of the batch.

    Raises:
        RlenvsError: a turn that is trained lacks one of them, or the credit is not what its groups can have.
    """
    check_credit(groups, credit, signals)
    packer = _Packer(sorted(signals))
    for group_index, group in enumerate(groups):
        for place, trajectory in enumerate(group.trajectories):
            given = credit.get((group_index, place))
            if given is not None:
                packer.add(trajectory, given, group_index)
    return packer.batch()


class _Packer:
    """Gathers samples and vectors, trajectory by trajectory."""

    def __init__(self, signals: Sequence[str]) -> None:
        self.signals = signals
        self.samples: list[Sample] = []
        self.columns: dict[str, list[Floats]] = {name: [] for name in ("sampler", "advantage", "weight")}
        self.segments: dict[str, list[Ints]] = {name: [] for name in ("sample", "action", "trajectory", "group")}
        self.constants: dict[str, list[Numbers]] = {}
        self.labels: list[str] = []
        self.borrowed: set[int] = set()
        self.num_actions = 0

    def add(self, trajectory: Trajectory, credit: TokenCredit, group: int) -> None:
        """One trajectory: its turns are joined as long as each begins with all that came before."""
        trained = [_trained(turn, weight) for turn, weight in zip(trajectory.turns, credit.weight, strict=True)]
        if not any(len(tokens) for tokens in trained):
            return
        for sample_turns in _joined(trajectory.turns):
            self._add_sample(trajectory, credit, trained, sample_turns, group)
        if any(turn.completion.policy != trajectory.policy for turn in trajectory.turns):
            self.borrowed.add(len(self.labels))
        self.labels.append(f"task {trajectory.task_id}, episode {trajectory.episode}")

    def _add_sample(
        self, trajectory: Trajectory, credit: TokenCredit, trained: Sequence[Ints], turns: Sequence[int], group: int
    ) -> None:
        kept = [index for index in turns if len(trained[index])]
        if not kept:
            return
        last = trajectory.turns[kept[-1]]
        ids = np.array([*last.prompt_ids, *last.completion.token_ids], dtype=np.int64)
        positions = np.concatenate([len(trajectory.turns[index].prompt_ids) + trained[index] for index in kept])
        for index in kept:
            self._add_turn(trajectory.turns[index], index, credit, trained[index], group)
        self.samples.append(Sample(ids=ids[: positions[-1] + 1], positions=positions))

    def _add_turn(self, turn: Turn, index: int, credit: TokenCredit, tokens: Ints, group: int) -> None:
        self.columns["sampler"].append(np.array(turn.completion.logprobs)[tokens])
        self.columns["advantage"].append(credit.advantage[index][tokens])
        self.columns["weight"].append(credit.weight[index][tokens])
        numbers = {
            "sample": len(self.samples),
            "action": self.num_actions,
            "trajectory": len(self.labels),
            "group": group,
        }
        for name, number in numbers.items():
            self.segments[name].append(np.full(len(tokens), number, dtype=np.int64))
        noted = {name: _noted(turn, name) for name in self.signals}
        for name, numbers_L in ({name: values[index] for name, values in credit.targets.items()} | noted).items():
            self.constants.setdefault(name, []).append(numbers_L[tokens])
        self.num_actions += 1

    def batch(self) -> Batch:
        """What was gathered."""
        columns = {f"{name}_N": np.concatenate([*parts, np.zeros(0)]) for name, parts in self.columns.items()}
        segments = {
            f"{name}_N": np.concatenate([*parts, np.zeros(0, dtype=np.int64)]).astype(np.int64)
            for name, parts in self.segments.items()
        }
        constants = {name: np.concatenate(parts) for name, parts in self.constants.items()}
        return Batch(
            samples=tuple(self.samples),
            **columns,
            **segments,
            constants=constants,
            labels=tuple(self.labels),
            borrowed=frozenset(self.borrowed),
        )


def _trained(turn: Turn, weight: Floats) -> Ints:
    """Which of the completion's tokens are trained: sampled by the policy, and of some weight."""
    return np.flatnonzero(np.array(turn.completion.sampled, dtype=bool) & (weight > 0))


def _noted(turn: Turn, name: str) -> Numbers:
    if name not in turn.token_signals:
        raise RlenvsError(
            f"turn {turn.id} has no signal {name!r}, which the algorithm reads of all trained tokens: note it on every "
            f"turn. There is: {', '.join(sorted(turn.token_signals)) or 'none'}"
        )
    return turn.token_signals[name]


def _joined(turns: Sequence[Turn]) -> Iterator[list[int]]:
    """The turns of each sample: a turn continues one if its prompt begins with everything read and written there."""
    current: list[int] = []
    for index, turn in enumerate(turns):
        if current and not _continues(turns[current[-1]], turn):
            yield current
            current = []
        current.append(index)
    yield current


def _continues(before: Turn, turn: Turn) -> bool:
    seen = len(before.prompt_ids) + len(before.completion.token_ids)
    return turn.prompt_ids[:seen] == (*before.prompt_ids, *before.completion.token_ids)


def split(batch: Batch, minibatches: int, rng: np.random.Generator) -> list[Batch]:
    """The data of each optimiser step of an epoch: whole groups in random order, trajectories where groups are few.

    Fewer parts than asked for if there are fewer trajectories; none of them is empty.
    """
    if len(batch) == 0:
        return []
    if minibatches == 1:
        return [batch]
    owners = batch.owners(batch.group_N)
    if len(np.unique(owners)) < minibatches:
        owners = batch.owners(batch.trajectory_N)
    units = rng.permutation(np.unique(owners))
    parts = np.array_split(units, min(minibatches, len(units)))
    return [batch.take(np.flatnonzero(np.isin(owners, part))) for part in parts]
