"""`rlenvs plugins`: which plug-ins there are, what each gives, which are broken and why."""

from itertools import groupby
from typing import TYPE_CHECKING, Any

import typer

from rlenvs.cli.output import JsonOption, print_json, print_table

if TYPE_CHECKING:
    from rlenvs.plugins import Plugin, Plugins
    from rlenvs.registry import Registry


_SHOWN = 30  # of one kind


def plugins(ctx: typer.Context, as_json: JsonOption = False) -> None:
    """List plug-ins: what each gives, which are broken and why.

    Names that are taken twice are said too.
    """
    found = _found(ctx.obj)
    if as_json:
        print_json(found)
        return
    print_table(
        ("plug-in", "distribution", "gives"),
        [(each["name"], each["distribution"], _listed(each["gives"])) for each in found["plugins"]],
    )
    if found["broken"]:
        typer.echo("\nBroken, and skipped:")
        print_table(("plug-in", "distribution", "why"), [tuple(each.values()) for each in found["broken"]])
    if found["conflicts"]:
        typer.echo("\nNames that are taken twice, and cannot be used:")
        for sentence in found["conflicts"]:
            typer.echo(sentence)


def _listed(gives: list[str]) -> str:
    """What a plug-in gives, on one line: of many of one kind the first, and how many there are."""
    kinds = [list(group) for _, group in groupby(gives, key=lambda each: each.partition(" ")[0])]
    shown = [[*names[:1], f"… {len(names)} in all"] if len(names) > _SHOWN else names for names in kinds]
    return ", ".join(name for names in shown for name in names)


def _found(plugins: "Plugins") -> dict[str, Any]:
    registries = plugins.registries  # asking for them finds what breaks
    return {
        "plugins": [
            {
                "name": plugin.name,
                "distribution": plugin.distribution,
                "hooks": plugin.hooks,
                "gives": [f"{registry.kind} {name}" for registry in registries for name in _given(plugin, registry)],
            }
            for plugin in plugins.loaded
        ],
        "broken": [
            {"name": broken.name, "distribution": broken.distribution, "why": broken.why} for broken in plugins.broken
        ],
        "conflicts": [sentence for registry in registries for sentence in registry.conflicts.values()],
    }


def _given(plugin: "Plugin", registry: "Registry") -> list[str]:
    origins = {name: registry.origin(name) for name in registry}
    key = (plugin.name, plugin.distribution)
    return [name for name, origin in origins.items() if (origin.plugin, origin.distribution) == key]
