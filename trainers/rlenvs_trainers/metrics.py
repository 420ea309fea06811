"""What is counted over a step's groups: rewards, accuracy, lengths, endings, failures, groups without a signal."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from rlenvs_trainers.credit import spread
from rlenvs_trainers.records import Group, Trajectory

OF_ONE_SEAT = ("reward/", "ending/")
"""Names of what is not measured alike in every seat: rewards have scales of their own, and who fails matters."""


def group_metrics(groups: Sequence[Group], seats: Iterable[str] = (), *, prefix: str = "") -> dict[str, float]:
    """Means over the scored trajectories, shares over all of them. Nothing that failed enters a mean as 0.

    Where there are several seats every number is given seat by seat as well ("reward/mean/speaker"), and rewards and
    endings only so: a mean over seats whose rewards have different scales says nothing.

    Args:
        seats: all that are learned in, so that names do not depend on which of them have groups in this step.
    """
    names = sorted({*seats, *(group.seat for group in groups)})
    metrics = _metrics(groups)
    if len(names) > 1:
        metrics = {name: value for name, value in metrics.items() if not name.startswith(OF_ONE_SEAT)}
        for seat in names:
            own = _metrics([group for group in groups if group.seat == seat])
            metrics |= {f"{name}/{seat}": value for name, value in own.items()}
    return {prefix + name: value for name, value in metrics.items()}


def added(metrics: Mapping[str, float], more: Mapping[str, float]) -> dict[str, float]:
    """The sums, name by name: what several rounds of rollouts took together."""
    return dict(metrics) | {name: metrics.get(name, 0.0) + value for name, value in more.items()}


def _metrics(groups: Sequence[Group]) -> dict[str, float]:
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
        metrics |= _means(scored) | _spreads(groups)
    endings = Counter(trajectory.ending for trajectory in trajectories)
    return metrics | {f"ending/{ending}": count / len(trajectories) for ending, count in sorted(endings.items())}


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


def _spreads(groups: Sequence[Group]) -> dict[str, float]:
    """How much siblings' rewards differ (ddof=1), a mean over the groups with two of them: it falls before a collapse.

    Source: the echo trap's monitors, RAGEN arXiv:2504.20073.
    """
    rewards = [np.array([trajectory.reward for trajectory in group.scored]) for group in groups]
    spreads = [spread(rewards_G) for rewards_G in rewards if len(rewards_G) > 1]
    return {"reward/group_std": float(np.mean(spreads))} if spreads else {}


def _has_no_signal(group: Group) -> bool:
    """Whether every scored attempt earned the same: decided by max == min, a std would turn rounding into signal."""
    rewards = [trajectory.reward for trajectory in group.scored]
    return not rewards or max(rewards) == min(rewards)
