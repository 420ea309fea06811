"""`rlenvs sandbox`: what this machine can enforce, and the image of the docker sandbox."""

from typing import Annotated

import typer

from rlenvs.cli.group import Group
from rlenvs.cli.output import JsonOption, print_json, print_table

app = typer.Typer(cls=Group, no_args_is_help=True, help="What sandboxes can enforce here, and the image of one.")


@app.command("doctor")
def doctor(
    names: Annotated[list[str] | None, typer.Argument(help="Sandboxes. Default: all of them.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Try what each sandbox holds on this machine, with harmless programs: its level, and the languages that it runs.

    Exit code 1: the first of them lacks something.
    """
    from dataclasses import asdict

    from rlenvs.cli.progress import Progress
    from rlenvs.plugins import latest
    from rlenvs_sandbox.doctor import examine
    from rlenvs_sandbox.trials import TRIALS

    sandboxes = latest().sandboxes
    chosen = {name: sandboxes[name] for name in names or sandboxes}
    with Progress("trying", len(chosen) * len(TRIALS), "programs") as line:
        found = [examine(name, factory, line.advance) for name, factory in chosen.items()]
    if as_json:
        print_json([asdict(each) for each in found])
    else:
        rows = [
            (finding.sandbox, finding.what, "yes" if finding.is_held else "NO", finding.detail)
            for each in found
            for finding in each.findings
        ]
        print_table(("sandbox", "holds", "", "why not"), rows)
        for each in found:
            level = f"level {each.level}" if each.level else "no level"
            typer.echo(f"{each.sandbox}: {level}" + f"; {', '.join(each.languages)}" * bool(each.languages))
    if not all(finding.is_held for finding in found[0].findings):
        raise typer.Exit(1)


@app.command("build")
def build(
    image: Annotated[str, typer.Option(help="The image's name.")] = "rlenvs-sandbox:latest",
    packages: Annotated[
        list[str] | None, typer.Option("--package", help="A package of Debian's, beside Python.")
    ] = None,
    base: Annotated[str, typer.Option("--from", help="An image of a registry to build on. Default: debootstrap.")] = "",
) -> None:
    """Build the image of the docker sandbox, without a registry by default (about a minute, as root)."""
    from rlenvs.cli.progress import Progress
    from rlenvs.errors import RlenvsError
    from rlenvs_sandbox import SandboxError
    from rlenvs_sandbox.docker import connected
    from rlenvs_sandbox.images import build as built

    try:
        client = connected()
        with Progress(f"building {image}", None, "steps") as line:
            id = built(client, image=image, packages=packages or (), base=base, progress=line.advance)
    except SandboxError as error:
        raise RlenvsError(str(error)) from error
    typer.echo(f"{image}: {id}")
