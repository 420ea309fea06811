"""Strict conversion of plain values (as TOML and JSON have them) into what frozen dataclasses declare.

Nothing is guessed: text is no number, an unknown key is refused with its near miss, and every error says the dotted
path, what was expected and what came. In slots stand components, by name; what is there already can be changed in part.
Where the values come from is `rlenvs.config`'s business, what the errors say `rlenvs.wording`'s.
"""

import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, is_dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from rlenvs.component_names import NO_COMPONENTS, Components, check_is_no_choice, init_fields, place_of
from rlenvs.errors import unknown
from rlenvs.wording import NONE, WORDS, ConfigError, as_tuple, check_names, described, expected, index_in, join, wrong


def converted(hint: Any, value: Any, path: str, components: Components = NO_COMPONENTS) -> Any:
    """`value` as an instance of `hint`.

    Args:
        hint: bool, int, float, str, Path, None, Any, Literal, a union, `tuple`, `Sequence[…]` (which gives a tuple),
            `Mapping[str, …]`, a dataclass; any other class is a slot, filled by `{"use": name, **fields}`, or by the
            bare name. A list of slots may be said by its one component. Where None is allowed and the text "none"
            is not, "none" is None; where a choice is "none" and None is not allowed, None is that choice.
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
        return _tuple(as_tuple(hint), value, path, components)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _table(hint, value, path, components)
    if hint in WORDS:
        return _scalar(hint, value, path)
    return _instance(hint, value, path, components)


def build(kind: type, options: Mapping[str, Any], path: str, components: Components = NO_COMPONENTS) -> Any:
    """An instance of the dataclass `kind` from its fields; those that are not there keep their defaults."""
    return _filled(kind, {}, options, path, components)


def is_component(option: Any) -> bool:
    """Whether an option has the form of one component: a bare name, or a table that says which to `use`."""
    return isinstance(option, str) or (isinstance(option, Mapping) and "use" in option)


def component(option: Mapping[str, Any] | str, path: str, components: Components) -> Any:
    """The component that `{"use": name, **fields}`, or the bare name, stands for."""
    table = {"use": option} if isinstance(option, str) else dict(option)
    if not isinstance(table.get("use"), str):
        raise ConfigError(f'{path}: expected a component, {{use = "name", …}}, got {described(option)}')
    name = table.pop("use")
    if name not in components:
        raise ConfigError(f"{path}: {unknown('component', name, components)}")
    found = components[name]
    if not is_dataclass(found):
        raise ConfigError(f"{path}: component {name!r} is neither a dataclass nor a value of one: {described(found)}")
    if isinstance(found, type):
        return _filled(found, _defaults(found), table, path, components)
    return refilled(found, table, path, components)


def refilled(value: Any, options: Mapping[str, Any], path: str, components: Components) -> Any:
    """A copy of a dataclass with some of its fields changed, at any depth."""
    kept = {name: getattr(value, name) for name in init_fields(type(value))}
    return _filled(type(value), kept, options, path, components)


def _filled(kind: type, kept: Mapping[str, Any], options: Mapping[str, Any], path: str, components: Components) -> Any:
    """An instance of `kind` whose fields are those of `kept`, changed by `options`."""
    known = init_fields(kind)
    check_names(options, known, path)
    hints = typing.get_type_hints(kind)
    for name, field in known.items():
        if _is_required(field) and name not in kept and name not in options:
            raise ConfigError(f"{join(path, name)} is missing: expected {expected(hints[name])}")
    given = {
        name: changed(hints[name], kept.get(name), option, join(path, name), components)
        for name, option in options.items()
    }
    return checked(path, kind, **{**kept, **given})


def _defaults(kind: type) -> dict[str, Any]:
    """What the fields of a dataclass are where nobody gives them; those that must be given are left out."""
    return {
        name: field.default if field.default_factory is MISSING else field.default_factory()
        for name, field in init_fields(kind).items()
        if not _is_required(field)
    }


def changed(hint: Any, current: Any, option: Any, path: str, components: Components) -> Any:
    """What a field becomes: the value there with some of its own fields changed, or another one."""
    if isinstance(option, Mapping) and "use" not in option:
        if is_dataclass(current):
            return refilled(current, option, path, components)
        if isinstance(current, tuple):
            return _changed_items(hint, current, option, path, components)
    if isinstance(option, str) and is_dataclass(current) and option not in components:
        check_is_no_choice(option, current, path)
    return converted(hint, option, path, components)


def _changed_items(
    hint: Any, current: tuple[Any, ...], option: Mapping[str, Any], path: str, components: Components
) -> tuple[Any, ...]:
    """A tuple with some of its items changed, by index or by component name, or with more items."""
    items = list(current)
    said: dict[int, str] = {}
    for key in sorted(option, key=_indices_first):  # not as they came: a file has an order of its own
        index = int(key) if key.isdecimal() else place_of(key, items, path, components)
        if index in said:
            raise ConfigError(f"{path}.{said[index]} and {path}.{key} are the same part: say both as {path}.{index}")
        said[index] = key
        allowed = item_hints(hint, len(items) + 1)
        index_in(str(index), len(allowed) - 1, path)
        item = items[index] if index < len(items) else None
        items[index : index + 1] = [changed(allowed[index], item, option[key], join(path, key), components)]
    return tuple(converted(hint, items, path, components))


def _indices_first(key: str) -> tuple[bool, int, str]:
    return (False, int(key), key) if key.isdecimal() else (True, 0, key)


def checked(path: str, kind: Any, /, **values: Any) -> Any:
    """`kind(**values)`, with the value errors of its own checks as ours."""
    try:
        return kind(**values)
    except ConfigError:
        raise
    except ValueError as error:
        raise ConfigError(f"{path}: {error}" if path and path not in str(error) else str(error)) from error


def _scalar(hint: Any, value: Any, path: str) -> Any:
    if hint is Path and isinstance(value, str | Path):
        return Path(value)
    if hint is float and type(value) in (int, float):
        return float(value)
    if type(value) is not hint:  # a bool is no number
        raise wrong(hint, value, path)
    return value


def _one_of(choices: tuple[Any, ...], value: Any, path: str) -> Any:
    if value is None and None not in choices and NONE in choices:
        return NONE
    for choice in choices:
        if type(choice) is type(value) and choice == value:
            return choice
    names = [choice for choice in choices if isinstance(choice, str)]
    near = get_close_matches(value, names, n=1, cutoff=0.5) if isinstance(value, str) else []
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ConfigError(f"{wrong(Literal[choices], value, path)}.{hint}")


def _any_of(hint: Any, value: Any, path: str, components: Components) -> Any:
    members = [member for member in get_args(hint) if member is not type(None)]
    is_optional = len(members) < len(get_args(hint))
    if is_optional and (value is None or (value == NONE and not any(map(_takes_none_as_text, members)))):
        return None
    if len(members) == 1:
        return converted(members[0], value, path, components)
    for member in members:
        try:
            return converted(member, value, path, components)
        except ConfigError:
            continue
    raise wrong(hint, value, path)


def _takes_none_as_text(hint: Any) -> bool:
    return hint in (str, Path, Any) or (get_origin(hint) is Literal and NONE in get_args(hint))


def _tuple(hint: Any, value: Any, path: str, components: Components) -> tuple[Any, ...]:
    if isinstance(value, Mapping) and value and set(value) == {str(index) for index in range(len(value))}:
        value = [value[str(index)] for index in range(len(value))]  # "env.0.id = …" on an empty list
    if _is_slot(get_args(hint)[0]) and get_args(hint)[-1] is Ellipsis and is_component(value):
        return (component(value, path, components),)
    if not isinstance(value, list | tuple):
        raise wrong(hint, value, path)
    items = item_hints(hint, len(value))
    if len(items) != len(value):
        raise wrong(hint, value, path)
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
        raise wrong(hint, value, path)
    item = get_args(hint)[1]
    return {name: converted(item, element, join(path, name), components) for name, element in value.items()}


def _is_slot(hint: Any) -> bool:
    return isinstance(hint, type) and not is_dataclass(hint) and hint not in WORDS


def _instance(hint: Any, value: Any, path: str, components: Components) -> Any:
    """A dataclass from a table, a slot from its component; what is an instance already stays."""
    if is_dataclass(value) and not isinstance(value, type):
        return value
    if isinstance(value, Mapping) and is_dataclass(hint) and "use" not in value:
        assert isinstance(hint, type)
        return build(hint, value, path, components)
    if isinstance(value, Mapping) or (isinstance(value, str) and not is_dataclass(hint)):
        return component(value, path, components)
    raise wrong(hint, value, path)


def _is_required(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING
