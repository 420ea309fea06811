"""`rlenvs suites`: which suites there are, and how each benchmark of one is asked, sampled and scored."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from rlenvs.cli.group import Group
from rlenvs.cli.output import JsonOption, print_json, print_table

if TYPE_CHECKING:
    from rlenvs.evaluation.suites import Suite, Target
    from rlenvs.registry import Registry

app = typer.Typer(invoke_without_command=True, help="List suites, or show one with its published conventions.")


@app.callback(cls=Group, invoke_without_command=True)
def list_suites(ctx: typer.Context, as_json: JsonOption = False) -> None:
    """List suites, or show one with its published conventions."""
    if ctx.invoked_subcommand is not None:
        return
    suites = ctx.obj.suites
    rows = [_facts(suites, name) for name in suites]
    if as_json:
        print_json(rows)
    else:
        columns = ("name", "description", "targets", "from")
        targets = [_listed([target["name"] for target in row["targets"]]) for row in rows]
        print_table(
            columns,
            [(row["name"], row["description"], names, row["from"]) for row, names in zip(rows, targets, strict=True)],
        )
    for sentence in suites.conflicts.values():
        typer.echo(f"rlenvs: {sentence}", err=True)


_SHOWN = 12  # targets of a suite, in a listing


def _listed(names: list[str]) -> str:
    """The names on one line; of many the first, and how many there are."""
    shown = names if len(names) <= _SHOWN else [*names[:3], f"… {len(names)} in all"]
    return ", ".join(shown)


@app.command("show")
def show(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="A suite's name, for example math.")],
    as_json: JsonOption = False,
) -> None:
    """Show a suite, target by target.

    What each is made with, how it was published to be asked, sampled and scored, and what is done here.
    """
    facts = _facts(ctx.obj.suites, name)
    if as_json:
        print_json(facts)
        return
    typer.echo(
        f"{name}  (from {facts['from']})\n\n{facts['description']}\nsampling here: {_spelled(facts['sampling'])}"
    )
    for target in facts["targets"]:
        typer.echo(f"\n{target['name']}: {target['env']}({_spelled(target['kwargs'])}), {_amount(target)}")
        for what, sentence in target["published"].items():
            typer.echo(f"  {what}: {sentence}")


@app.command("page")
def page(
    ctx: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(help="Suites. Default: all of them.")] = None,
) -> None:
    """Print suites as a page of Markdown.

    What `show` says, with headings and a list for each target.
    """
    from rlenvs.evaluation.suites_page import page_of

    typer.echo(page_of([ctx.obj.suites[name] for name in names or ctx.obj.suites]), nl=False)


def _facts(suites: "Registry", name: str) -> dict[str, Any]:
    from dataclasses import asdict

    suite: Suite = suites[name]
    return {
        "name": name,
        "description": suite.description,
        "from": suites.origin(name).distribution,
        "sampling": asdict(suite.sampling),
        "targets": [_target_facts(suite, target) for target in suite.targets],
    }


def _target_facts(suite: "Suite", target: "Target") -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "name": target.title,
        "env": target.env,
        "kwargs": dict(target.kwargs),
        "num_tasks": target.num_tasks,
        "samples": suite.samples_of(target),
        "published": asdict(target.published) if target.published else {},
    }


def _amount(target: dict[str, Any]) -> str:
    tasks = "all tasks" if target["num_tasks"] is None else f"{target['num_tasks']} tasks"
    return f"{tasks}, {target['samples']} × each"


def _spelled(options: dict[str, Any]) -> str:
    from rlenvs.notation import inline

    return ", ".join(f"{name}={inline(value)}" for name, value in options.items())
