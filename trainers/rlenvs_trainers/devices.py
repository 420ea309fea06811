"""From a device's name in a config to the device, for whoever has weights."""

import os

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
