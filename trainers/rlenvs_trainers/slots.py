"""What fills an algorithm's slots, as `config.toml` keeps it: a run that is made again from the file has the same.

A registered algorithm, a component's defaults and a preset may be other ones in the next version of a plug-in, so the
file has all of them, and what was set is among them.
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


def restored(algorithm: Algorithm, slots: Mapping[str, Any], components: Components) -> Algorithm:
    """The algorithm with the slots that were `kept` of it; as it is, where they are none or another one's.

    Raises:
        RlenvsError: it cannot have them any more: a field or a component is gone.
    """
    if slots.get("name") != algorithm.name:
        return algorithm
    now = kept(algorithm, components)
    options = {slot: _back(part, now.get(slot)) for slot, part in slots.items() if part != now.get(slot)}
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
