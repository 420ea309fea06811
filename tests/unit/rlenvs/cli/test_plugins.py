"""`rlenvs plugins`: what each gives, what is broken and why, and what is taken twice."""

import json
import os
import subprocess
import sys
from pathlib import Path

from rlenvs.cli.main import main


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


def test_of_many_of_one_kind_the_first_and_their_number_are_shown(install, capsys, registry):
    code = """
        from rlenvs.hooks import hookimpl

        @hookimpl
        def register_environments(register):
            for number in range(31):
                register(f"many/E{number:02}-v0", "rlenvs.envs.echo_pair:echo_pair", description=str(number))

        @hookimpl
        def register_samplers(register):
            for number in range(3):
                register(f"s{number}", object)
    """
    install("many", code)
    assert main(["plugins"]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("many\t")]
    gives = line.split("\t")[2]
    assert gives == "environment many/E00-v0, … 31 in all, sampler s0, sampler s1, sampler s2"
