"""Commands of plug-ins come whole, and take nobody's place."""

import typer

from rlenvs.cli.commands import add_commands
from rlenvs.plugins import load

COMMAND = """
    from rlenvs.hooks import hookimpl

    @hookimpl
    def register_commands(app):
        app.command("{name}")(lambda: None)
        {then}
"""


def test_commands_of_a_plugin_come_all_or_not_at_all(install):
    install("a-command", COMMAND.format(name="play", then=""))
    install("b-broken", COMMAND.format(name="half", then="raise RuntimeError('no')"))
    install("c-again", COMMAND.format(name="play", then=""))
    plugins, app = load(), typer.Typer()
    add_commands(app, plugins)
    broken = {each.name: each.why for each in plugins.broken}
    names = [info.name for info in app.registered_commands]
    assert names.count("play") == 1
    assert "half" not in names
    assert broken["b_broken"] == "register_commands: RuntimeError: no"
    assert broken["c_again"] == "command 'play' is also a command of a-command 1.0"


def test_a_command_of_ours_cannot_be_taken(install):
    install("d-envs", COMMAND.format(name="envs", then=""))
    plugins, app = load(), typer.Typer()
    app.add_typer(typer.Typer(), name="envs")
    add_commands(app, plugins)
    assert "envs" not in [info.name for info in app.registered_commands]
    assert {each.name: each.why for each in plugins.broken}[
        "d_envs"
    ] == "command 'envs' is also a command of rlenvs itself"
