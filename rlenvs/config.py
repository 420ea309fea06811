"""Configurations: read from TOML, changed by `--set a.b=c`, written complete; values made of components changed alike.

What a value must look like is `rlenvs.conversion`'s business, what it means is its dataclass's.
"""

import datetime
import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import Field, fields, is_dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from rlenvs.component_names import NO_COMPONENTS, Components, component_name, init_fields
from rlenvs.conversion import build, refilled
from rlenvs.overrides import overridden
from rlenvs.replacing import replace_content
from rlenvs.wording import ConfigError, described, join

__all__ = ["FILLS_SLOTS", "ConfigError", "describe", "digest", "read", "to_dict", "with_options", "write"]

T = TypeVar("T")

FILLS_SLOTS: Mapping[str, bool] = MappingProxyType({"fills_slots": True})
"""Metadata of a field with options of components, `field(default_factory=dict, metadata=FILLS_SLOTS)`: a text in it
is a component's name, to which later settings add (`options.surrogate=soft`, `options.surrogate.positive=2`)."""


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
    slots = [name for name, field in init_fields(kind).items() if field.metadata == FILLS_SLOTS]
    for text in sets:
        table = overridden(table, text, slots)
    config: T = build(kind, table, "")
    return config


def write(config: Any, path: Path | str) -> None:
    """Every field as TOML, so that `read` gives an equal configuration. The file appears whole, or not at all.

    Raises:
        ConfigError: a value that TOML cannot hold; says which.
    """
    import tomli_w

    replace_content(Path(path), tomli_w.dumps(to_dict(config)).encode())


def to_dict(config: Any) -> dict[str, Any]:
    """A configuration as TOML has it: tables, lists and plain values; a field that is None is left out."""
    table: dict[str, Any] = _plain(config, "")
    return table


def with_options(value: T, options: Mapping[str, Any], components: Components = NO_COMPONENTS) -> T:
    """A copy of a dataclass with some fields changed, at any depth.

    `{"reduce": {"over": "token"}}` changes a field of what is there; `{"surrogate": {"use": "dual_clip", "cap": 3.0}}`
    puts another component in its place, and so does a bare name. Parts of a list of components go by index or by
    component name (`{"regularise": {"kl": {"coefficient": 0.1}}}`); the index after the last one adds; a list replaces
    the list, and one component replaces it by itself. The order of the options means nothing.

    Raises:
        ConfigError: an unknown field or component, a wrong type, a part that is said twice, by index and by name, or
            a value that the dataclass refuses.
    """
    changed: T = refilled(value, options, "", components)
    return changed


def describe(value: Any, components: Components = NO_COMPONENTS) -> dict[str, Any]:
    """A dataclass as JSON values: its fields, and in every nested one `use`, the component's name.

    `with_options(value, describe(value, components), components)` equals `value`. Components that are not in
    `components` go by their class's name.
    """
    return {field.name: _described(getattr(value, field.name), components) for field in fields(value) if field.init}


def digest(value: Any) -> str:
    """Sixteen hex digits of a hash over everything that `describe` says: equal values agree on every machine."""
    content = [type(value).__name__, _numbers_alike(describe(value))]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def _numbers_alike(value: Any) -> Any:
    """Described values with 1.0 as 1: a field that is a float may have the default 1, and reads back as 1.0."""
    if isinstance(value, dict):
        return {name: _numbers_alike(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_numbers_alike(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


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


def _described(value: Any, components: Components) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {"use": component_name(value, components), **describe(value, components)}
    if isinstance(value, list | tuple):
        return [_described(item, components) for item in value]
    if isinstance(value, Mapping):
        return {str(name): _described(item, components) for name, item in value.items()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if callable(value):
        return f"{value.__module__}:{value.__qualname__}"
    return str(value)
