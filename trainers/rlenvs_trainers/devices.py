"""From a device's name in a config to the device, for whoever has weights; and how results are repeated there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from rlenvs.errors import RlenvsError


def device_named(name: str, setting: str = "device") -> torch.device:
    """The device that a config means: "auto" is CUDA where there is any, "cuda" this rank's own.

    Args:
        setting: what people call it, for the error.

    Raises:
        RlenvsError: PyTorch sees no such device here.
    """
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if name == "cpu" or (name == "auto" and not count):
        return torch.device("cpu")
    index = int(name.partition(":")[2] or os.environ.get("LOCAL_RANK", "0"))
    if index >= count:
        raise RlenvsError(
            f"{setting} is {name!r}, and PyTorch {torch.__version__} sees {count} CUDA devices here, counted from 0. "
            "Name one of them, install a CUDA build, or use the device 'cpu'."
        )
    return torch.device("cuda", index)


@contextmanager
def repeatable(device: torch.device) -> Iterator[None]:
    """Inside, what is computed on a CPU is the same each time, however many threads share the work.

    By default several threads add up the gradient of what was indexed (`x[ids]`) in whichever order they come.
    """
    if device.type != "cpu":  # other devices have a price for it: that is their users' choice
        yield
        return
    before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    flags: Any = torch.utils.deterministic
    fill = flags.fill_uninitialized_memory
    torch.use_deterministic_algorithms(True, warn_only=True)
    flags.fill_uninitialized_memory = False  # nothing here reads what was not written
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before[0], warn_only=before[1])
        flags.fill_uninitialized_memory = fill
