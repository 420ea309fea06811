"""The processes that make tasks and score texts: what they serve is in `worker`, how they run in `rlenvs.isolation`."""

import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rlenvs.conversion import converted
from rlenvs.errors import RlenvsError
from rlenvs.isolation.pool import Limits, ProcessPool, RaisedInWorkerError, StoppedError
from rlenvs.wording import check_names

# The processor time is that of the slowest generators' rarest tasks; reading a text is given less by the worker.
_LIMITS = Limits(wall_s=120.0, cpu_s=60, memory_bytes=4 * 2**30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What a task follows from."""

    generator: str
    config: str  # JSON: options of the generator that are not its defaults
    seed: int  # reasoning_gym's own
    size: int  # of the whole data set, which some generators' tasks depend on
    index: int


def checked_config(generator: str, config: Mapping[str, Any]) -> None:
    """Refuse options that the generator does not have, or that are of another kind than its default.

    Raises:
        ConfigError: it names the option, and the near miss.
    """
    for name, option in {"seed": "seed", "size": "size"}.items():
        if name in config:
            raise ValueError(f"config.{name}: that is the environment's own option {option!r}")
    defaults = _asked("options", generator=generator)
    check_names(config, defaults, "config")
    for name, value in config.items():
        if defaults[name] is not None:
            converted(type(defaults[name]), value, f"config.{name}")


def check(place: Place) -> None:
    """Refuse what the generator itself refuses.

    Raises:
        ValueError: with the generator's own words.
    """
    why = _asked("refusal", generator=place.generator, config=place.config, seed=place.seed, size=place.size)
    if why:
        raise ValueError(f"reasoning_gym's {place.generator} cannot be used so: {why}")


def task_of(place: Place) -> Mapping[str, Any]:
    """`question`, `answer` (None where reasoning_gym states none) and `difficulty`.

    Raises:
        RlenvsError: the generator raised, or took too long.
    """
    try:
        found: Mapping[str, Any] = _asked("task", **asdict(place))
    except (StoppedError, RaisedInWorkerError) as error:
        where = f"task {place.index} of reasoning_gym's {place.generator}"
        raise RlenvsError(f"{where} cannot be made: {error}") from error
    return found


def own_answer_of(place: Place) -> str | None:
    """A text that scores full marks; None where reasoning_gym does not say one."""
    found: str | None = _asked("own_answer", **asdict(place))
    return found


def score(place: Place, text: str) -> float:
    """What the task's scorer gives for a text, in [0, 1]; 0 for one that uses up the limits.

    Raises:
        StoppedError: the machine is too slow, or a worker was lost.
        RaisedInWorkerError: the scorer is broken: it raises at the task's own answer too.
    """
    try:
        return float(_asked("score", **asdict(place), text=text))
    except StoppedError as error:
        if error.by_request:
            return 0.0
        raise


def _asked(ask: str, **arguments: Any) -> Any:
    return _POOL.ask({"ask": ask, **arguments})


# A fixed seed of hashes: some generators follow the order of a set.
_POOL = ProcessPool(
    Path(__file__).with_name("worker.py"), _LIMITS, setup=sys.path, size=min(4, os.cpu_count() or 1), hash_seed=0
)
