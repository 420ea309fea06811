"""What fills an algorithm's slots, as `config.toml` keeps it: a run that is made again from the file has the same.

A registered algorithm, a component's defaults and a preset may be other ones in the next version of a plug-in, so the
file has all of them, and what was set is among them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
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


def restored(algorithm: Algorithm, slots: Mapping[str, Any], components: Components) -> Algorithm:
    """The algorithm with the slots that were `kept` of it; as it is, where they are none or another one's.

    Raises:
        RlenvsError: it cannot have them any more: a field or a component is gone.
    """
    if slots.get("name") != algorithm.name:
        return algorithm
    options = _options(_from_toml(slots), describe(algorithm, components), algorithm)
    try:
        return with_options(algorithm, options, components)
    except ConfigError as error:
        raise RlenvsError(
            f"{algorithm.name!r} cannot be made of what [algorithm_slots] says any more: {error}. Take "
            "[algorithm_slots] out of the file to train with what is registered now."
        ) from error


def notes(slots: Mapping[str, Any], algorithm: Algorithm, components: Components) -> Iterator[str]:
    """What to tell of a restored algorithm: `slots` are another one's, or leave something open."""
    if not slots:
        return
    if slots.get("name") != algorithm.name:
        yield f"[algorithm_slots] are those of {slots.get('name')!r}: {algorithm.name!r} begins as it is registered."
    elif new := ", ".join(differences(slots, kept(algorithm, components))):
        yield f"{algorithm.name!r} has what [algorithm_slots] says nothing of: {new}."


def _in_toml(value: Any) -> Any:
    """A description as TOML has it: `none` is no value, and the text itself has a backslash before it, or one more."""
    if isinstance(value, Mapping):
        return {name: _in_toml(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_in_toml(item) for item in value]
    if value is None:
        return NONE
    return f"\\{value}" if _says_none(value) else value


def _from_toml(value: Any) -> Any:
    """The description that `_in_toml` gave the value of."""
    if isinstance(value, Mapping):
        return {name: _from_toml(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_from_toml(item) for item in value]
    if value == NONE:
        return None
    return value[1:] if _says_none(value) else value


def _says_none(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip("\\") == NONE


def _options(before: Mapping[str, Any], now: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """The options that make of a dataclass, described by `now`, what `before` describes; none of what is alike."""
    return {
        name: _option(part, now.get(name), getattr(value, name, None))
        for name, part in before.items()
        if name not in now or not _alike(part, now[name])
    }


def _option(before: Any, now: Any, value: Any) -> Any:
    """The option that makes of a value, described by `now`, what `before` describes: of what is alike its parts.

    So no name is asked: a component that only its algorithm's own module knows has none to be found by.
    """
    if is_dataclass(value) and _is_component(before) and before["use"] == now["use"]:
        return _options(before, now, value)
    if isinstance(value, tuple) and all(map(is_dataclass, value)) and _are_components(before, len(value)):
        parts = enumerate(zip(before, now, value, strict=True))
        return {str(place): _option(*part) for place, part in parts if not _alike(*part[:2])}
    return before


def _is_component(value: Any) -> bool:
    return isinstance(value, Mapping) and "use" in value


def _are_components(value: Any, length: int) -> bool:
    return isinstance(value, list) and len(value) == length and all(map(_is_component, value))


def _alike(one: Any, other: Any) -> bool:
    """Whether two descriptions are of equal values of the same types: True is not 1."""
    return json.dumps(one, sort_keys=True, default=str) == json.dumps(other, sort_keys=True, default=str)
