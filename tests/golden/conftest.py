"""Fixture F of the published trainers' comparison: six trajectories of at most five tokens, in closed form."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

from rlenvs_trainers.algorithm import Algorithm, Progress
from rlenvs_trainers.batch import Batch, Sample
from rlenvs_trainers.credit import GroupRelative
from rlenvs_trainers.explore import Chain
from rlenvs_trainers.objective import Views, objective
from rlenvs_trainers.ratio import Ratio
from rlenvs_trainers.reduce import Mean
from rlenvs_trainers.surrogate import Clip
from rlenvs_trainers.view import View

LENGTHS = (5, 3, 4, 2, 4, 1)
REWARDS = (1.0, 0.0, 0.0, 1.0, 1.0, 1.0)
GROUPS = (0, 0, 0, 0, 1, 1)


@dataclass(frozen=True)
class FixtureF:
    """The flat vectors, and the loss of an algorithm on them."""

    batch: Batch
    logprobs_N: np.ndarray
    entropy_N: np.ndarray
    tokens: list[tuple[int, int]]  # row and column of every trained token

    def view(self, logprobs_N: torch.Tensor, batch: Batch | None = None) -> View:
        signals = {"logprob": logprobs_N, "entropy": torch.from_numpy(self.entropy_N)}
        return Views(batch or self.batch, dtype=torch.float64).of(batch or self.batch, signals)

    def loss(self, algorithm: Algorithm, batch: Batch | None = None) -> tuple[float, np.ndarray]:
        """Its value and [N] its gradient by the log-probabilities."""
        leaf_N = torch.from_numpy(self.logprobs_N).requires_grad_()
        loss = objective(algorithm, self.view(leaf_N, batch))
        loss.value.backward()
        return float(loss.value.detach()), leaf_N.grad.numpy()


def standardised(rewards: tuple[float, ...], eps: float = 1e-6) -> list[float]:
    """Advantages of the fixture's groups, by hand: group b earned the same twice."""
    a = np.array(rewards[:4])
    return [*((a - a.mean()) / (a.std(ddof=1) + eps)), 0.0, 0.0]


@pytest.fixture(scope="session")
def fixture_f() -> FixtureF:
    tokens = [(b, t) for b, length in enumerate(LENGTHS) for t in range(length)]
    old = np.array([-(0.5 + 0.1 * ((3 * b + 2 * t) % 7)) for b, t in tokens])
    z = np.array([1.5 if (b, t) == (1, 1) else 0.15 * (((5 * b + 3 * t) % 9) - 4) for b, t in tokens])
    reference = np.array([old[i] - 0.03 * (((b + 2 * t) % 5) - 2) for i, (b, t) in enumerate(tokens)])
    rows = np.array([b for b, _ in tokens])
    batch = Batch(
        samples=tuple(Sample.of([0], range(length)) for length in LENGTHS),
        sampler_N=old,
        advantage_N=np.array(standardised(REWARDS))[rows],
        weight_N=np.ones(len(tokens)),
        sample_N=rows,
        action_N=rows,
        trajectory_N=rows,
        group_N=np.array(GROUPS)[rows],
        constants={"old": old, "reference": reference},
        labels=tuple(f"row {b}" for b in range(6)),
    )
    return FixtureF(
        batch=batch,
        logprobs_N=old + z,
        entropy_N=np.array([0.1 * ((7 * b + 5 * t) % 30) for b, t in tokens]),
        tokens=tokens,
    )


@pytest.fixture(scope="session")
def made_of() -> Any:
    """An algorithm from the slots that a test is about."""

    def make(**slots: Any) -> Algorithm:
        defaults: dict[str, Any] = {
            "name": "test",
            "explore": Chain(),
            "credit": GroupRelative(),
            "ratio": Ratio(unit="token"),
            "surrogate": Clip(),
            "reduce": Mean(over="trajectory"),
            "updates": (1, 4),
        }
        return Algorithm(**{**defaults, **slots})

    return make


@pytest.fixture(scope="session")
def progress() -> Progress:
    return Progress(step=0, num_steps=1)
