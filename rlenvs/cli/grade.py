"""`rlenvs grade`: score answers that exist already, in a file; what is right is `rlenvs.verifiers`' business."""

from pathlib import Path
from typing import Annotated

import typer

from rlenvs.cli.group import Group
from rlenvs.cli.output import JsonOption, print_json, print_table

app = typer.Typer(cls=Group, no_args_is_help=True, help="Score answers that exist already, in a file.")


@app.callback()
def _only_subcommands() -> None:
    """Score answers that exist already, in a file."""


@app.command("math")
def math(
    file: Annotated[
        Path,
        typer.Argument(help="JSON lines: id, gold, answer; perhaps question, and form: bare or text (a whole reply)."),
    ],
    out: Annotated[Path | None, typer.Option(help="Verdicts, a JSON line each. Default: FILE.graded.jsonl.")] = None,
    processes: Annotated[
        int | None, typer.Option(min=1, help="That grade at a time. Default: one for each usable core.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Grade mathematical answers, each against its reference.

    Verdicts: equal, not_equal, bad_gold (the data is wrong) or error. Each line of the output has id, verdict, ms (of
    that verdict) and a fingerprint of the row, by which a run that is started again knows what it has graded.
    """
    from rlenvs.cli.progress import Progress
    from rlenvs.grading import grade_math

    target = out or file.parent / f"{file.stem}.graded.jsonl"
    done_before: int | None = None  # by an earlier process: what the first call says
    with Progress("grading", None, "answers") as line:

        def follow(done: int, total: int) -> None:
            nonlocal done_before
            done_before = done if done_before is None else done_before
            line.reach(done, total, done_before=done_before)

        verdicts = grade_math(file, target, num_processes=processes, progress=follow)
    if as_json:
        print_json({"file": str(target), "verdicts": verdicts})
    else:
        total = sum(verdicts.values())
        rows = [(verdict, count, f"{100 * count / total:.1f} %") for verdict, count in sorted(verdicts.items())]
        print_table(("verdict", "answers", "share"), rows, title=str(target))
    if verdicts and set(verdicts) <= {"bad_gold", "error"}:
        typer.echo("rlenvs: not one answer could be judged", err=True)
        raise typer.Exit(1)
