"""Configurations: read from TOML, changed by `--set a.b=c`, written complete; values made of components changed alike.

What a value must look like is `rlenvs.conversion`'s business, what it means is its dataclass's.
"""

import datetime
import hashlib
import json
import os
import re
import tomllib
import typing
from collections.abc import Mapping, Sequence
from dataclasses import Field, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

from rlenvs.conversion import (
    NO_COMPONENTS,
    Components,
    ConfigError,
    build,
    check_names,
    checked,
    converted,
    described,
    index_in,
    init_fields,
    item_hints,
    join,
)
from rlenvs.errors import unknown
from rlenvs.overrides import overridden

__all__ = ["ConfigError", "describe", "digest", "read", "to_dict", "with_options", "write"]

T = TypeVar("T")


def read(kind: type[T], path: Path | str | None = None, sets: Sequence[str] = ()) -> T:
    """A configuration from a TOML file, changed by `sets`; fields that neither names keep their defaults.

    Args:
        kind: a frozen dataclass.
        sets: "a.b=c" each, in order. Values are TOML; bare words are text, and `none` is no value.
            Parts of lists go by index: "env.0.kwargs.levels=[1]".

    Raises:
        ConfigError: no such file, malformed TOML (with its line), an unknown key, a wrong type.
    """
    table = _toml(Path(path)) if path is not None else {}
    for text in sets:
        table = overridden(table, text)
    config: T = build(kind, table, "")
    return config


def write(config: Any, path: Path | str) -> None:
    """Every field as TOML, so that `read` gives an equal configuration. The file appears whole, or not at all.

    Raises:
        ConfigError: a value that TOML cannot hold; says which.
    """
    import tomli_w

    target = Path(path)
    beside = target.with_name(target.name + ".part")
    beside.write_bytes(tomli_w.dumps(to_dict(config)).encode())
    os.replace(beside, target)


def to_dict(config: Any) -> dict[str, Any]:
    """A configuration as TOML has it: tables, lists and plain values; a field that is None is left out."""
    table: dict[str, Any] = _plain(config, "")
    return table


def with_options(value: T, options: Mapping[str, Any], components: Components = NO_COMPONENTS) -> T:
    """A copy of a dataclass with some fields changed, at any depth.

    `{"reduce": {"over": "token"}}` changes a field of what is there; `{"surrogate": {"use": "dual_clip", "cap": 3.0}}`
    puts another component in its place. Parts of a list of components go by index or by component name
    (`{"regularise": {"kl": {"coefficient": 0.1}}}`); the index after the last one adds; a list replaces the list.

    Raises:
        ConfigError: an unknown field or component, a wrong type, or a value that the dataclass refuses.
    """
    changed: T = _with_options(value, options, "", components)
    return changed


def describe(value: Any, components: Components = NO_COMPONENTS) -> dict[str, Any]:
    """A dataclass as JSON values: its fields, and in every nested one `use`, the component's name.

    `with_options(value, describe(value, components), components)` equals `value`. Components that are not in
    `components` go by their class's name.
    """
    return {field.name: _described(getattr(value, field.name), components) for field in fields(value) if field.init}


def digest(value: Any) -> str:
    """Sixteen hex digits of a hash over everything that `describe` says: equal values agree on every machine."""
    content = [type(value).__name__, describe(value)]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(f"no config file {path}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not TOML: {error}") from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error


def _plain(value: Any, path: str) -> Any:
    """A value as TOML has it."""
    if is_dataclass(value):
        return {
            field.name: _plain(getattr(value, field.name), join(path, field.name))
            for field in fields(value)
            if field.init and not _is_absent(value, field, path)
        }
    if isinstance(value, Mapping):
        return {name: _plain(item, join(path, name)) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, join(path, index)) for index, item in enumerate(value)]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, _TOML_TYPES):
        return value
    raise ConfigError(f"{path}: TOML cannot hold {described(value)}")


_TOML_TYPES = (bool, int, float, str, datetime.datetime, datetime.date, datetime.time)


def _is_absent(value: Any, field: Field[Any], path: str) -> bool:
    """Whether a field is None, which TOML says by leaving it out."""
    if getattr(value, field.name) is not None:
        return False
    if field.default is not None:
        raise ConfigError(f"{join(path, field.name)}: None cannot be written, it is not the field's default")
    return True


def _with_options(value: Any, options: Mapping[str, Any], path: str, components: Components) -> Any:
    known = init_fields(type(value))
    check_names(options, known, path)
    hints = typing.get_type_hints(type(value))
    kept = {name: getattr(value, name) for name in known}
    changed = {
        name: _changed(hints[name], kept[name], option, join(path, name), components)
        for name, option in options.items()
    }
    return checked(path, type(value), **(kept | changed))


def _changed(hint: Any, current: Any, option: Any, path: str, components: Components) -> Any:
    """What a field becomes: the value there with some of its own fields changed, or another one."""
    if isinstance(option, Mapping) and "use" not in option:
        if is_dataclass(current):
            return _with_options(current, option, path, components)
        if isinstance(current, tuple):
            return _changed_items(hint, current, option, path, components)
    return converted(hint, option, path, components)


def _changed_items(
    hint: Any, current: tuple[Any, ...], option: Mapping[str, Any], path: str, components: Components
) -> tuple[Any, ...]:
    """A tuple with some of its items changed, by index or by component name, or with more items."""
    items = list(current)
    for key, item_option in option.items():
        index = int(key) if key.isdecimal() else _named(key, current, path, components)
        allowed = item_hints(hint, len(items) + 1)
        index_in(str(index), len(allowed) - 1, path)
        item = items[index] if index < len(items) else None
        items[index : index + 1] = [_changed(allowed[index], item, item_option, join(path, key), components)]
    return tuple(converted(hint, items, path, components))


def _named(name: str, items: Sequence[Any], path: str, components: Components) -> int:
    """Where in a tuple the component of this name is."""
    names = [_component_name(item, components) for item in items]
    if names.count(name) != 1:
        problem = f"has {names.count(name)} of {name!r}" if name in names else unknown("part", name, names)
        raise ConfigError(f"{path}: {problem} Parts can be said by index: {path}.0; {path}.{len(names)} adds one.")
    return names.index(name)


def _component_name(value: Any, components: Components) -> str:
    """The name that a component is registered by, or its class's, in_lower_case."""
    for name in components:
        if components[name] is type(value):
            return name
    return snake_case(type(value).__name__)


def snake_case(name: str) -> str:
    """`NonConstant` is `non_constant`, `KL` is `kl`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _described(value: Any, components: Components) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {"use": _component_name(value, components), **describe(value, components)}
    if isinstance(value, list | tuple):
        return [_described(item, components) for item in value]
    if isinstance(value, Mapping):
        return {str(name): _described(item, components) for name, item in value.items()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if callable(value):
        return f"{value.__module__}:{value.__qualname__}"
    return str(value)
