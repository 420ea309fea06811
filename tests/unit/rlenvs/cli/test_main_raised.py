"""What a plug-in's code may raise on the command line, and what a person reads of it."""

import sys
from pathlib import Path
from textwrap import dedent

import pytest

from rlenvs.cli.main import main
from rlenvs.errors import RlenvsError

COMMANDS = """
    from rlenvs.hooks import hookimpl

    def greet(name: str, times: int = 1):
        '''Say hello.'''
        print("hello " + name)

    def refuse():
        raise {error}

    @hookimpl
    def register_commands(app):
        app.command("greet")(greet)
        app.command("refuse")(refuse)
"""


@pytest.fixture
def commands(tmp_path: Path):
    """`commands("RlenvsError('…')")`: a local plug-in file whose command `refuse` raises that."""

    def written(error: str = "RuntimeError", stem: str = "greeting_commands") -> str:
        path = tmp_path / f"{stem}.py"
        path.write_text("from rlenvs.errors import RlenvsError\n" + dedent(COMMANDS.format(error=error)))
        return str(path)

    yield written
    sys.modules.pop("greeting_commands", None)


def test_a_local_plugin_adds_commands_before_and_after_its_name(commands, capsys):
    file = commands()
    assert main(["greet", "you", "--plugin", file]) == 0
    assert main(["--plugin", file, "greet", "me"]) == 0
    assert capsys.readouterr().out == "hello you\nhello me\n"
    assert main(["greet", "you"]) == 2, "a plug-in of one call is not there in the next"


def test_an_error_that_a_person_can_put_right_is_one_sentence(commands, capsys):
    assert main(["refuse", "--plugin", commands("RlenvsError('feed the cat first')")]) == 2
    assert capsys.readouterr().err.endswith("rlenvs: feed the cat first\n")


def test_another_value_error_says_how_to_see_where_it_came_from(commands, capsys):
    assert main(["refuse", "--plugin", commands("ValueError('3 is not 4')")]) == 2
    assert capsys.readouterr().err.endswith("rlenvs: 3 is not 4 (RLENVS_TRACEBACK=1 shows where)\n")


def test_the_traceback_is_shown_when_asked_for(commands, monkeypatch):
    monkeypatch.setenv("RLENVS_TRACEBACK", "1")
    with pytest.raises(RlenvsError, match="feed the cat"):
        main(["refuse", "--plugin", commands("RlenvsError('feed the cat first')")])


@pytest.mark.parametrize("error", ["ZeroDivisionError('by 0')", "EOFError('by 0')", "SystemExit('by 0')"])
def test_a_bug_is_a_sentence_with_its_kind_and_where_it_is(commands, capsys, error):
    assert main(["refuse", "--plugin", commands(error)]) == 1
    told = capsys.readouterr().err
    assert told.startswith("rlenvs: something nobody foresaw (RLENVS_TRACEBACK=1 shows all of it): ")
    assert f"{error.partition('(')[0]}: by 0\n" in told
    assert 'greeting_commands.py", line' in told
    assert "Traceback" not in told
    assert "Aborted" not in told


@pytest.mark.parametrize("error", ["SystemExit(0)", "SystemExit()"])
def test_an_exit_code_of_foreign_code_is_never_ours(commands, capsys, error):
    assert main(["refuse", "--plugin", commands(error)]) == 1
    assert "raised SystemExit" in capsys.readouterr().err


def test_a_file_that_the_system_names_has_no_hint_behind_it(capsys, commands):
    assert main(["refuse", "--plugin", commands("FileNotFoundError(2, 'No such file', 'data.jsonl')")]) == 2
    assert capsys.readouterr().err.endswith("No such file: 'data.jsonl'\n")


def test_an_interrupt_while_plugins_are_read_has_its_own_exit_code(tmp_path, capsys):
    (tmp_path / "slow_file.py").write_text("raise KeyboardInterrupt\n")
    assert main(["envs", "--plugin", str(tmp_path / "slow_file.py")]) == 130
    assert capsys.readouterr().err == ""


def test_an_interrupt_has_its_own_exit_code(commands):
    assert main(["refuse", "--plugin", commands("KeyboardInterrupt")]) == 130


def test_a_local_plugin_that_is_broken_is_named_before_the_work(tmp_path, capsys):
    (tmp_path / "broken_file.py").write_text("import no_such_module_anywhere\n")
    assert main(["envs", "--plugin", str(tmp_path / "broken_file.py")]) == 0
    captured = capsys.readouterr()
    assert "plug-in 'broken_file'" in captured.err
    assert "No module named 'no_such_module_anywhere'" in captured.err
    assert "rlenvs/EchoPair-v0" in captured.out


def test_a_plugin_that_breaks_while_it_is_asked_is_told_after_the_work(install, capsys):
    code = """
        from rlenvs.hooks import hookimpl

        @hookimpl
        def register_suites(register):
            raise RuntimeError("too late")
    """
    install("late-breaker", code)
    assert main(["eval", "--policy", "oracle", "--suite", "late"]) == 2
    told = capsys.readouterr().err
    assert "no suite 'late'" in told
    assert "1 installed plug-in(s) broken and skipped" in told
