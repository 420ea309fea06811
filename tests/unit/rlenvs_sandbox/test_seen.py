"""What a program can read and write beside its own folder: nothing of the machine's but its tools."""

import json
import os
import sys
from pathlib import Path

import numpy
import pytest

from rlenvs_sandbox import Program, WarmRunner
from rlenvs_sandbox.backends import bubblewrap

LOOKING = """
import glob, json, os, sys
def read(path):
    try:
        with open(path, "rb") as file:
            return len(file.read(10))
    except OSError:
        return -1
def listed(path):
    try:
        return sorted(os.listdir(path))
    except OSError:
        return []
chain, parent = {}, "/"
for part in sys.base_prefix.strip("/").split("/"):
    chain[parent] = listed(parent)
    parent = os.path.join(parent, part)
print(json.dumps({
    "root": chain.pop("/"),
    "chain": [len(entries) for entries in chain.values()],
    "prefix": listed(sys.base_prefix),
    "etc": [name for name in listed("/etc") if not name.startswith("java-")],
    "opt": listed("/opt"),
    "secrets": [read(path) for path in ("/etc/shadow", "/etc/passwd", "/proc/1/environ", "/proc/1/mem", "/dev/mem")],
    "folders": [listed(path) for path in ("/home", "/srv", "/mnt", "/var", "/run", "/sys", "/boot", "/work")],
    "installed": sorted({name for path in sys.path if "packages" in path for name in listed(path)}),
    "masked": [name for places in ("/usr/lib/python3*/*-packages", "/usr/local/lib/python3*/*-packages")
               for place in glob.glob(places) for name in listed(place)],
}))
"""
WRITING = """
import os
found = []
for top, folders, files in os.walk("/"):
    if top in ("/proc", "/tmp") or top.startswith(("/proc/", "/tmp/", "/usr/share", "/dev/shm")):
        folders.clear()
        continue
    try:
        open(os.path.join(top, "rlenvs-trial"), "w").close()
        found.append(top)
    except OSError:
        pass
print(found)
"""


def test_of_the_machine_there_are_its_tools_and_an_interpreter_and_nothing_else(sandbox: WarmRunner) -> None:
    found = json.loads(sandbox.run(Program(text=LOOKING)).stdout)
    tools = {"bin", "dev", "etc", "lib", "lib64", "opt", "proc", "tmp", "usr"}
    assert set(found["root"]) <= tools | {os.path.realpath(sys.base_prefix).split("/")[1]}
    if not os.path.realpath(sys.base_prefix).startswith("/usr"):
        assert found["chain"] == [1] * len(found["chain"])  # on the way to it there is nothing beside
        assert set(found["prefix"]) <= {"bin", "lib", "lib64"}
    assert set(found["etc"]) <= {"alternatives", "ld.so.cache"}
    assert found["opt"] == ["rlenvs_sandbox"]
    assert found["secrets"] == [-1] * 5
    assert found["folders"] == [[]] * 8
    assert found["installed"] == found["masked"] == []


def test_nothing_outside_of_its_folders_can_be_written(sandbox: WarmRunner) -> None:
    assert sandbox.run(Program(text=WRITING)).stdout == b"[]\n"


def test_variables_and_arguments_of_the_runner_are_not_seen(
    sandbox: WarmRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RLENVS_TEST_SECRET", "secret")
    text = "import os, glob\nprint(os.environ.get('RLENVS_TEST_SECRET'))\n"
    text += "print(sum(b'python' in open(each, 'rb').read() for each in glob.glob('/proc/[0-9]*/cmdline')))"
    with bubblewrap(num_workers=1) as runner:
        none, agents = runner.run(Program(text=text)).stdout.split()
    assert none == b"None"
    assert int(agents) == 2  # the agent, and itself


def test_packages_are_there_on_request_and_no_others() -> None:
    text = "import sys, os\nimport numpy\nprint(numpy.__version__, sorted(os.listdir('/opt/packages')))"
    with bubblewrap(num_workers=1, packages=["numpy"]) as runner:
        found = runner.run(Program(text=text))
        other = runner.run(Program(text="import torch"))
    version, _, names = found.stdout.decode().partition(" ")
    assert version == numpy.__version__, found
    assert {name.partition("-")[0].partition(".")[0] for name in eval(names)} == {"numpy"}
    assert other.detail == "ModuleNotFoundError: No module named 'torch'"


def test_without_a_request_no_package_is_there(sandbox: WarmRunner) -> None:
    assert "No module named 'numpy'" in sandbox.run(Program(text="import numpy")).detail


def test_a_package_that_is_not_installed_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="no package 'nothing-of-that-name' is installed here"):
        bubblewrap(packages=["numpy", "nothing-of-that-name"])


def test_a_file_of_the_runner_is_not_there_under_any_name(sandbox: WarmRunner, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    text = f"import os\nprint([os.path.exists(p + {str(secret)!r}) for p in ('', '/proc/1/root', '/proc/self/root')])"
    assert sandbox.run(Program(text=text)).stdout == b"[False, False, False]\n"
