"""Time: of the clock, and of processors, which all processes of a program use up together."""

from collections.abc import Callable, Iterator
from typing import NoReturn

import pytest

from rlenvs_sandbox import Assertions, Limits, Program, SandboxError, WarmRunner
from rlenvs_sandbox.bubblewrap import Bubblewrap
from rlenvs_sandbox.cgroups import Groups
from rlenvs_sandbox.process import Unenclosed
from rlenvs_sandbox.worker import Launcher

SPINNING = "import os\nfor _ in range(3):\n os.fork()\nwhile True: pass"  # eight of them
HIDING = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that nobody is told what its children have used
for _ in range(4):
    if not os.fork():
        while True:
            if not os.fork():
                until = time.process_time() + 0.05
                while time.process_time() < until: pass
                os._exit(0)
            time.sleep(0.05)
time.sleep(100)
"""
LAUNCHERS = {
    "bubblewrap, cgroups": lambda: Bubblewrap(Groups.find()),
    "bubblewrap, no cgroups": lambda: Bubblewrap(None),
    "process, no cgroups": lambda: Unenclosed(None),
}


@pytest.fixture(scope="module", params=LAUNCHERS)
def runner(request: pytest.FixtureRequest, lacking: Callable[[str], NoReturn]) -> Iterator[WarmRunner]:
    launcher: Launcher = LAUNCHERS[request.param]()
    try:
        with WarmRunner(launcher, num_workers=1) as opened:
            opened.run(Program(text=""))
            yield opened
    except SandboxError as error:
        lacking(f"not here: {error}")


def test_processes_share_the_processor_time_of_their_program(runner: WarmRunner) -> None:
    found = runner.run(Program(text=SPINNING), Limits(wall_s=30, cpu_s=1))
    assert found.status == "timeout"
    assert 0.9 < found.cpu_s < 2.5  # eight seconds if each had one of its own
    assert found.wall_s < 25
    assert found.detail == "it used more than 1 s of processor time"


def test_a_fraction_of_a_second_is_a_limit_too(runner: WarmRunner) -> None:
    found = runner.run(Program(text="while True: pass"), Limits(wall_s=30, cpu_s=0.2))
    assert found.status == "timeout"
    assert 0.15 < found.cpu_s < 0.9


def test_the_kernels_sampled_limit_is_far_above_the_one_that_is_counted(runner: WarmRunner) -> None:
    text = "import resource\nprint(resource.getrlimit(resource.RLIMIT_CPU)[0])"
    assert runner.run(Program(text=text), Limits(cpu_s=3)).stdout == b"7\n"


def test_sleeping_uses_no_processor_time(runner: WarmRunner) -> None:
    found = runner.run(Program(text="import time; time.sleep(0.8); print('done')"), Limits(wall_s=30, cpu_s=0.3))
    assert (found.status, found.stdout) == ("pass", b"done\n")
    assert found.wall_s > 0.7


def test_a_program_that_its_tests_call_is_held_to_its_processor_time_too(runner: WarmRunner) -> None:
    text = "def f(x):\n import os\n os.fork()\n while True: pass"
    found = runner.judge(Program(text=text), Assertions(text="assert f(1) == 1"), Limits(wall_s=30, cpu_s=0.5))
    assert found.status == "timeout"
    assert found.cpu_s < 2
    assert "processor time" in found.detail


def test_what_children_use_whom_nobody_waits_for_counts_where_there_are_cgroups(
    lacking: Callable[[str], NoReturn],
) -> None:
    groups = Groups.find()
    if groups is None:
        lacking("no cgroups here")
    with WarmRunner(Bubblewrap(groups), num_workers=1) as runner:
        found = runner.run(Program(text=HIDING), Limits(wall_s=30, cpu_s=1))
        assert found.status == "timeout"
        assert 0.9 < found.cpu_s < 2.5


def test_time_of_the_program_before_does_not_count(runner: WarmRunner) -> None:
    busy = "import time\nuntil = time.process_time() + 0.3\nwhile time.process_time() < until: pass"
    found = [runner.run(Program(text=busy), Limits(wall_s=30, cpu_s=0.7)) for _ in range(4)]
    assert [each.status for each in found] == ["pass"] * 4
    assert all(0.25 < each.cpu_s < 0.65 for each in found)
