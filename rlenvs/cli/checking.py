"""`rlenvs envs check`: what is checked, and how it is told. The checks themselves are `rlenvs.checks`."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import typer

from rlenvs.cli.output import print_table

if TYPE_CHECKING:
    from rlenvs.checks.findings import DataReport, Finding
    from rlenvs.env import TextEnv

SHOWN = 5  # findings of each kind; JSON has all
LONGEST = 72  # characters of a text or a reason
MAKING_S = 10.0  # that the tasks to check may take to make: trying their answers takes a few times as long


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What was found in an environment."""

    id: str
    failure: str  # what is wrong with the contract, or why the data could not be checked; empty: nothing
    notes: tuple[str, ...]  # what could not be checked of the contract, or may be meant
    data: "DataReport | None"  # None: not checked, or tasks without end

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.failure and not (self.data and self.data.errors)

    def as_json(self) -> dict[str, Any]:
        """All of it, for programs."""
        data = None if self.data is None else self.data.as_json()
        return {"id": self.id, "failure": self.failure or None, "notes": list(self.notes), "data": data}


def checked(
    env: "TextEnv", id: str, against: "Mapping[str, TextEnv]", *, with_data: bool, with_all: bool = False
) -> Checked:
    """The contract, and the data of an environment with a number of tasks; `with_all`: of a slow generator, too."""
    from rlenvs.checks import CheckWarning, check_env
    from rlenvs.checks.readable import NothingReadableError
    from rlenvs.errors import CheckError

    failures: list[str] = []
    data: DataReport | None = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CheckWarning)
        try:
            check_env(env)
        except NothingReadableError as error:
            failures.append(f"{id}: {error}")
        except CheckError as error:
            failures.append(f"{id} does not keep the contract: {error}")
    if with_data and (env.num_tasks is not None or against):
        try:
            data = _data(env, against, making_s=None if with_all else MAKING_S)
        except CheckError as error:
            failures.append(f"{id}: {error}")
    notes = tuple(str(warning.message) for warning in caught if issubclass(warning.category, CheckWarning))
    return Checked(id=id, failure="\n".join(failures), notes=notes, data=data)


def _data(env: "TextEnv", against: "Mapping[str, TextEnv]", *, making_s: float | None) -> "DataReport":
    from rlenvs.checks.data import check_data
    from rlenvs.cli.progress import Progress

    line: Progress | None = None
    with ExitStack() as stack:

        def follow(what: str, done: int, total: int) -> None:
            nonlocal line
            if line is None or line.what != what:  # each part of the work has a rate of its own
                stack.close()
                line = stack.enter_context(Progress(what, total, "tasks"))
            line.reach(done, total)

        return check_data(env, against, progress=follow, making_s=making_s)


def tell(checked: Checked) -> None:
    """Tell a person: what is wrong and what is noted on standard error, the rest on standard output."""
    for note in checked.notes:
        typer.echo(f"rlenvs: {checked.id}: {note}", err=True)
    if checked.failure:
        typer.echo(f"rlenvs: {checked.failure}", err=True)
    else:
        typer.echo(f"{checked.id} keeps the contract{', apart from what is noted' if checked.notes else ''}.")
    if checked.data is not None:
        _tell_of_data(checked.id, checked.data)


def _tell_of_data(id: str, data: "DataReport") -> None:
    from rlenvs.checks.findings import ERRORS, MEANING

    for note in data.notes:
        typer.echo(f"rlenvs: {id}: {note}", err=True)
    against = ", ".join(f"{name} ({count} tasks)" for name, count in data.against.items())
    compared = f", compared with {against}" if against else ""
    if not data.findings:
        untried = "" if data.has_answers else " Without answer_message no reference was tried."
        typer.echo(f"{data.num_tasks} tasks{compared}: no fault, nothing twice.{untried}")
        return
    typer.echo(f"\n{data.num_tasks} tasks{compared}:")
    counts = [(kind, count) for kind, count in data.counts.items() if count]
    rows = [(kind, count, "error" if kind in ERRORS else "note", MEANING[kind]) for kind, count in counts]
    print_table(("found", "times", "", "what it is"), rows)
    typer.echo()
    print_table(("found", "task", "other task", "text", "why"), _examples(data))


def _examples(data: "DataReport") -> Iterator[tuple[str, ...]]:
    """The first findings of every kind as rows."""
    from rlenvs.checks.findings import Kind

    for kind in get_args(Kind):
        findings = data.of(kind)
        yield from (_row(finding) for finding in findings[:SHOWN])
        if len(findings) > SHOWN:
            yield kind, f"… {len(findings) - SHOWN} more: --json", "", "", ""


def _row(finding: "Finding") -> tuple[str, ...]:
    return finding.kind, finding.task_id, finding.other_id, _short(finding.text), _short(finding.why)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
