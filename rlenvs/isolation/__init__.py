"""`isolated`: a function that runs in a worker process with hard limits on waiting, processor time and memory.

For reward functions, and anything else that text of a policy can keep busy. A thread cannot be stopped, and one that
holds the interpreter's lock (a regular expression that backtracks, a power of large integers) stops every thread, the
one that watches the deadline included. A process can always be ended.
"""

import base64
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.spawn import get_preparation_data
from pathlib import Path
from typing import Any

from rlenvs.isolation.pool import Limits, ProcessPool, RaisedInWorkerError, StoppedError

__all__ = ["Isolated", "Limits", "RaisedInWorkerError", "StoppedError", "isolated", "once"]

_KIND = Path(__file__).with_name("functions.py")


def isolated(
    function: Callable[..., Any], *, timeout_s: float = 10.0, cpu_s: int = 5, memory_bytes: int = 4 * 2**30
) -> "Isolated":
    """The function, run in a worker process that is ended where it goes beyond its limits.

    `RewardFunction("accuracy", isolated(grade, timeout_s=5))`: an attempt whose grading overruns is a grader error with
    a sentence, never a reward of 0, and the run goes on. It works from any thread and needs no fork. Workers are used
    again; each imports the function's module once, outside the limits. What the function prints goes nowhere, and what
    it keeps in global variables each worker keeps for itself.

    Args:
        function: one that pickle knows by name: at the top level of a module, or an instance of such a class with
            `__call__`. Not a lambda, and not used as a decorator. Its arguments are pickled; it returns numbers, text,
            None, or lists and dicts of these.
        timeout_s: how long a call may take.
        cpu_s: processor time of a call; the kernel counts whole seconds, so up to one more.
        memory_bytes: address space of the worker process.

    Raises:
        ValueError: pickle cannot find the function by its name, or a limit is not positive.
    """
    return Isolated(function, Limits(wall_s=timeout_s, cpu_s=cpu_s, memory_bytes=memory_bytes))


@dataclass(frozen=True, slots=True)
class Isolated:
    """A function that runs in a worker process. See `isolated`."""

    function: Callable[..., Any]
    limits: Limits

    def __post_init__(self) -> None:
        _setup(self.function)

    def __call__(self, *arguments: Any) -> Any:
        """What the function returns.

        Raises:
            StoppedError: it went beyond its limits, or the process was lost.
            RaisedInWorkerError: it raised. A SandboxError or TimeoutError comes out as what it is.
        """
        setup = _setup(self.function)
        pool = _pools.get((setup, self.limits))
        if pool is None:
            pool = _pools.setdefault((setup, self.limits), ProcessPool(_KIND, self.limits, setup=setup))
        return pool.ask(_pickled(arguments))


_pools: dict[tuple[str, Limits], ProcessPool] = {}


def once(function: Callable[..., Any], *arguments: Any, limits: Limits) -> Any:
    """What the function returns in a worker process that is started for this call and ended after it.

    Raises:
        StoppedError, RaisedInWorkerError, ValueError: as `isolated` and its result do.
    """
    pool = ProcessPool(_KIND, limits, setup=_setup(function), size=1)
    try:
        return pool.ask(_pickled(arguments))
    finally:
        pool.close()


def _pickled(value: Any) -> str:
    return base64.b64encode(pickle.dumps(value)).decode()


def _setup(function: Callable[..., Any]) -> str:
    """What a worker needs to find the function, pickled.

    Raises:
        ValueError: no worker could find it.
    """
    name = getattr(function, "__qualname__", type(function).__qualname__)
    try:
        pickled = pickle.dumps(function)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ValueError(
            f"a worker process finds a function by its name: {name} has to stand at the top level of a module, and"
            f" isolated() has to be called with it, not decorate it ({error})"
        ) from None
    surroundings = {key: value for key, value in get_preparation_data("isolated").items() if key != "authkey"}
    main = {"init_main_from_name", "init_main_from_path"}
    if "__main__" not in (getattr(function, "__module__", ""), type(function).__module__):
        surroundings = {key: value for key, value in surroundings.items() if key not in main}
    elif not main & surroundings.keys():
        raise ValueError(f"a worker process cannot import an interactive session: put {name} into a file")
    return _pickled((surroundings, pickled))
