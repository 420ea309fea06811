"""Output that nobody reads to its end, as in `rlenvs envs | head -1`, is no error to tell of; another pipe's end is."""

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from rlenvs.cli.main import main

COMMANDS = """
    import errno
    from rlenvs.hooks import hookimpl

    def greet():
        print("hello")

    def lose():
        raise BrokenPipeError(errno.EPIPE, "a worker has ended")

    @hookimpl
    def register_commands(app):
        app.command("greet")(greet)
        app.command("lose")(lose)
"""


@pytest.fixture
def commands(tmp_path: Path):
    path = tmp_path / "piping_commands.py"
    path.write_text(dedent(COMMANDS))
    yield str(path)
    sys.modules.pop("piping_commands", None)


def unread(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line, where the program that reads its output has ended already."""
    read, write = os.pipe()
    os.close(read)
    try:
        command = [sys.executable, "-m", "rlenvs", *arguments]
        return subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, timeout=120)
    finally:
        os.close(write)


@pytest.mark.parametrize(
    "arguments",
    ["--help", "train --help", "envs", "eval --policy oracle --suite math-procedural --num-tasks 1 --samples 1"],
)
def test_output_that_nobody_reads_is_no_error_to_tell_of(arguments):
    ended = unread(*arguments.split())
    assert (ended.returncode, ended.stderr) == (1, "")


def test_what_is_written_only_when_python_ends_is_no_error_either(commands):
    ended = unread("--plugin", commands, "greet")
    assert (ended.returncode, ended.stderr) == (1, "")


def test_the_end_of_another_pipe_is_told(commands, capsys):
    assert main(["--plugin", commands, "lose"]) == 1
    assert "BrokenPipeError: [Errno 32] a worker has ended" in capsys.readouterr().err
