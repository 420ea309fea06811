"""Finds plug-ins, keeps what they register, and tells them what happened. One broken plug-in never breaks the others.

What the hooks are is `rlenvs.hooks`' business; what the registered values mean is their users'. Each `load()` has its
own registries and observers. Only environments are shared, in Gymnasium's own registry; what they ask for by name while
they run, such as a sandbox, is looked up in what was loaded last.
"""

import importlib.metadata
import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pluggy

from rlenvs import hooks
from rlenvs.errors import ForeignExitError, RlenvsError, foreign_code, unknown
from rlenvs.plugin_files import import_file
from rlenvs.registration import register
from rlenvs.registry import Entry, Registry

GROUP = "rlenvs.plugins"  # the entry-point group

_Collector = Callable[..., None]  # (values, *what the hook registers): puts (name, value) into values


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """One plug-in that works: an installed entry point, or a local file."""

    name: str  # of the entry point, or of the file without its suffix
    distribution: str  # "my-package 1.0", or the file's path
    description: str  # its module's docstring
    manager: pluggy.PluginManager  # of this plug-in alone

    @property
    def hooks(self) -> tuple[str, ...]:
        """The hooks it has."""
        return tuple(sorted(name for name, hook in vars(self.manager.hook).items() if hook.get_hookimpls()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A plug-in that was skipped, wholly or for one hook, and why."""

    name: str
    distribution: str
    why: str  # one sentence, or the last line of the traceback

    def __str__(self) -> str:
        return f"plug-in {self.name!r} of {self.distribution} is broken and was skipped: {self.why}"


class Plugins:
    """The plug-ins of one `load()`: what they registered (read when first asked for), and their observers."""

    def __init__(self, loaded: Sequence[Plugin], broken: Sequence[Broken], files: Sequence[Path]) -> None:
        self.loaded = tuple(loaded)
        self.broken = list(broken)  # grows when a hook raises
        self.files = tuple(files)
        self._silenced: set[tuple[str, str]] = set()  # (distribution, name) of observers that raised

    @cached_property
    def algorithms(self) -> Registry:
        """By the name that the algorithm carries."""
        return self._registry("algorithm", "register_algorithms", register=_register)

    @cached_property
    def components(self) -> Registry:
        """The types that algorithms' slots are filled with."""
        return self._registry("component", "register_components")

    @cached_property
    def suites(self) -> Registry:
        """By the name that the suite carries."""
        return self._registry("suite", "register_suites", register=_register)

    @cached_property
    def samplers(self) -> Registry:
        """Factories of samplers, which training draws from."""
        return self._registry("sampler", "register_samplers")

    @cached_property
    def policies(self) -> Registry:
        """Factories of policies, which evaluation asks for."""
        return self._registry("policy", "register_policies")

    @cached_property
    def sandboxes(self) -> Registry:
        """Factories of sandboxes."""
        return self._registry("sandbox", "register_sandboxes")

    @cached_property
    def retrievers(self) -> Registry:
        """Factories of retrievers."""
        return self._registry("retriever", "register_retrievers")

    @cached_property
    def environments(self) -> Registry:
        """What puts each into the registry, by id. Once `load()` returns, those that are given out are registered."""
        return self._registry("environment", "register_environments", register=_environment_register)

    @property
    def registries(self) -> tuple[Registry, ...]:
        """All kinds. Asking for them runs every registering hook."""
        return (
            self.environments,
            self.algorithms,
            self.components,
            self.samplers,
            self.policies,
            self.suites,
            self.sandboxes,
            self.retrievers,
        )

    def notify(self, hook: str, **facts: Any) -> None:
        """Call an observers' hook. One that raises is reported, told nothing any more, and the run goes on."""
        assert hook in vars(hooks), hook
        for plugin in self.loaded:
            key = (plugin.distribution, plugin.name)
            if hook not in plugin.hooks or key in self._silenced:
                continue
            broken = self.call(plugin, hook, **facts)
            if broken is not None:
                self._silenced.add(key)
                message = f"observer {plugin.name!r} of {plugin.distribution} raised and is told nothing any more"
                warnings.warn(f"{message}: {broken.why}", RuntimeWarning, stacklevel=2)

    def call(self, plugin: Plugin, hook: str, **facts: Any) -> Broken | None:
        """Call one plug-in's hook. What it raises becomes a record in `broken`, which is returned."""
        try:
            with foreign_code():
                getattr(plugin.manager.hook, hook)(**facts)
        except Exception as error:
            broken = Broken(name=plugin.name, distribution=plugin.distribution, why=f"{hook}: {_last_line(error)}")
            self.broken.append(broken)
            return broken
        return None

    def _registry(self, kind: str, hook: str, *, register: _Collector | None = None) -> Registry:
        registry = Registry(kind)
        for plugin in self.loaded:
            if hook not in plugin.hooks:
                continue
            values: list[tuple[str, Any]] = []
            if self.call(plugin, hook, register=partial(register or _register_named, values)) is None:
                for name, value in values:
                    registry.add(name, _entry(value, plugin))
        return registry


def load(files: Sequence[Path | str] = ()) -> Plugins:
    """All installed plug-ins and these local files, with their environments registered.

    Args:
        files: Python files that are plug-ins, as `--plugin` takes them.

    Raises:
        RlenvsError: one of the files does not exist. What is wrong inside a plug-in is in `broken` instead.
    """
    paths = [Path(file).resolve() for file in files]
    for path in paths:
        if not path.is_file():
            raise RlenvsError(f"no plug-in file {path}: --plugin takes the path of a Python file")
    loaded: list[Plugin] = []
    broken: list[Broken] = []
    for name, distribution, imported in (*_installed(), *_local(paths)):
        try:
            with foreign_code():
                module = imported()
                manager = _verified(module)
        except Exception as error:
            broken.append(Broken(name=name, distribution=distribution, why=_last_line(error)))
        else:
            description = inspect.getdoc(module) or ""
            loaded.append(Plugin(name=name, distribution=distribution, description=description, manager=manager))
    plugins = Plugins(loaded, broken, paths)
    _register_environments(plugins)
    _LATEST[:] = [plugins]
    return plugins


_LATEST: list[Plugins] = []


def latest() -> Plugins:
    """What `load` gave last in this process, with the local files of then; all that is installed if it never was."""
    return _LATEST[0] if _LATEST else load()


def _entry(value: Any, plugin: Plugin) -> Entry:
    return Entry(value=value, plugin=plugin.name, distribution=plugin.distribution, description=plugin.description)


def _register_environments(plugins: Plugins) -> None:
    for id, into_registry in list(plugins.environments.items()):
        try:
            into_registry()
        except Exception as error:  # an id or an entry point that is refused: nobody gives it
            origin = plugins.environments.withdraw(id).distribution
            plugins.broken.append(Broken(name=id, distribution=origin, why=_last_line(error)))


_Found = tuple[str, str, Callable[[], Any]]  # name, distribution, and how to import it


def _local(paths: Sequence[Path]) -> Iterator[_Found]:
    for path in paths:
        yield path.stem, str(path), partial(import_file, path)


def _installed() -> Iterator[_Found]:
    for entry in sorted(importlib.metadata.entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        distribution = f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown distribution"
        yield entry.name, distribution, entry.load


def _verified(plugin: Any) -> pluggy.PluginManager:
    """A manager with this plug-in alone, whose every hook exists and takes parameters that exist."""
    version = getattr(plugin, "RLENVS_API", hooks.API_VERSION)
    if version != hooks.API_VERSION:
        raise RlenvsError(f"written for plug-in API {version}; this rlenvs has API {hooks.API_VERSION}")
    manager = pluggy.PluginManager(hooks.PROJECT)
    manager.add_hookspecs(hooks)
    specified = set(vars(manager.hook))
    manager.register(plugin)
    try:
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        misspelt = sorted(set(vars(manager.hook)) - specified)
        raise RlenvsError(unknown("hook", misspelt[0], specified)) from error
    if not any(hook.get_hookimpls() for hook in vars(manager.hook).values()):
        raise RlenvsError("has no hooks: mark its functions with @rlenvs.hooks.hookimpl")
    return manager


def _register_named(values: list[tuple[str, Any]], name: str, value: Any) -> None:
    if not isinstance(name, str) or not name:
        raise ValueError(f"register(name, value) takes a name that is text and not empty: got {name!r}")
    values.append((name, value))


def _register(values: list[tuple[str, Any]], value: Any) -> None:
    name = getattr(value, "name", None)
    if not isinstance(name, str) or not name:
        raise ValueError(f"register(value) takes something with a name: got {value!r}")
    values.append((name, value))


def _environment_register(
    values: list[tuple[str, Any]],
    id: str,
    entry_point: Any,
    *,
    kwargs: Mapping[str, Any] | None = None,
    nondeterministic: bool = False,
    description: str = "",
) -> None:
    into_registry = partial(
        register, id, entry_point, kwargs=kwargs, nondeterministic=nondeterministic, description=description
    )
    values.append((id, into_registry))


def _last_line(error: Exception) -> str:
    """`ExceptionType: message` on one line; our own sentences stand for themselves."""
    text = " ".join(str(error).split())
    return text if isinstance(error, RlenvsError | ForeignExitError) else f"{type(error).__name__}: {text}"
