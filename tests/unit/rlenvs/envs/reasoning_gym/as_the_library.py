"""Prints what reasoning_gym itself makes of each generator, as JSON: run in a process of its own, hashes fixed."""

import contextlib
import json
import os
import random
import sys

with contextlib.redirect_stdout(sys.stderr):
    import numpy as np
    from reasoning_gym.factory import DATASETS, create_dataset


def items(name: str, seed: int, size: int, indices: list[int]) -> list[list[str | None]]:
    dataset, found = create_dataset(name, seed=seed, size=size), []
    for index in indices:
        random.seed(seed + index)  # list_functions draws from the global states
        np.random.seed(seed + index)  # noqa: NPY002
        entry = dataset[index]
        found.append([entry["question"], entry["answer"]])
    return found


if __name__ == "__main__":
    assert os.environ["PYTHONHASHSEED"] == "0"
    seed, size, *indices = map(int, sys.argv[1:])
    with contextlib.redirect_stdout(sys.stderr):
        made = {name: items(name, seed, size, indices) for name in DATASETS if name != "composite"}
    print(json.dumps(made))
