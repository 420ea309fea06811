"""What is counted over a step's groups: rewards, accuracy, lengths, endings, failures, groups without a signal."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from rlenvs_trainers.records import Group, Trajectory


def group_metrics(groups: Sequence[Group], prefix: str = "") -> dict[str, float]:
    """Means over the scored trajectories, shares over all of them. Nothing that failed enters a mean as 0."""
    trajectories = [trajectory for group in groups for trajectory in group.trajectories]
    scored = [trajectory for trajectory in trajectories if trajectory.is_scored]
    metrics = {
        "groups/count": float(len(groups)),
        "trajectories/count": float(len(trajectories)),
        "trajectories/unscored": float(len(trajectories) - len(scored)),
    }
    if groups:
        metrics["groups/zero_signal"] = float(np.mean([_has_no_signal(group) for group in groups]))
    if scored:
        metrics |= _means(scored)
    endings = Counter(trajectory.ending for trajectory in trajectories)
    metrics |= {f"ending/{ending}": count / len(trajectories) for ending, count in sorted(endings.items())}
    return {prefix + name: value for name, value in metrics.items()}


def added(metrics: Mapping[str, float], more: Mapping[str, float]) -> dict[str, float]:
    """The sums, name by name: what several rounds of rollouts took together."""
    return dict(metrics) | {name: metrics.get(name, 0.0) + value for name, value in more.items()}


def _means(scored: Sequence[Trajectory]) -> dict[str, float]:
    rewards = [trajectory.reward for trajectory in scored]
    lengths = [trajectory.num_tokens for trajectory in scored]
    metrics = {
        "reward/mean": float(np.mean(rewards)),
        "reward/std": float(np.std(rewards)),
        "accuracy": float(np.mean([trajectory.verdict.correct for trajectory in scored if trajectory.verdict])),
        "tokens/mean": float(np.mean(lengths)),
        "tokens/max": float(max(lengths)),
        "turns/mean": float(np.mean([len(trajectory.turns) for trajectory in scored])),
    }
    parts = [trajectory.parts for trajectory in scored]  # one that a trajectory has not added 0 to its reward
    names = sorted({name for each in parts for name in each})
    return metrics | {f"reward/part/{name}": float(np.mean([each.get(name, 0.0) for each in parts])) for name in names}


def _has_no_signal(group: Group) -> bool:
    """Whether every scored attempt earned the same: decided by max == min, a std would turn rounding into signal."""
    rewards = [trajectory.reward for trajectory in group.scored]
    return not rewards or max(rewards) == min(rewards)
