"""Strict conversion of plain values (as TOML and JSON have them) into what frozen dataclasses declare.

Nothing is guessed: text is no number, an unknown key is refused with its near miss, and every error says the dotted
path, what was expected and what came. Where the values come from is `rlenvs.config`'s business.
"""

import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from rlenvs.errors import RlenvsError, unknown

Components = Mapping[str, Any]
"""What a slot may be filled with: dataclasses, or values whose fields are defaults, by the name that `use` takes."""

NO_COMPONENTS: Components = types.MappingProxyType({})

_EXPECTED: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    Path: "a path",
}


class ConfigError(RlenvsError, ValueError):
    """A configuration that cannot be used: what was expected, what came, and where."""


def converted(hint: Any, value: Any, path: str, components: Components = NO_COMPONENTS) -> Any:
    """`value` as an instance of `hint`.

    Args:
        hint: bool, int, float, str, Path, None, Any, Literal, a union, `tuple`, `Sequence[…]` (which gives a tuple),
            `Mapping[str, …]`, a dataclass; any other class is a slot, filled by `{"use": name, **fields}`, or by the
            bare name.
        path: dotted, for the errors.

    Raises:
        ConfigError: it does not fit.
    """
    origin = get_origin(hint)
    if hint is Any:
        return value
    if origin is Literal:
        return _one_of(get_args(hint), value, path)
    if origin in (Union, types.UnionType):
        return _any_of(hint, value, path, components)
    if origin in (tuple, Sequence):
        return _tuple(_as_tuple(hint), value, path, components)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _table(hint, value, path, components)
    if hint in _EXPECTED:
        return _scalar(hint, value, path)
    return _instance(hint, value, path, components)


def build(kind: type, options: Mapping[str, Any], path: str, components: Components = NO_COMPONENTS) -> Any:
    """An instance of the dataclass `kind` from its fields; those that are not there keep their defaults."""
    known = init_fields(kind)
    check_names(options, known, path)
    missing = [name for name, field in known.items() if _is_required(field) and name not in options]
    hints = typing.get_type_hints(kind)
    if missing:
        raise ConfigError(f"{join(path, missing[0])} is missing: expected {expected(hints[missing[0]])}")
    values = {name: converted(hints[name], option, join(path, name), components) for name, option in options.items()}
    return checked(path, kind, **values)


def component(option: Mapping[str, Any] | str, path: str, components: Components) -> Any:
    """The component that `{"use": name, **fields}`, or the bare name, stands for."""
    table = {"use": option} if isinstance(option, str) else dict(option)
    if not isinstance(table.get("use"), str):
        raise ConfigError(f'{path}: expected a component, {{use = "name", …}}, got {described(option)}')
    name = table.pop("use")
    if name not in components:
        raise ConfigError(f"{path}: {unknown('component', name, components)}")
    found = components[name]
    if isinstance(found, type):
        return build(found, table, path, components)
    known = init_fields(type(found))
    check_names(table, known, path)
    kept = {field: getattr(found, field) for field in known if field not in table}
    hints = typing.get_type_hints(type(found))
    given = {field: converted(hints[field], table[field], join(path, field), components) for field in table}
    return checked(path, type(found), **kept, **given)


def checked(path: str, kind: Any, **values: Any) -> Any:
    """`kind(**values)`, with the value errors of its own checks as ours."""
    try:
        return kind(**values)
    except ConfigError:
        raise
    except ValueError as error:
        raise ConfigError(f"{path}: {error}" if path and path not in str(error) else str(error)) from error


def init_fields(kind: type) -> dict[str, Field[Any]]:
    """The fields of a dataclass that can be given, by name."""
    return {field.name: field for field in fields(kind) if field.init}


def check_names(options: Mapping[str, Any], known: Mapping[str, Any], path: str) -> None:
    """Refuse a key that is no field, with the near miss."""
    for name in options:
        if name not in known:
            raise ConfigError(f"{join(path, name)}: {unknown('option', name, known)}")


def join(path: str, name: object) -> str:
    """The dotted path of a part."""
    return f"{path}.{name}" if path else str(name)


def index_in(name: str, last: int, path: str) -> int:
    """A place in a list as a number from 0 to `last`."""
    if not name.isdecimal() or int(name) > last:
        raise ConfigError(f"{join(path, name)}: the parts of {path} go by number, 0 to {last}")
    return int(name)


