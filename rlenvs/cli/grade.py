"""`rlenvs grade`: score answers and programs that exist already, in a file. What is right is decided elsewhere."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from rlenvs.cli.group import Group
from rlenvs.cli.output import JsonOption, print_json, print_table

app = typer.Typer(cls=Group, no_args_is_help=True, help="Score answers or programs that exist already, in a file.")

OutOption = Annotated[Path | None, typer.Option(help="Verdicts, a JSON line each. Default: FILE.graded.jsonl.")]


@app.callback()
def _only_subcommands() -> None:
    """Score answers or programs that exist already, in a file."""


@app.command("math")
def math(
    file: Annotated[
        Path,
        typer.Argument(help="JSON lines: id, gold, answer; perhaps question, and form: bare or text (a whole reply)."),
    ],
    out: OutOption = None,
    processes: Annotated[
        int | None, typer.Option(min=1, help="That grade at a time. Default: one for each usable core.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Grade mathematical answers, each against its reference.

    Verdicts: equal, not_equal, bad_gold (the data is wrong) or error. Each line of the output has id, verdict, ms (of
    that verdict) and a fingerprint of the row, by which a run that is started again knows what it has graded.
    """
    from rlenvs.grading import grade_math

    def grade(target: Path, progress: Callable[[int, int], None]) -> Mapping[str, int]:
        return grade_math(file, target, num_processes=processes, progress=progress)

    target, verdicts = _graded(file, out, "answers", grade)
    _tell(target, verdicts, "answers", as_json=as_json)
    _fail_unless_judged(verdicts, {"bad_gold", "error"}, "answer")


@app.command("code")
def code(
    file: Annotated[
        Path,
        typer.Argument(
            help="JSON lines: id, program or reply, and one of tests, cases, stdin with expected_stdout, problem; "
            "perhaps entry_point, check, language, stub, limits, comparison, float_tol, checker."
        ),
    ],
    out: OutOption = None,
    sandbox: Annotated[str, typer.Option(help="Where programs run.")] = "bubblewrap",
    level: Annotated[str, typer.Option(help="What it must hold here: limits, isolated or strict.")] = "isolated",
    processes: Annotated[
        int | None, typer.Option(min=1, help="Programs at a time. Default, and at most: one for each usable core.")
    ] = None,
    data: Annotated[
        str, typer.Option(help="Where problems are that rows name: a folder, or hub. Default: RLENVS_DATA.")
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Grade programs, each by its tests, in a sandbox.

    Verdicts: pass, fail, runtime_error, timeout, memory, output_limit, or sandbox_error (the sandbox or the tests
    broke: in no rate, and tried again by the next run). Each line of the output has id, verdict, passed and total (of
    tests), ms, detail, and a fingerprint of the row, by which a run that is started again knows what it has graded.
    """
    from typing import cast

    from rlenvs.code.sandboxes import Sandbox
    from rlenvs.grading.code import grade_code
    from rlenvs_sandbox.levels import Level

    chosen = Sandbox(name=sandbox, level=cast(Level, level))

    def grade(target: Path, progress: Callable[[int, int], None]) -> Mapping[str, int]:
        return grade_code(file, target, sandbox=chosen, num_programs=processes, data=data, progress=progress)

    target, verdicts = _graded(file, out, "programs", grade)
    unjudged = {"sandbox_error"}
    num_judged = sum(count for verdict, count in verdicts.items() if verdict not in unjudged)
    pass_rate = verdicts.get("pass", 0) / num_judged if num_judged else None
    _tell(target, verdicts, "programs", unrated=unjudged, as_json=as_json, pass_rate=pass_rate)
    _fail_unless_judged(verdicts, unjudged, "program")


def _graded(
    file: Path,
    out: Path | None,
    unit: str,
    grade: Callable[[Path, Callable[[int, int], None]], Mapping[str, int]],
) -> tuple[Path, Mapping[str, int]]:
    """Where the verdicts are, and how many there are of each; how far it is, is shown meanwhile."""
    from rlenvs.cli.progress import Progress

    target = out or file.parent / f"{file.name.removesuffix('.gz').removesuffix('.jsonl')}.graded.jsonl"
    done_before: int | None = None  # by an earlier process: what the first call says
    with Progress("grading", None, unit) as line:

        def follow(done: int, total: int) -> None:
            nonlocal done_before
            done_before = done if done_before is None else done_before
            line.reach(done, total, done_before=done_before)

        verdicts = grade(target, follow)
    if not verdicts:
        typer.echo(f"rlenvs: no {unit} in {file}", err=True)
    return target, verdicts


def _tell(
    target: Path,
    verdicts: Mapping[str, int],
    unit: str,
    *,
    unrated: frozenset[str] | set[str] = frozenset(),
    as_json: bool,
    **rates: Any,
) -> None:
    """Print how many rows have each verdict. Shares are of those that are rated."""
    if as_json:
        print_json({"file": str(target), "verdicts": verdicts, **rates})
    elif verdicts:
        total = sum(count for verdict, count in verdicts.items() if verdict not in unrated)
        rows = [
            (verdict, count, "–" if verdict in unrated else f"{100 * count / total:.1f} %")
            for verdict, count in sorted(verdicts.items())
        ]
        print_table(("verdict", unit, "share"), rows, title=str(target))


def _fail_unless_judged(verdicts: Mapping[str, int], unjudged: set[str], unit: str) -> None:
    if verdicts and set(verdicts) <= unjudged:
        typer.echo(f"rlenvs: not one {unit} could be judged", err=True)
        raise typer.Exit(1)
