"""What annotators may ask of models, in a training run: scores by the sampler, signals by the learner's own forward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rlenvs_trainers.algorithm import Floats, Pair
from rlenvs_trainers.batch import pack
from rlenvs_trainers.credit import spread_over
from rlenvs_trainers.declared import read_by_signals
from rlenvs_trainers.passes import to_numpy
from rlenvs_trainers.records import Group, Player, Trajectory, Turn
from rlenvs_trainers.samplers.base import Sampler, ScoreRequest

if TYPE_CHECKING:
    from rlenvs_trainers.learner import Learner
    from rlenvs_trainers.render import Renderer


@dataclass(frozen=True, slots=True, kw_only=True)
class RunModels:
    """The `Models` of a run. See there."""

    sampler: Sampler
    renderer: Renderer
    learner: Learner
    player: Player
    max_staleness: int = 0  # as in `SampleRequest`

    async def score(self, pairs: Sequence[Pair], player: Player | None = None) -> Sequence[tuple[float, ...]]:
        """One batch for the sampler."""
        player = player or self.player
        return await self.sampler.score(
            [
                ScoreRequest(
                    key=f"{number:09d}",
                    prefix_ids=tuple(prefix),
                    continuation_ids=tuple(continuation),
                    policy=player.policy,
                    version=player.version,
                    max_staleness=self.max_staleness,
                )
                for number, (prefix, continuation) in enumerate(pairs)
            ]
        )

    def signals(self, trajectories: Sequence[Trajectory]) -> list[list[dict[str, Floats]]]:
        """One pass of the learner over all of them."""
        groups = [Group(trajectories=(trajectory,)) for trajectory in trajectories]
        credit = {(index, 0): spread_over(each, 1.0) for index, each in enumerate(trajectories)}
        turns = [turn for trajectory in trajectories for turn in trajectory.turns]
        noted = {
            name
            for name in read_by_signals(self.learner.algorithm)
            if all(name in turn.token_signals for turn in turns)
        }
        batch = pack(groups, credit, noted)
        if not len(batch) and turns:  # nobody wrote anything: rows of no token, of the right width
            batch = replace(batch, constants={name: turns[0].token_signals[name][:0] for name in noted})
        found = self.learner.passes.signals(self.learner.policy, batch, brought=True)
        numbers = {name: to_numpy(values_N) for name, values_N in found.items()}
        place, signals = 0, list[list[dict[str, Floats]]]()
        for trajectory in trajectories:
            signals.append([])
            for turn in trajectory.turns:
                signals[-1].append({name: _of_turn(turn, values_N[place:]) for name, values_N in numbers.items()})
                place += sum(turn.completion.sampled)
        return signals


def _of_turn(turn: Turn, values: Floats) -> Floats:
    """[L, …] the first of the values, at the turn's sampled tokens; NaN at the others."""
    sampled = np.array(turn.completion.sampled, dtype=bool)
    of_tokens = np.full((len(sampled), *values.shape[1:]), np.nan)
    of_tokens[sampled] = values[: sampled.sum()]
    return of_tokens
