"""`rlenvs report`: a run as one page that opens offline; what is on it is `rlenvs.report`'s."""

from pathlib import Path
from typing import Annotated

import typer


def report(run: Annotated[Path, typer.Argument(help="A run's folder, for example runs/NAME.")]) -> None:
    """Write a run's report.html, and print where it is.

    Curves, before and after, rollouts one can read: one file that opens offline.
    """
    from rlenvs.report import write_report

    typer.echo(str(write_report(run)))
