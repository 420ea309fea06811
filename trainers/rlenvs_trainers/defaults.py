"""What a registered algorithm was made of when a run began: `config.toml` keeps it, and so means the same ever after.

A plug-in's next version may have other defaults. What a person set is `algorithm_options`, and comes on top.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rlenvs.component_names import Components
from rlenvs.config import describe, with_options
from rlenvs.errors import RlenvsError
from rlenvs.wording import NONE, ConfigError
from rlenvs_trainers.algorithm import Algorithm
from rlenvs_trainers.checkpoint import differences


def kept(algorithm: Algorithm, components: Components) -> dict[str, Any]:
    """Everything that an algorithm is made of, as TOML can hold it."""
    description: dict[str, Any] = _in_toml(describe(algorithm, components))
    return description


def restored(algorithm: Algorithm, defaults: Mapping[str, Any], components: Components) -> Algorithm:
    """The algorithm with the `defaults` that were kept of it; as it is, where they are empty or another one's.

    Raises:
        RlenvsError: it cannot have them any more: a field or a component is gone.
    """
    if defaults.get("name") != algorithm.name:
        return algorithm
    now = kept(algorithm, components)
    options = {slot: _back(part, now.get(slot)) for slot, part in defaults.items() if part != now.get(slot)}
    try:
        return with_options(algorithm, options, components)
    except ConfigError as error:
        raise RlenvsError(
            f"{algorithm.name!r} was made of something else when [algorithm_defaults] was written, and cannot be any "
            f"more: {error}. Take [algorithm_defaults] out of the file to train with its present defaults."
        ) from error


def notes(before: Mapping[str, Any], now: Mapping[str, Any], used: Mapping[str, Any]) -> Iterator[str]:
    """What to tell of an algorithm whose defaults were other ones `before`, where these three are as `kept` has them.

    Args:
        before: what the file keeps; it may be empty, or another algorithm's.
        now: what is registered.
        used: what the run goes by.
    """
    if before.get("name") != now["name"]:
        return
    missing = list(differences(before, used))
    regained = [each for each in differences(before, now) if each not in missing]
    if regained:
        yield (
            f"{now['name']!r} has other defaults than when [algorithm_defaults] was written, and this run uses those "
            f"of then: {', '.join(regained)}."
        )
    if missing:
        yield f"{now['name']!r} has what [algorithm_defaults] does not speak of: {', '.join(missing)}."


def _in_toml(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _in_toml(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_in_toml(item) for item in value]
    return NONE if value is None else value


def _back(before: Any, now: Any) -> Any:
    """The option that makes of what is `now` what was `before`: of what is alike its parts, so that no name is asked.

    A component that only its algorithm's own module knows has no name to be found by.
    """
    if _is_component(before) and _is_component(now) and before["use"] == now["use"]:
        return {name: _back(part, now.get(name)) for name, part in before.items() if part != now.get(name)}
    if _are_components(before) and _are_components(now) and len(before) == len(now):
        return {str(place): _back(part, now[place]) for place, part in enumerate(before) if part != now[place]}
    return before


def _is_component(value: Any) -> bool:
    return isinstance(value, Mapping) and "use" in value


def _are_components(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_component, value))
