"""What a program finds: a new interpreter, and nothing of those that ran before it in the same agent."""

import json
import os

import pytest

from rlenvs_sandbox import Assertions, Limits, Program, SandboxError, WarmRunner
from rlenvs_sandbox.bubblewrap import Bubblewrap
from rlenvs_sandbox.inside import seccomp
from rlenvs_sandbox.requests import Request
from rlenvs_sandbox.run import Run
from rlenvs_sandbox.worker import Worker

SEEN = """
import json, os, sys
print(json.dumps({
    "positions": [stream.seekable() for stream in (sys.stdin, sys.stdout, sys.stderr)],
    "names": sorted(vars(sys.modules["__main__"])),
    "arguments": sys.argv,
    "first_path": sys.path[0] == os.getcwd() == os.environ["HOME"],
    "environment": sorted(os.environ),
    "built_in": [callable(exit), callable(quit), callable(help)],
    "files": sorted(os.listdir("/proc/self/fd"), key=int)[:3],
    "folder": [os.listdir(), sorted(os.listdir("/tmp")), os.listdir("/dev/shm")],
    "order": int(open("/proc/self/oom_score_adj").read()),
    "children": os.getpid() != 1 and os.getsid(0) == os.getpid(),
    "mounts": sum(" /tmp " in line for line in open("/proc/self/mountinfo")),
}))
"""
LITTER = """
import os, random, sys
for folder in (".", "/tmp", "/dev/shm"):
    with open(f"{folder}/left", "w") as file:
        file.write("something")
os.makedirs("deep/" * 50)
os.chmod("deep", 0)
os.environ["LEFT"] = "1"
sys.path.insert(0, "/left")
sys.modules["__main__"].left = 1
random.seed(1)
os.umask(0o777)
"""


def test_every_program_finds_a_new_interpreter_whatever_the_one_before_has_done(sandbox: WarmRunner) -> None:
    for _ in range(4):  # each of both workers at least once
        sandbox.run(Program(text=LITTER))
        found = json.loads(sandbox.run(Program(text=SEEN)).stdout)
        assert found == {
            "positions": [True, False, False],
            "names": [
                *("__builtins__", "__doc__", "__file__", "__loader__", "__name__", "__package__", "__spec__"),
                *("json", "os", "sys"),
            ],
            "arguments": ["main.py"],
            "first_path": True,
            "environment": ["HOME", "LANG", "PATH", "PYTHONHASHSEED"],
            "built_in": [True, True, True],
            "files": ["0", "1", "2"],
            "folder": [["main.py"], ["shm", "work"], []],
            "order": 1000,
            "children": True,
            "mounts": 1,
        }


def test_random_numbers_differ_from_program_to_program(sandbox: WarmRunner) -> None:
    text = "import random; print(random.random())"
    assert len({sandbox.run(Program(text=text)).stdout for _ in range(5)}) == 5


@pytest.mark.parametrize("code", [1, 71, 72, 73])
def test_no_exit_status_of_a_program_looks_like_a_broken_sandbox(sandbox: WarmRunner, code: int) -> None:
    found = sandbox.run(Program(text=f"import os\nos.write(2, b'not confined: x')\nos._exit({code})"))
    assert found.status in ("runtime_error", "memory")
    assert found.exit_code == code


def test_a_program_cannot_mount_nor_end_its_agent(sandbox: WarmRunner) -> None:
    text = (
        "import ctypes, os, signal\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "print(libc.mount(b'tmpfs', b'/tmp', b'tmpfs', 0, None), libc.umount2(b'/tmp', 2), ctypes.get_errno())\n"
        "print([line.split()[1] for line in open('/proc/self/status') if line.startswith('CapEff')])\n"
        "for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP):\n os.kill(1, number)\n"
        "print('here')"
    )
    found = sandbox.run(Program(text=text))
    assert found.stdout == b"-1 -1 1\n['0000000000000000']\nhere\n", found


def test_a_filter_without_mounting_lets_everything_else_to_the_one_before() -> None:
    both = [len(seccomp.instructions(machine, may_mount=may)) for machine in ("x86_64", "aarch64") for may in (0, 1)]
    assert [both[0] - both[1], both[2] - both[3]] == [4 * 8, 4 * 8]  # a comparison and a refusal, of two calls
    with pytest.raises(NotImplementedError, match="no seccomp filter for vax"):
        seccomp.no_mounting("vax")


def test_values_of_the_standard_library_come_back_though_nobody_has_imported_it(sandbox: WarmRunner) -> None:
    text = (
        "from datetime import *\nfrom decimal import Decimal\nfrom fractions import Fraction\n"
        "def f(): return (Fraction(1, 3), Decimal('0.10'), date(2020, 2, 29), timedelta(1, 2, 3), datetime(1, 2, 3),"
        " time(4))"
    )
    tests = (
        "import datetime, decimal, fractions\n"
        "assert f() == (fractions.Fraction(1, 3), decimal.Decimal('0.1'), datetime.date(2020, 2, 29),"
        " datetime.timedelta(1, 2, 3), datetime.datetime(1, 2, 3), datetime.time(4))\n"
        "assert [type(each).__name__ for each in f()][:2] == ['Fraction', 'Decimal']"
    )
    found = sandbox.judge(Program(text=text), Assertions(text=tests))
    assert (found.status, found.passed) == ("pass", 2), found


def test_a_class_that_only_has_the_name_of_one_of_the_library_is_no_value(sandbox: WarmRunner) -> None:
    text = "class Fraction:\n numerator, denominator = 1, 3\n def __eq__(s, o): return True\ndef f(): return Fraction()"
    tests = "from fractions import Fraction\nassert f() == Fraction(1, 3)"
    assert sandbox.judge(Program(text=text), Assertions(text=tests)).status == "fail"


def test_an_agent_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    from rlenvs_sandbox import bubblewrap

    usual = bubblewrap._namespaces
    weaker = {"CAP_SETUID" if os.geteuid() == 0 else "ALL": "CAP_CHOWN"}
    monkeypatch.setattr(bubblewrap, "_namespaces", lambda *given: [weaker.get(each, each) for each in usual(*given)])
    with pytest.raises(SandboxError, match=r"did not start: PermissionError.*Operation not permitted"):
        Worker(Bubblewrap(), Limits())


def test_a_child_that_cannot_be_confined_is_a_broken_sandbox_and_runs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = Request._bounds
    worker = Worker(Bubblewrap(), Limits())
    request = Request(kind="python", text=b"print(1)")
    try:
        for wrong in ({"pids": -2}, {"disk_mb": -5}):
            monkeypatch.setattr(Request, "_bounds", lambda *given, wrong=wrong: usual(*given) | wrong)
            found = Run(worker, request, Limits()).wait()
            assert (found.status, found.stdout) == ("sandbox_error", b"")
            assert "the program was not" in found.detail
        monkeypatch.setattr(Request, "_bounds", usual)
        again = Run(worker, request, Limits()).wait()
        assert (again.status, again.stdout) == ("pass", b"1\n")
    finally:
        worker.kill()
