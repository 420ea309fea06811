"""What a worker process serves for `isolated`: one function, found by its name. Never imported by the parent."""

import base64
import pickle
from collections.abc import Callable
from multiprocessing.spawn import prepare as prepare_process
from typing import Any

_served: list[Callable[..., Any]] = []


def prepare(setup: str) -> None:
    """Make the parent's modules importable, as multiprocessing does for a process it spawns, and find the function."""
    surroundings, function = pickle.loads(base64.b64decode(setup))
    prepare_process(surroundings)
    _served.append(pickle.loads(function))


def answer(request: str) -> Any:
    """What the function returns for pickled arguments."""
    (function,) = _served
    return function(*pickle.loads(base64.b64decode(request)))
