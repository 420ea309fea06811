"""Made-up completions, trajectories and groups, for checks and tests of algorithms: no model, no environment."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rlenvs.records import Ending, Part, Task, Verdict, user
from rlenvs_trainers.records import Completion, Group, Reward, Trajectory, Turn

Ids = Sequence[int]


def completion(
    ids: Ids, *, logprobs: Sequence[float] | None = None, forced: Sequence[int] = (), version: int = 0
) -> Completion:
    """A completion of these ids; those at the places `forced` were not sampled."""
    return Completion(
        token_ids=tuple(ids),
        logprobs=tuple(logprobs) if logprobs is not None else (-1.0,) * len(ids),
        sampled=tuple(place not in forced for place in range(len(ids))),
        finish_reason="stop",
        policy="policy",
        version=version,
    )


def trajectory(
    turns: Sequence[tuple[Ids, Completion | Ids]],
    reward: float | None,
    *,
    task: str = "task",
    attempt: int = 0,
    seat: str = "policy",
    ending: Ending = "completed",
    beliefs: Sequence[float] = (),
    is_trained: bool = True,
) -> Trajectory:
    """What the policy read and wrote in each turn, and what it earned in the end; None: it could not be scored."""
    episode = f"{task}/{seat}/{attempt}"
    return Trajectory(
        episode=episode,
        task=Task(id=task, prompt=(user(f"{task}?"),)),
        seat=seat,
        attempt=attempt,
        turns=tuple(
            Turn(
                id=f"{episode}/{number}",
                prompt_ids=tuple(prompt),
                completion=written if isinstance(written, Completion) else completion(written),
                belief=beliefs[number] if beliefs else None,
            )
            for number, (prompt, written) in enumerate(turns)
        ),
        ending="unscored" if reward is None else ending,
        verdict=None if reward is None else _verdict(reward),
        rewards=() if reward is None else (Reward(name="outcome", value=reward),),
        is_trained=is_trained,
    )


def group(rewards: Sequence[float | None], *, length: int = 3, task: str = "task", seat: str = "policy") -> Group:
    """One single-turn attempt per reward, each with a completion of `length` tokens."""
    prompt = (1, 2)
    return Group(
        trajectories=tuple(
            trajectory([(prompt, range(3, 3 + length))], reward, task=task, attempt=attempt, seat=seat)
            for attempt, reward in enumerate(rewards)
        )
    )


def varied_groups(rng: np.random.Generator, *, vocabulary: int, groups: int = 4, attempts: int = 4) -> list[Group]:
    """Groups in which everything happens that may happen.

    One to three turns of 1 to 12 tokens, forced ids, an empty completion, a history that is rewritten, an attempt that
    could not be scored, a group in which all earned the same.
    """
    return [
        Group(
            trajectories=tuple(
                _varied(rng, vocabulary, f"task-{number}", attempt, number) for attempt in range(attempts)
            )
        )
        for number in range(groups)
    ]


def _varied(rng: np.random.Generator, vocabulary: int, task: str, attempt: int, number: int) -> Trajectory:
    prompt = [int(x) for x in np.random.default_rng(number).integers(0, vocabulary, 4 + 3 * number)]
    turns: list[tuple[Ids, Completion]] = []
    for turn in range(int(rng.integers(1, 4))):
        length = 0 if (number, attempt, turn) == (1, 0, 0) else int(rng.integers(1, 13))
        written = [int(x) for x in rng.integers(0, vocabulary, length)]
        logprobs = list(-np.log(vocabulary) + 0.3 * rng.standard_normal(length))
        forced = (length - 1,) if length > 2 and rng.random() < 0.2 else ()
        turns.append((tuple(prompt), completion(written, logprobs=logprobs, forced=forced)))
        was_rewritten = rng.random() < 0.2
        prompt = (prompt[:2] if was_rewritten else [*prompt, *written]) + [
            int(x) for x in rng.integers(0, vocabulary, 3)
        ]
    reward = 1.0 if number == 0 else float(rng.integers(0, 2))
    beliefs = [float(x) for x in rng.random(len(turns))]
    is_lost = (number, attempt) == (2, 1)
    return trajectory(turns, None if is_lost else reward, task=task, attempt=attempt, beliefs=beliefs)


def _verdict(reward: float) -> Verdict:
    return Verdict(parts=(Part(name="outcome", value=reward),), correct=float(np.clip(reward, 0.0, 1.0)))
