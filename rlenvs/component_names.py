"""Which name a component goes by, and what somebody meant by a name that is none."""

import re
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import Field, fields
from typing import Any, Literal

from rlenvs.errors import unknown
from rlenvs.wording import ConfigError, join

Components = Mapping[str, Any]
"""What a slot may be filled with: dataclasses, or values whose fields are defaults, by the name that `use` takes."""

NO_COMPONENTS: Components = types.MappingProxyType({})


def init_fields(kind: type) -> dict[str, Field[Any]]:
    """The fields of a dataclass that can be given, by name."""
    return {field.name: field for field in fields(kind) if field.init}


def check_is_no_choice(option: str, current: Any, path: str) -> None:
    """Refuse what is no component but a choice of a field of the component there: "trajectory" is a ratio's unit."""
    hints = typing.get_type_hints(type(current))
    for name in init_fields(type(current)):
        if typing.get_origin(hints[name]) is Literal and option in typing.get_args(hints[name]):
            field = join(path, name)
            raise ConfigError(f"{path}: no component {option!r}, that is a choice of {field}: --set {field}={option}")


def place_of(name: str, items: Sequence[Any], path: str, components: Components) -> int:
    """Where in a tuple the component of this name is."""
    names = [component_name(item, components) for item in items]
    if names.count(name) != 1:
        problem = f"has {names.count(name)} of {name!r}" if name in names else unknown("part", name, names)
        raise ConfigError(f"{path}: {problem} Parts can be said by index: {path}.0; {path}.{len(names)} adds one.")
    return names.index(name)


def component_name(value: Any, components: Components) -> str:
    """The name that a component's class, or else a value of that class, is registered by; or the class's own."""
    kind = type(value)
    names = [name for name in components if components[name] is kind]
    names += [name for name in components if type(components[name]) is kind]
    return names[0] if names else snake_case(kind.__name__)


def snake_case(name: str) -> str:
    """`NonConstant` is `non_constant`, `KL` is `kl`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
