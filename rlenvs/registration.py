"""Registers environments in Gymnasium's registry and makes them. Nothing is imported until one is made.

Which plug-ins are asked for theirs is `rlenvs.plugins`'s business; they are, once, where an id is unknown.
"""

import ast
import importlib
import inspect
import numbers
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import gymnasium
from gymnasium.envs.registration import load_env_creator, parse_env_id, registry

from rlenvs.env import TextEnv
from rlenvs.errors import (
    MakingError,
    RegistrationError,
    RlenvsError,
    UnknownEnvironmentError,
    described,
    foreign_code,
    unknown,
)

EntryPoint = str | Callable[..., TextEnv]
"""`"package.module:Class"`, or the class or function itself. It gives a TextEnv (or a SeatView, which is one)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """What is known of an environment before it is made."""

    id: str
    entry_point: str  # "package.module:name"
    stated: str = ""  # the description that it was registered with

    @property
    def description(self) -> str:
        """As it was registered, else the first line of its docstring: from the source, listings import nothing."""
        if self.stated:
            return self.stated
        creator = registry[self.id].entry_point
        docstring = _docstring_in_source(self.entry_point) if isinstance(creator, str) else inspect.getdoc(creator)
        return (docstring or "").partition("\n")[0]


_registered: dict[str, Registered] = {}


def register(
    id: str,
    entry_point: EntryPoint,
    *,
    kwargs: Mapping[str, Any] | None = None,
    nondeterministic: bool = False,
    description: str = "",
) -> None:
    """Register a text environment under a Gymnasium id like `my/Env-v0`. Doing so twice alike changes nothing.

    Args:
        id: `namespace/Name-vN`.
        entry_point: what is called with `kwargs` to make it.
        kwargs: options that it is made with, which `make` can override.
        nondeterministic: the same seed and actions may lead to different episodes (it asks a live service, say).
        description: a line for listings; empty: the first line of the entry point's docstring.

    Raises:
        RegistrationError: the id is malformed, or belongs to another entry point.
    """
    namespace, _, version = _parsed(id)
    if namespace is None or version is None:
        raise RegistrationError(f"an environment's id is namespace/Name-vN, for example my/Env-v0: got {id!r}")
    if not isinstance(entry_point, str) and not callable(entry_point):
        raise RegistrationError(
            f"{id}: an entry point is 'package.module:name', a class or a function: {entry_point!r}"
        )
    name = entry_point if isinstance(entry_point, str) else f"{entry_point.__module__}:{entry_point.__qualname__}"
    if isinstance(entry_point, str) and entry_point.count(":") != 1:
        raise RegistrationError(f"{id}: an entry point is 'package.module:name', got {entry_point!r}")
    if id in registry and (id not in _registered or _registered[id].entry_point != name):
        other = _registered[id].entry_point if id in _registered else registry[id].entry_point
        raise RegistrationError(f"the id {id!r} is taken: {other} has it, and {name} wants it. Rename one of them.")
    registry.pop(id, None)  # Gymnasium warns of an id that is registered again, even if alike
    gymnasium.register(id, entry_point, kwargs=dict(kwargs or {}), nondeterministic=nondeterministic)
    _registered[id] = Registered(id=id, entry_point=name, stated=description)


def registered() -> tuple[Registered, ...]:
    """Every environment that was registered here, by id."""
    return tuple(_registered[id] for id in sorted(_registered))


def registered_ids() -> tuple[str, ...]:
    """The ids of every environment that was registered here, in order."""
    return tuple(sorted(_registered))


def make(id: str, **kwargs: Any) -> TextEnv:
    """A new environment without wrappers: a TextEnv, or a SeatView where there are several seats.

    Where the id is unknown, the installed plug-ins are loaded once.

    Args:
        id: as registered; `module:id` imports the module first.
        kwargs: options of this environment (those of its constructor).

    Raises:
        UnknownEnvironmentError: nobody registered the id, or the environment has no such option, or needs one more.
        RegistrationError: its module or its entry point cannot be imported.
        MakingError: it refuses its options, raised anything, or has no tasks.
        RlenvsError: what its constructor says itself, a DataError say.
    """
    name = registered_name(id)
    _check_options(name, kwargs)
    env = _constructed(name, kwargs)
    if not isinstance(env, TextEnv):
        raise UnknownEnvironmentError(f"{name} is {type(env).__name__}, not a text environment (a rlenvs.TextEnv)")
    num_tasks: Any = env.num_tasks
    if num_tasks is not None and not (isinstance(num_tasks, numbers.Integral) and int(num_tasks) >= 1):
        why = f"num_tasks is how many tasks it has, at least 1, or None for no end of them: got {num_tasks!r}"
        raise MakingError(f"{_called(name, kwargs)}: {why}")
    return env


def registered_name(id: str) -> str:
    """The id as it stands in Gymnasium's registry: of `module:id`, the id, once the module is imported.

    Raises:
        UnknownEnvironmentError: nobody registered it.
        RegistrationError: the module cannot be imported.
    """
    module, _, name = id.rpartition(":")
    if module:
        _import(module, id)
    if name not in registry:
        _load_plugins()
    if name not in registry:
        raise UnknownEnvironmentError(unknown("environment", name, registered_ids()))
    return name


@cache
def _load_plugins() -> None:
    """Register the environments of installed plug-ins, at the first call."""
    from rlenvs.plugins import load  # which imports this module

    load()


def creator_of(id: str) -> Callable[..., Any]:
    """What is called to make the environment: a class or a function.

    Args:
        id: as `make` takes it.

    Raises:
        UnknownEnvironmentError: nobody registered the id.
        RegistrationError: its module or its entry point cannot be imported, or is nothing to call.
    """
    entry_point = registry[registered_name(id)].entry_point
    try:
        with foreign_code():
            creator: Any = load_env_creator(entry_point) if isinstance(entry_point, str) else entry_point
    except Exception as error:  # importing runs foreign code
        raise RegistrationError(f"{id}: its entry point {entry_point!r} cannot be imported: {_named(error)}") from error
    if not callable(creator):
        raise RegistrationError(f"{id}: its entry point is called to make it, and cannot be: got {creator!r}")
    found: Callable[..., Any] = creator
    return found


def _import(module: str, id: str) -> None:
    try:
        with foreign_code():
            importlib.import_module(module)
    except Exception as error:  # importing runs foreign code
        raise RegistrationError(f"{id}: the module {module!r} cannot be imported: {_named(error)}") from error


def _constructed(id: str, kwargs: Mapping[str, Any]) -> gymnasium.Env[Any, Any]:
    try:
        with foreign_code():
            return gymnasium.make(id, disable_env_checker=True, **kwargs).unwrapped
    except ValueError as error:  # what a constructor raises for options that it refuses
        raise MakingError(f"{_called(id, kwargs)}: {error}") from error
    except RlenvsError:  # it says itself what is to be done
        raise
    except Exception as error:  # foreign code
        raise MakingError(f"{_called(id, kwargs)} cannot be made: {described(error)}") from error


def _called(id: str, kwargs: Mapping[str, Any]) -> str:
    """An environment and its options as a sentence names them."""
    options = ", ".join(f"{name}={value!r}" for name, value in kwargs.items())
    return f"{id} ({options})" if options else id


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _parsed(id: str) -> tuple[str | None, str, int | None]:
    try:
        return parse_env_id(id)
    except gymnasium.error.Error as error:
        raise RegistrationError(f"an environment's id is namespace/Name-vN: {error}") from None


def _check_options(id: str, kwargs: Mapping[str, Any]) -> None:
    parameters = inspect.signature(creator_of(id)).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    for option in kwargs:
        if option not in parameters:
            raise UnknownEnvironmentError(unknown(f"option of {id}", option, parameters))
    for option, parameter in parameters.items():
        is_named = parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        if is_named and parameter.default is parameter.empty and option not in {*registry[id].kwargs, *kwargs}:
            raise UnknownEnvironmentError(f"{id} needs its option {option!r}, which has no default")


def _docstring_in_source(entry_point: str) -> str | None:
    """The docstring of a class or function, found without importing anything; None where there is none to read."""
    module, _, name = entry_point.partition(":")
    source = _source_of(module)
    if source is None:
        return None
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            return ast.get_docstring(node)
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return _docstring_in_source(f"{node.module}:{alias.name}")
    return None


def _source_of(module: str) -> Path | None:
    """Where a module's source is. Python's own search would import the packages around it."""
    parts, locations, origin = module.split("."), None, None
    for depth in range(1, len(parts) + 1):
        name = ".".join(parts[:depth])
        specs = (finder.find_spec(name, locations) for finder in sys.meta_path)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is None:
            return None
        locations, origin = spec.submodule_search_locations, spec.origin
    return Path(origin) if origin is not None and origin.endswith(".py") else None
