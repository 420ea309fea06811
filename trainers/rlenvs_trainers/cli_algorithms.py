"""`rlenvs algorithms`: which algorithms there are, and what fills the slots of one."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rlenvs.cli.group import Group
from rlenvs.cli.output import JsonOption, print_json, print_table
from rlenvs.notation import inline

if TYPE_CHECKING:
    from rlenvs.registry import Registry

app = typer.Typer()
SHOWN = ("explore", "credit", "ratio", "surrogate", "reduce")  # the slots that tell algorithms apart at a glance


def add_to(app_of_all: typer.Typer) -> None:
    """Add `algorithms` to the application."""
    app_of_all.add_typer(app, name="algorithms")


@app.callback(cls=Group, invoke_without_command=True)
def list_algorithms(ctx: typer.Context, as_json: JsonOption = False) -> None:
    """List algorithms, or show what fills the slots of one."""
    if ctx.invoked_subcommand is not None:
        return
    algorithms = ctx.obj.algorithms
    rows = [_facts(algorithms, ctx.obj.components, name) for name in algorithms]
    if as_json:
        print_json(rows)
    else:
        columns = ("name", *SHOWN, "what it is", "from")
        print_table(columns, [(row["name"], *_glance(row), row["summary"], row["from"]) for row in rows])
    for sentence in algorithms.conflicts.values():
        typer.echo(f"rlenvs: {sentence}", err=True)


@app.command("show")
def show(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="An algorithm's name, for example grpo.")],
    as_json: JsonOption = False,
) -> None:
    """Show an algorithm, slot by slot.

    Where it comes from, what fills its slots, and how to change that.
    """
    facts = _facts(ctx.obj.algorithms, ctx.obj.components, name)
    if as_json:
        print_json(facts)
        return
    typer.echo(f"{name}  (from {facts['from']}, digest {facts['digest']})\n\n{facts['description']}\n")
    algorithm = ctx.obj.algorithms[name]
    for slot, filling in facts["slots"].items():
        for line in _slot_lines(slot, filling, getattr(algorithm, slot)):
            typer.echo(line)
    typer.echo(
        "\nChange a field with --set SLOT.FIELD=VALUE; put another component into a slot with --set SLOT=NAME (it "
        "takes the place of a whole list), and into a list of them with --set SLOT.0=NAME. Several --set go together: "
        "--set SLOT=NAME --set SLOT.FIELD=VALUE."
        f"\nComponents: {', '.join(ctx.obj.components)}."
    )
    for line in _preset_lines(ctx.obj.components):
        typer.echo(line)


def _facts(algorithms: Registry, components: Registry, name: str) -> dict[str, Any]:
    from rlenvs.config import describe, digest

    algorithm, origin = algorithms[name], algorithms.origin(name)
    slots = describe(algorithm, components)
    del slots["name"]
    return {
        "name": name,
        "from": origin.distribution,
        "summary": origin.description.partition("\n")[0],
        "description": origin.description,
        "digest": digest(algorithm),
        "slots": slots,
    }


def _preset_lines(components: Registry) -> Iterator[str]:
    """The components that are values of a class, each with what it stands for."""
    from rlenvs.config import describe

    for name, component in components.items():
        if not isinstance(component, type) and is_dataclass(component):
            yield f"    {name}: {type(component).__name__} {inline(describe(component, components))}"


def _glance(facts: dict[str, Any]) -> Iterator[str]:
    for slot in SHOWN:
        filling = facts["slots"][slot]
        unit = filling.get("unit") or filling.get("over") or ""
        yield f"{filling['use']} {unit}".rstrip()


def _slot_lines(slot: str, filling: Any, value: Any) -> Iterator[str]:
    """A slot as TOML has it, each component with the first line of its docstring."""
    if isinstance(filling, list) and any(isinstance(item, dict) for item in filling):
        for index, (item, component) in enumerate(zip(filling, value, strict=True)):
            yield from _slot_lines(f"{slot}.{index}", item, component)
    elif isinstance(filling, dict) and is_dataclass(value):
        yield f"{slot} = {inline(filling)}"
        said = inspect.getdoc(type(value)) or ""
        if said and not said.startswith(f"{type(value).__name__}("):  # which dataclasses say of themselves
            yield f"    {said.partition(chr(10))[0]}"
    else:
        yield f"{slot} = {inline(filling)}"
