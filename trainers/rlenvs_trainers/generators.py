"""The process's own random generators, in a form that a checkpoint can hold.

Rollouts, tasks and evaluation draw from generators of their own, seeded by what they are for. These are the ones that
somebody else's code may draw from: dropout in a model, a plug-in that uses `random`.
"""

import random
from typing import Any

import numpy as np
import torch


def seed(number: int) -> None:
    """Start all of them from a run's seed: two runs of one seed are alike, whatever drew before them."""
    random.seed(number)
    np.random.seed(number % 2**32)  # noqa: NPY002 (for who draws from it)
    torch.manual_seed(number)


def state_tensors() -> dict[str, torch.Tensor]:
    """Torch's generators, CPU and every CUDA device."""
    states = {"generator.cpu": torch.get_rng_state()}
    if torch.cuda.is_available():
        states |= {f"generator.cuda{i}": state for i, state in enumerate(torch.cuda.get_rng_state_all())}
    return states


def state_values() -> dict[str, Any]:
    """Python's and NumPy's generators, as JSON values."""
    kind, keys, position, has_gauss, gauss = np.random.get_state(legacy=True)  # noqa: NPY002 (it is saved, not used)
    version, words, next_gauss = random.getstate()
    return {
        "numpy": [kind, np.asarray(keys).tolist(), position, has_gauss, gauss],
        "python": [version, list(words), next_gauss],
    }


def restore(tensors: dict[str, torch.Tensor], values: dict[str, Any]) -> None:
    """Set all of them as they were."""
    torch.set_rng_state(tensors["generator.cpu"])
    for i in range(torch.cuda.device_count()):
        if f"generator.cuda{i}" in tensors:
            torch.cuda.set_rng_state(tensors[f"generator.cuda{i}"], i)
    kind, keys, position, has_gauss, gauss = values["numpy"]
    np.random.set_state((kind, np.array(keys, dtype=np.uint32), position, has_gauss, gauss))  # noqa: NPY002
    version, words, next_gauss = values["python"]
    random.setstate((version, tuple(words), next_gauss))
