"""The commands that plug-ins add: all of a plug-in's, or none, and never in place of another's."""

import typer
from typer.main import get_command_name

from rlenvs.plugins import Broken, Plugins

HOOK = "register_commands"


def add_commands(app: typer.Typer, plugins: Plugins) -> None:
    """Let every plug-in add its commands. One that raises, or takes a name that is taken, joins `plugins.broken`."""
    taken = dict.fromkeys(_names(app), "rlenvs itself")
    for plugin in plugins.loaded:
        own = typer.Typer()
        if HOOK not in plugin.hooks or plugins.call(plugin, HOOK, app=own) is not None:
            continue
        again = sorted(taken.keys() & set(_names(own)))
        if again:
            why = f"command {again[0]!r} is also a command of {taken[again[0]]}"
            plugins.broken.append(Broken(name=plugin.name, distribution=plugin.distribution, why=why))
            continue
        taken |= dict.fromkeys(_names(own), plugin.distribution)
        app.registered_commands += own.registered_commands
        app.registered_groups += own.registered_groups


def _names(app: typer.Typer) -> list[str]:
    commands = [
        info.name or get_command_name(info.callback.__name__) for info in app.registered_commands if info.callback
    ]
    groups = [
        info.name or (info.typer_instance.info.name if info.typer_instance else None) for info in app.registered_groups
    ]
    return [*commands, *(str(name) for name in groups)]
