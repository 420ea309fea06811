"""What the errors of configurations say: where, what was expected, and what came."""

import types
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from rlenvs.errors import RlenvsError, unknown

WORDS: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    Path: "a path",
}


NONE = "none"
"""How a person says that there is no value, which TOML has no word for."""


class ConfigError(RlenvsError, ValueError):
    """A configuration that cannot be used: what was expected, what came, and where."""


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
    kinds = WORDS | {list: "a list", type(None): "no value"}
    kind = "a table" if isinstance(value, Mapping) else kinds.get(type(value), type(value).__name__)
    text = repr(value)
    return f"{text if len(text) <= 80 else text[:77] + '…'} ({kind})"


def expected(hint: Any) -> str:
    """What a hint asks for, in words."""
    arguments = get_args(hint)
    if hint in WORDS:
        return WORDS[hint]
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(repr(choice) for choice in arguments)
    if get_origin(hint) in (Union, types.UnionType):
        return " or ".join(expected(argument) for argument in arguments)
    if get_origin(hint) in (tuple, Sequence):
        arguments = get_args(as_tuple(hint))
        if arguments[-1] is Ellipsis:
            return f"a list (each: {expected(arguments[0])})"
        return f"a list of {len(arguments)} ({', '.join(expected(argument) for argument in arguments)})"
    if hint is type(None):
        return "none"
    if get_origin(hint) is Mapping:
        return f"a table (each: {expected(arguments[1])})"
    is_table = is_dataclass(hint) or get_origin(hint) is not None
    return "a table" if is_table else 'a component, {use = "name", …}'


def wrong(hint: Any, value: Any, path: str) -> ConfigError:
    """The error of a value that is not what its hint asks for."""
    return ConfigError(f"{path}: expected {expected(hint)}, got {described(value)}")


def as_tuple(hint: Any) -> Any:
    """`Sequence[x]` as the tuple that it gives."""
    return types.GenericAlias(tuple, (*get_args(hint), ...)) if get_origin(hint) is Sequence else hint
