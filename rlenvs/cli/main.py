"""`rlenvs`: puts the commands together, ours and those of plug-ins, and turns errors into sentences and exit codes.

Exit codes: 0 fine, 1 the work failed, 2 bad input (which a person can put right), 130 interrupted. They are never
those of foreign code: what it raises in a command, SystemExit included, is an error like any other.
"""

import os
import select
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from rlenvs.cli import envs, evaluate, grade, report, sandbox, suites
from rlenvs.cli import plugins as plugin_list
from rlenvs.cli.commands import add_commands
from rlenvs.cli.group import Group
from rlenvs.errors import ForeignExitError, RlenvsError, described, foreign_code
from rlenvs.plugins import Broken, Plugins, load

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130


def run() -> None:
    """The console script."""
    sys.exit(main(sys.argv[1:]))


def main(arguments: Sequence[str]) -> int:
    """Run one command line.

    Returns:
        The exit code. What went wrong is one sentence on standard error, with where it happened if nobody foresaw it;
        RLENVS_TRACEBACK=1 shows the traceback.
    """
    try:
        files, rest = plugin_files(arguments)
        _run(load(files), rest)
    except SystemExit as exit:  # click's own: see `_Root`
        return exit.code if isinstance(exit.code, int) else FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # a person is not shown a traceback, whatever it is
        if os.environ.get("RLENVS_TRACEBACK"):
            raise
        print(f"rlenvs: {_sentence(error)}", file=sys.stderr)
        return BAD_INPUT if isinstance(error, RlenvsError | ValueError | OSError) else FAILED
    return 0


class _Root(Group):
    """The group of all commands."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command. Where our output is not read to its end, as in `rlenvs envs | head -1`, end without a word.

        Click would take SystemExit for the command's exit code, EOFError for an abort, and any pipe for our output's.
        """
        try:
            with foreign_code():
                return super().invoke(ctx)
        except (EOFError, BrokenPipeError) as error:
            if isinstance(error, BrokenPipeError) and _is_unread():
                raise  # click falls silent, and exits with 1
            raise RuntimeError(f"{type(error).__name__}: {error}") from error
        except ForeignExitError as error:
            if error.__cause__ is not None and _raising_module(error.__cause__) == "rich.console":
                raise typer.Exit(FAILED) from error  # rich leaves so where it meets the end of the pipe
            raise


def _is_unread() -> bool:
    """Whether the program that reads our output has ended."""
    watched = select.poll()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # a stream that is no file has no reader
            watched.register(stream.fileno(), 0)  # 0: what is always told, errors among it
    return any(event & select.POLLERR for _, event in watched.poll(0))


def _sentence(error: Exception) -> str:
    """What to tell a person."""
    if _is_foreseen(error):
        return str(error)
    if isinstance(error, ValueError | OSError):
        return f"{str(error) or type(error).__name__} (RLENVS_TRACEBACK=1 shows where)"
    return f"something nobody foresaw (RLENVS_TRACEBACK=1 shows all of it): {described(error)}"


def _is_foreseen(error: Exception) -> bool:
    """Whether its message was written for a person: by us, or by the system about a file that it names."""
    if isinstance(error, OSError) and error.filename is not None:
        return True
    return isinstance(error, RlenvsError) or (type(error) is ValueError and _is_raised_by_us(error))


def _is_raised_by_us(error: Exception) -> bool:
    """Whether the last line of its traceback is in one of our packages."""
    package = _raising_module(error).partition(".")[0]
    return package in {"rlenvs", "rlenvs_sandbox", "rlenvs_trainers", "rlenvs_plugins"}


def _raising_module(error: BaseException) -> str:
    """The module with the last line of its traceback."""
    where = error.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    return str(where.tb_frame.f_globals.get("__name__", "")) if where is not None else ""


def _run(plugins: Plugins, arguments: Sequence[str]) -> None:
    command = typer.main.get_command(build(plugins))
    _tell_of(plugins.broken, plugins, arguments)
    told = len(plugins.broken)
    try:
        command(args=list(arguments), prog_name="rlenvs", obj=plugins)
    finally:
        _tell_of(plugins.broken[told:], plugins, arguments)


def build(plugins: Plugins) -> typer.Typer:
    """The whole application. Commands find the plug-ins as `ctx.obj`."""
    app = typer.Typer(
        cls=_Root,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # plain help: the other kind imports parsers of Markdown and of programs
        help="Reinforcement learning for language models that act: environments, algorithms, evaluation.",
    )
    app.callback()(_global_options)
    app.add_typer(envs.app, name="envs")
    app.command("plugins")(plugin_list.plugins)
    app.command("eval")(evaluate.evaluate)
    app.add_typer(suites.app, name="suites")
    app.add_typer(grade.app, name="grade")
    app.add_typer(sandbox.app, name="sandbox")
    app.command("report")(report.report)
    add_commands(app, plugins)
    return app


def plugin_files(arguments: Sequence[str]) -> tuple[list[Path], list[str]]:
    """The files that `--plugin` names, wherever it stands, and the other arguments.

    They must be known before the arguments can be parsed: their commands are among those that there are.
    """
    files, rest = [], []
    left = iter(arguments)
    for argument in left:
        option, _, value = argument.partition("=")
        if argument == "--":
            rest += [argument, *left]
        elif option != "--plugin":
            rest.append(argument)
        elif value:
            files.append(Path(value))
        else:
            file = next(left, None)
            if file is None:
                raise RlenvsError("--plugin takes the path of a Python file: rlenvs --plugin ./my_algorithm.py …")
            files.append(Path(file))
    return files, rest


def _global_options(
    plugin: Annotated[
        list[Path] | None, typer.Option(help="A local Python file that is a plug-in. Anywhere on the line, repeatable.")
    ] = None,
) -> None:
    pass


def _tell_of(broken: Sequence[Broken], plugins: Plugins, arguments: Sequence[str]) -> None:
    """What was skipped, where something is done without it: files by name, installed plug-ins by number."""
    if not arguments or arguments[0].startswith("-") or arguments[0] == "plugins":
        return
    local = [each for each in broken if Path(each.distribution) in plugins.files]
    for each in local:
        print(f"rlenvs: {each}", file=sys.stderr)
    if others := len(broken) - len(local):
        print(f"rlenvs: {others} installed plug-in(s) broken and skipped: `rlenvs plugins` says why", file=sys.stderr)
