"""A plug-in that gives an algorithm and a component, and why one that gives nothing is broken."""

from rlenvs.plugins import Plugins

GOOD = """
    from types import SimpleNamespace
    from rlenvs.hooks import hookimpl

    @hookimpl
    def register_algorithms(register):
        register(SimpleNamespace(name="{name}", value={value}))

    @hookimpl
    def register_components(register):
        register("{name}_clip", dict)
"""


def why(plugins: Plugins, name: str) -> str:
    """Why the plug-in of this name is broken; fails unless there is exactly one record of it."""
    (broken,) = [broken for broken in plugins.broken if broken.name == name]
    return broken.why
