"""What the worker processes serve: the tasks of reasoning_gym's generators, and what their scorers say of a text.

Never imported by the parent. reasoning_gym takes seconds to import; its generators draw from the global random states
and follow the order of sets; its scorers evaluate text. Here the random states and hashes are set, no file can be
written, and the limits of `rlenvs.isolation` hold.
"""

import copy
import inspect
import json
import random
import re
import resource
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import date, time
from enum import Enum
from functools import lru_cache
from typing import Any

_SCORING_CPU_S = 3  # the kernel counts whole seconds, so up to one more
_ANSWERS = ("possible_answer", "example_answer", "example_correct_answer")  # where `answer` is None
_EVALUATES = re.compile(r"\b(?:eval|exec|compile|parse_expr|sympify|simplify|literal_eval)\(")

Entry = dict[str, Any]


def prepare(path: list[str]) -> None:
    """Import what is served as the parent would, then let no file be written."""
    sys.path[:] = path
    import reasoning_gym  # noqa: F401

    import rlenvs.envs.reasoning_gym.guards  # noqa: F401

    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def answer(request: dict[str, Any]) -> Any:
    """What is asked for by `ask`, with the rest of the request as its arguments."""
    asked: dict[str, Callable[..., Any]] = {"options": options, "refusal": refusal, "task": task, "score": score}
    return (asked | {"own_answer": own_answer})[request.pop("ask")](**request)


def options(generator: str) -> dict[str, Any]:
    """The fields of a generator's configuration with their defaults, None where one is no number, truth value or text.

    Seed and size are not among them.
    """
    config = _config_of(generator)
    values = {field.name: getattr(config, field.name) for field in fields(config)}
    plain = {name: value if type(value) in (bool, int, float, str) else None for name, value in values.items()}
    return {name: value for name, value in plain.items() if name not in ("seed", "size")}


def refusal(generator: str, config: str, seed: int, size: int) -> str:
    """Why a generator cannot be used, or not with this configuration; empty where it can."""
    from reasoning_gym.factory import DATASETS

    from rlenvs.envs.reasoning_gym.guards import GUARDS

    if _EVALUATES.search(inspect.getsource(DATASETS[generator][0].score_answer)) and generator not in GUARDS:
        return "its scorer evaluates text, and nothing guards that in this version of reasoning_gym"
    try:
        _dataset(generator, config, seed, size)
    except Exception as error:  # whatever the library's own checks raise
        return str(error) or type(error).__name__
    return ""


def task(**place: Any) -> dict[str, Any]:
    """Question, stated answer and difficulty of a task, as JSON values."""
    entry = _entry(**place)
    return {
        "question": entry["question"],
        "answer": entry["answer"] if entry["answer"] is None else str(entry["answer"]),
        "difficulty": json.loads(json.dumps(entry["metadata"].get("difficulty", {}), default=str)),
    }


def own_answer(**place: Any) -> str | None:
    """The first text that the task says would be right and that scores full marks; None where there is none."""
    from rlenvs.envs.reasoning_gym.guards import EMPTY

    entry = _entry(**place)
    stated = [entry["answer"], *(entry["metadata"].get(name) for name in _ANSWERS)]
    texts = (each if isinstance(each, str) else json.dumps(each) for each in stated if each is not None)
    return next((text for text in (each.strip() or EMPTY for each in texts) if score(text, **place) == 1.0), None)


def score(text: str, **place: Any) -> float:
    """What the generator's scorer gives for a text, in [0, 1].

    A text that the scorer cannot read, and raises at, is worth 0 if it can read the task's own answer.

    Raises:
        Exception: whatever the scorer raises at the task's own answer too.
        ValueError: the scorer gave what is no score.
    """
    from rlenvs.envs.reasoning_gym.guards import admitted

    entry = _entry(**place)
    _limit_processor_time()
    read = admitted(place["generator"], text, entry)
    if read is None:
        return 0.0
    scorer = _dataset(place["generator"], place["config"], place["seed"], place["size"]).score_answer
    try:
        value = float(scorer(read, copy.deepcopy(entry)))
    except (MemoryError, RecursionError):  # the text used up its limits
        raise
    except Exception:
        scorer(entry["answer"] or "", copy.deepcopy(entry))
        return 0.0
    return _checked(value)


def _checked(value: float) -> float:
    """A score that is one. Partial credits that add up to more than 1 by rounding stay partial."""
    if not 0.0 <= value <= 1.0 + 1e-9:
        raise ValueError(f"a score is a number from 0 to 1: got {value}")
    return value if value <= 1.0 else 1.0 - 1e-9


def _limit_processor_time() -> None:
    """From here on a text is being read, which is given less time than the making of a task."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(usage.ru_utime + usage.ru_stime) + 1 + _SCORING_CPU_S, hard))


@lru_cache(maxsize=256)
def _entry(generator: str, config: str, seed: int, size: int, index: int) -> Entry:
    """A task as reasoning_gym makes it: always the same, whatever was made before."""
    import numpy as np

    random.seed(seed + index)
    np.random.seed(seed + index)  # noqa: NPY002  # the library's generators use it
    entry: Entry = _dataset(generator, config, seed, size)[index]
    return entry


@lru_cache(maxsize=32)
def _dataset(generator: str, config: str, seed: int, size: int) -> Any:
    from reasoning_gym.factory import create_dataset

    defaults = _config_of(generator)
    values = {name: _as(getattr(defaults, name), value) for name, value in json.loads(config).items()}
    return create_dataset(generator, **values, seed=seed, size=size)


def _config_of(generator: str) -> Any:
    from reasoning_gym.factory import DATASETS

    return DATASETS[generator][1]()


def _as(default: Any, value: Any) -> Any:
    """A JSON value as what the default is of: JSON has no tuples, dates, choices or dataclasses."""
    if isinstance(default, tuple) and isinstance(value, list):
        return tuple(value)
    if isinstance(default, date | time) and isinstance(value, str):
        return type(default).fromisoformat(value)
    if isinstance(default, Enum) and isinstance(value, str):
        return type(default)(value)
    if is_dataclass(default) and not isinstance(default, type) and isinstance(value, Mapping):
        return replace(default, **value)
    return value