def described(value: Any) -> str:
    """What came, for an error: the value, and what it is in TOML's terms."""
    kinds = _EXPECTED | {list: "a list", type(None): "no value"}
    kind = "a table" if isinstance(value, Mapping) else kinds.get(type(value), type(value).__name__)
    text = repr(value)
    return f"{text if len(text) <= 80 else text[:77] + '…'} ({kind})"


def expected(hint: Any) -> str:
    """What a hint asks for, in words."""
    arguments = get_args(hint)
    if hint in _EXPECTED:
        return _EXPECTED[hint]
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(repr(choice) for choice in arguments)
    if get_origin(hint) in (Union, types.UnionType):
        return " or ".join(expected(argument) for argument in arguments)
    if get_origin(hint) in (tuple, Sequence):
        arguments = get_args(_as_tuple(hint))
        if arguments[-1] is Ellipsis:
            return f"a list (each: {expected(arguments[0])})"
        return f"a list of {len(arguments)} ({', '.join(expected(argument) for argument in arguments)})"
    if hint is type(None):
        return "none"
    if get_origin(hint) is Mapping:
        return f"a table (each: {expected(arguments[1])})"
    is_table = is_dataclass(hint) or get_origin(hint) is not None
    return "a table" if is_table else 'a component, {use = "name", …}'


def _wrong(hint: Any, value: Any, path: str) -> ConfigError:
    return ConfigError(f"{path}: expected {expected(hint)}, got {described(value)}")


def _scalar(hint: Any, value: Any, path: str) -> Any:
    if hint is Path and isinstance(value, str | Path):
        return Path(value)
    if hint is float and type(value) in (int, float):
        return float(value)
    if type(value) is not hint:  # a bool is no number
        raise _wrong(hint, value, path)
    return value


def _one_of(choices: tuple[Any, ...], value: Any, path: str) -> Any:
    for choice in choices:
        if type(choice) is type(value) and choice == value:
            return choice
    names = [choice for choice in choices if isinstance(choice, str)]
    near = get_close_matches(value, names, n=1, cutoff=0.5) if isinstance(value, str) else []
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ConfigError(f"{_wrong(Literal[choices], value, path)}.{hint}")


def _any_of(hint: Any, value: Any, path: str, components: Components) -> Any:
    if value is None and type(None) in get_args(hint):
        return None
    members = [member for member in get_args(hint) if member is not type(None)]
    if len(members) == 1:
        return converted(members[0], value, path, components)
    for member in members:
        try:
            return converted(member, value, path, components)
        except ConfigError:
            continue
    raise _wrong(hint, value, path)


def _as_tuple(hint: Any) -> Any:
    """`Sequence[x]` as the tuple that it gives."""
    return types.GenericAlias(tuple, (*get_args(hint), ...)) if get_origin(hint) is Sequence else hint


def _tuple(hint: Any, value: Any, path: str, components: Components) -> tuple[Any, ...]:
    if isinstance(value, Mapping) and value and set(value) == {str(index) for index in range(len(value))}:
        value = [value[str(index)] for index in range(len(value))]  # "env.0.id = …" on an empty list
    if not isinstance(value, list | tuple):
        raise _wrong(hint, value, path)
    items = item_hints(hint, len(value))
    if len(items) != len(value):
        raise _wrong(hint, value, path)
    return tuple(
        converted(item, element, join(path, index), components)
        for index, (item, element) in enumerate(zip(items, value, strict=True))
    )


def item_hints(hint: Any, length: int) -> Sequence[Any]:
    """The hint of each item of a tuple: as many as `length` where the tuple's length is free."""
    arguments = get_args(hint)
    return [arguments[0]] * length if arguments[-1] is Ellipsis else arguments


def _table(hint: Any, value: Any, path: str, components: Components) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise _wrong(hint, value, path)
    item = get_args(hint)[1]
    return {name: converted(item, element, join(path, name), components) for name, element in value.items()}


def _instance(hint: Any, value: Any, path: str, components: Components) -> Any:
    """A dataclass from a table, a slot from its component; what is an instance already stays."""
    if is_dataclass(value) and not isinstance(value, type):
        return value
    if isinstance(value, Mapping) and is_dataclass(hint) and "use" not in value:
        assert isinstance(hint, type)
        return build(hint, value, path, components)
    if isinstance(value, Mapping) or (isinstance(value, str) and not is_dataclass(hint)):
        return component(value, path, components)
    raise _wrong(hint, value, path)


def _is_required(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING
