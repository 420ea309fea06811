"""For every test: one thread for arithmetic (pytest-xdist has the processes), no network; `gpu` where there is one."""

import os

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ["HF_HUB_OFFLINE"] = "1"

# How fast a machine is, and what else it does, is nobody's fault.
settings.register_profile("rlenvs", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("rlenvs")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what is marked `gpu` on a machine that has none; torch is imported for such tests only."""
    if item.get_closest_marker("gpu") is None:
        return
    import torch

    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
