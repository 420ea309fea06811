"""The command line holds together: plug-ins on the line, sentences for mistakes, exit codes, and an instant start."""

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from rlenvs.cli.main import main, plugin_files
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


def test_help_names_every_command(capsys):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    for command in ("envs", "plugins", "eval", "grade", "report"):
        assert command in shown


def test_no_arguments_are_answered_with_help(capsys):
    assert main([]) == 2
    captured = capsys.readouterr()
    assert "Usage: rlenvs" in captured.out + captured.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["plugin"], "no command 'plugin'. Did you mean 'plugins'? There is: "),
        (["envs", "shwo", "x"], "no command 'envs shwo'. Did you mean 'envs show'? There is: envs check, envs show."),
        (["grade", "maths"], "no command 'grade maths'. Did you mean 'grade math'?"),
        (
            ["envs", "show", "rlenvs/EchPair-v0"],
            "no environment 'rlenvs/EchPair-v0'. Did you mean 'rlenvs/EchoPair-v0'?",
        ),
        (["envs", "--jsn"], "--json"),
        (["--plugin"], "--plugin takes the path of a Python file"),
        (["--plugin", "gone.py", "envs"], "gone.py: --plugin takes the path of a Python file"),
    ],
)
def test_a_mistake_gets_a_sentence_and_exit_code_2(capsys, arguments, sentence):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("arguments", "files", "rest"),
    [
        (["train", "--plugin", "a.py", "--steps", "3"], ["a.py"], ["train", "--steps", "3"]),
        (["--plugin=a.py", "envs", "--plugin", "b.py"], ["a.py", "b.py"], ["envs"]),
        (["x", "--", "--plugin", "a.py"], [], ["x", "--", "--plugin", "a.py"]),
        (["x", "--plugins", "a"], [], ["x", "--plugins", "a"]),
        ([], [], []),
    ],
)
def test_plugin_files_are_found_wherever_they_stand(arguments, files, rest):
    assert plugin_files(arguments) == ([Path(file) for file in files], rest)


def test_a_plugin_option_without_a_file_is_refused():
    with pytest.raises(RlenvsError, match="path of a Python file"):
        plugin_files(["train", "--plugin"])


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


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("--env rlenvs/Arithmetic-v0 --set families=[] --num-tasks 2", "families is a list of names, at least one"),
        ("--env rlenvs/Arithmetic-v0 --set levels=[9] --num-tasks 2", "levels of add are a list of integers"),
        ("--env rlenvs/Arithmetic-v0 --set template=box --num-tasks 2", "no template 'box'. Did you mean 'boxed'?"),
        ("--env rlenvs/EchoPair-v0 --num-tasks 2 --top-p 3", "top_p"),
        ("--env rlenvs/EchoPair-v0 --env rlenvs/EchoPair-v0 --num-tasks 2", "rlenvs/EchoPair-v0"),
    ],
)
def test_a_sentence_that_says_what_is_wrong_has_no_hint_behind_it(capsys, arguments, sentence):
    assert main(["eval", "--policy", "oracle", *arguments.split()]) == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert "RLENVS_TRACEBACK" not in told


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


def rlenvs(*arguments: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command as a person starts it, with `path` among the installed packages."""
    environment = os.environ | ({"PYTHONPATH": str(path)} if path else {})
    command = [sys.executable, "-m", "rlenvs", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)


GIVES_APO = """
    from types import SimpleNamespace
    from rlenvs.hooks import hookimpl

    @hookimpl
    def register_algorithms(register):
        register(SimpleNamespace(name="apo"))
"""


def test_r29_the_command_line_works_and_lists_what_is_broken(install):
    install("bad-import", "import no_such_module_anywhere\n")
    install("old-api", "RLENVS_API = 0\n")
    misspelt = "from rlenvs.hooks import hookimpl\n\n@hookimpl\ndef on_run_strat(run_dir):\n    pass\n"
    site = install("misspelt", misspelt)
    listed = rlenvs("plugins", "--json", path=site)
    assert listed.returncode == 0
    broken = {each["distribution"]: each["why"] for each in json.loads(listed.stdout)["broken"]}
    assert broken["bad-import 1.0"] == "ModuleNotFoundError: No module named 'no_such_module_anywhere'"
    assert broken["old-api 1.0"] == "written for plug-in API 0; this rlenvs has API 1"
    assert "Did you mean 'on_run_start'?" in broken["misspelt 1.0"]
    envs = rlenvs("envs", path=site)
    assert envs.returncode == 0
    assert "rlenvs/Math-v0" in envs.stdout
    assert "`rlenvs plugins` says why" in envs.stderr
    assert "Traceback" not in envs.stderr + listed.stderr


def test_r30_two_plugins_of_one_name_are_listed_with_both_distributions(install):
    install("first-apo", GIVES_APO)
    site = install("second-apo", GIVES_APO, version="0.3")
    listed = rlenvs("plugins", path=site)
    assert listed.returncode == 0
    assert "algorithm 'apo' is registered by first-apo 1.0 and by second-apo 0.3." in listed.stdout
    assert "algorithm apo" not in listed.stdout, "neither of them gives it"


def test_what_each_plugin_gives_is_listed(install, capsys):
    install("first-apo", GIVES_APO)
    assert main(["plugins", "--json"]) == 0
    (found,) = [each for each in json.loads(capsys.readouterr().out)["plugins"] if each["name"] == "first_apo"]
    assert found == {
        "name": "first_apo",
        "distribution": "first-apo 1.0",
        "hooks": ["register_algorithms"],
        "gives": ["algorithm apo"],
    }


WITHOUT_TORCH = """
import sys
from rlenvs.cli.main import main
code = main({arguments})
heavy = {{"torch", "transformers", "accelerate", "sympy", "rlenvs.envs.math"}} & set(sys.modules)
sys.exit(f"imported {{sorted(heavy)}}" if heavy else code)
"""


@pytest.mark.parametrize("arguments", [["--help"], ["envs"], ["plugins"], ["algorithms"]])
def test_listing_imports_nothing_heavy(arguments):
    program = WITHOUT_TORCH.format(arguments=arguments)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["envs"]])
def test_the_command_line_answers_in_under_half_a_second(arguments):
    assert min(_processor_seconds(arguments) for _ in range(5)) < 0.5


def _processor_seconds(arguments: list[str]) -> float:
    """What one call computes: on a machine with nothing else to do, how long it takes."""
    process = subprocess.Popen([sys.executable, "-m", "rlenvs", *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_utime + usage.ru_stime
