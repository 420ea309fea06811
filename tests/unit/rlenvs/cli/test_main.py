"""The command line holds together: help, sentences for mistakes, plug-ins on the line, and an instant start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rlenvs.cli.main import main, plugin_files
from rlenvs.errors import RlenvsError


def test_help_names_every_command(capsys):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    for command in ("envs", "suites", "plugins", "eval", "grade", "report"):
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


WITHOUT_TORCH = """
import sys
from rlenvs.cli.main import main
code = main({arguments})
heavy = {{"torch", "transformers", "accelerate", "sympy", "rlenvs.envs.math", "pydantic", "markdown_it"}}
heavy &= set(sys.modules)
sys.exit(f"imported {{sorted(heavy)}}" if heavy else code)
"""


@pytest.mark.parametrize(
    "arguments", [["--help"], ["envs"], ["plugins"], ["algorithms"], ["suites"], ["suites", "show", "math"]]
)
def test_listing_imports_nothing_heavy(arguments):
    program = WITHOUT_TORCH.format(arguments=arguments)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr


GYMNASIUM_SECONDS = 0.2  # what `import gymnasium` takes where the half second is promised: on a laptop


@pytest.mark.parametrize("arguments", [["--help"], ["envs"]])
def test_the_command_line_answers_in_under_half_a_second(arguments):
    """In processor time, against the import that it cannot do without: a slow machine is slow at both."""
    ours, gymnasium = zip(
        *[
            (_processor_seconds("-m", "rlenvs", *arguments), _processor_seconds("-c", "import gymnasium"))
            for _ in range(5)
        ],
        strict=True,
    )
    assert min(ours) / min(gymnasium) * GYMNASIUM_SECONDS < 0.5


def _processor_seconds(*arguments: str) -> float:
    """What one Python process computes: on a machine with nothing else to do, how long it takes."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # other threads wait for work, and nobody for them
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # the first run compiles, as it does for a user, and no other
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_utime + usage.ru_stime
