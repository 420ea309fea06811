"""Verdicts on a machine that is busy, short of descriptors or losing processes: what was in time counts."""

import contextlib
import os
import resource
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from rlenvs_sandbox import Assertions, Limits, Program, WarmRunner, judged, open_runner

RIGHT = Program(text="def f(x): return x")


def test_who_looks_too_late_finds_what_was_in_time(monkeypatch: pytest.MonkeyPatch, sandbox: WarmRunner) -> None:
    usual = judged.Judging.outcome

    def starved(self: judged.Judging) -> object:
        time.sleep(0.8)
        return usual(self)

    monkeypatch.setattr(judged.Judging, "outcome", starved)
    found = sandbox.judge(RIGHT, Assertions(text="assert f(1) == 1"), Limits(wall_s=0.5))
    assert (found.status, found.passed) == ("pass", 1), found
    wrong = sandbox.judge(RIGHT, Assertions(text="assert f(1) == 2"), Limits(wall_s=0.5))
    assert wrong.status == "fail", wrong
    endless = Program(text="def f(x):\n while True: pass")
    assert sandbox.judge(endless, Assertions(text="assert f(1) == 1"), Limits(wall_s=0.5)).status == "timeout"


def test_what_a_program_does_behind_its_tests_is_no_part_of_them(sandbox: WarmRunner) -> None:
    text = (
        "import threading, time\n"
        "def work():\n time.sleep(0.02)\n sum(range(3 * 10**8))  # nobody else has a turn meanwhile\n"
        "def f(x):\n threading.Thread(target=work).start()\n return x"
    )
    found = sandbox.judge(
        Program(text=text), Assertions(text="assert f(1) == 1\nimport time\ntime.sleep(0.1)"), Limits()
    )
    assert (found.status, found.passed) == ("pass", 1), found


def test_a_judge_that_was_killed_is_no_wrong_program() -> None:
    with open_runner("bubblewrap", num_workers=1) as runner:
        runner.judge(RIGHT, Assertions(text="assert f(1) == 1"))
        slow = Program(text="import time\ndef f(x):\n time.sleep(0.7)\n return x")
        killed: list[int] = []

        def kill() -> None:
            time.sleep(0.3)
            for agent in (worker.launched._process.pid for worker in judges):  # type: ignore[attr-defined]
                for child in _below(agent):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(child, signal.SIGKILL)
                        killed.append(child)

        judges = list(runner._judges._idle)
        thread = threading.Thread(target=kill)
        thread.start()
        found = runner.judge(slow, Assertions(text="assert f(1) == 1"))
        thread.join()
    assert killed
    assert (found.status, found.passed) == ("pass", 1), found


def _below(process: int) -> list[int]:
    """The processes below the agent that something encloses, and none of those two."""
    children = [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    return [
        int(each) for child in children for each in Path(f"/proc/{child}/task/{child}/children").read_text().split()
    ]


def test_files_have_any_number(sandbox: WarmRunner, lacking: Callable[[str], NoReturn]) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 2000:
        lacking("no 2,000 files may be open here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2000), hard))
    try:
        with contextlib.ExitStack() as opened:
            for _ in range(1100):
                opened.callback(os.close, os.open(os.devnull, os.O_RDONLY))
            assert sandbox.judge(RIGHT, Assertions(text="assert f(1) == 1")).is_pass
            assert sandbox.run(Program(text="print(1)")).stdout == b"1\n"
            with open_runner("bubblewrap", num_workers=1) as other:
                assert other.run(Program(text="print(2)")).stdout == b"2\n"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_checker_that_takes_too_long_is_no_wrong_output(sandbox: WarmRunner) -> None:
    checker = Program(text="import time\nif len(open('output').read()) > 2: time.sleep(3)\nraise SystemExit(42)")
    found = sandbox.check(Program(text="print('1 ')"), checker, b"1\n", Limits(wall_s=1))
    assert found.status == "sandbox_error", found


def test_a_program_that_writes_into_the_stream_to_its_tests_is_wrong(sandbox: WarmRunner) -> None:
    text = (
        "import os\nfor number in range(3, 300):\n try: os.write(number, b'\\0\\0\\0\\x015')\n except OSError: pass\n"
        "def f(x): return 0"
    )
    found = sandbox.judge(Program(text=text), Assertions(text="assert f(1) == 1"))
    assert found.status == "runtime_error", found
