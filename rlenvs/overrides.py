"""One `--set a.b=c`: its path and value, put into the tables that a TOML file gave.

What the names and values must be is checked later, by `rlenvs.conversion`.
"""

import tomllib
from collections.abc import Container, Mapping, Sequence
from typing import Any

from rlenvs.conversion import is_component
from rlenvs.wording import NONE, ConfigError, described, index_in, join


def overridden(table: dict[str, Any], text: str, slots: Container[str] = ()) -> dict[str, Any]:
    """A copy of `table` in which "a.b=c" holds. Parts of lists go by index; the one after the last is added.

    Args:
        slots: the names in `table` of what holds components. There a text is the name of one, and has parts: after
            "options.surrogate=soft" come "options.surrogate.positive=2", or "options.select.1=mask_stale" after
            "options.select=non_constant".
    """
    names, value = _keys_and_value(text)
    changed: dict[str, Any] = _put(table, names, value, "", holds_components=names[0] in slots)
    return changed


def _keys_and_value(text: str) -> tuple[list[str], Any]:
    """The path and the value of one "a.b=c"."""
    key, equals, value = text.partition("=")
    try:
        nested = tomllib.loads(f"{key}= 0") if equals else {}
    except tomllib.TOMLDecodeError:
        nested = {}
    if not nested:
        raise ConfigError(f"--set takes path=value, such as learner.lr=1e-5: got {text!r}")
    names: list[str] = []
    while isinstance(nested, dict):
        name, nested = next(iter(nested.items()))
        names.append(name)
    return names, _value(value.strip(), text)


def _value(text: str, whole: str) -> Any:
    """A TOML value; a bare word is text, the bare word `none` is no value."""
    if text == NONE:
        return None
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError as error:
        if text[:1] in tuple("[{\"'"):
            raise ConfigError(f"--set {whole}: the value is not TOML: {error}") from error
        return text


def _put(place: Any, names: Sequence[str], value: Any, path: str, *, holds_components: bool) -> Any:
    """A copy of the tables and lists in `place` with `value` at the end of the path `names`."""
    if not names:
        return value
    name, rest = names[0], names[1:]
    if holds_components:
        place = _opened(place, name)
    if isinstance(place, list):
        index = index_in(name, len(place), path)
        items = [*place, None] if index == len(place) else list(place)
        items[index] = _put(items[index], rest, value, join(path, name), holds_components=holds_components)
        return items
    if place is not None and not isinstance(place, Mapping):
        raise ConfigError(f"--set {join(path, name)}: {path} is {described(place)}, it has no parts")
    table = place or {}
    part = _put(table.get(name), rest, value, join(path, name), holds_components=holds_components)
    return {**table, name: part}


def _opened(place: Any, name: str) -> Any:
    """A component as what has a part `name`: a table, or where that is a number, a list of one component."""
    if not is_component(place):
        return place
    if name.isdecimal():
        return [place]
    return {"use": place} if isinstance(place, str) else place
