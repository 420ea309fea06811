"""The bank of programs with verdicts, through every sandbox: what is forged, what leaks, what survives, what hangs."""

import contextlib
import json
import os
import re
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from rlenvs_sandbox import Assertions, Comparison, Limits, Outcome, Program, SandboxError, judge_output, open_runner

BACKENDS = ("bubblewrap", "docker", "process")
_USER_OF_OURS = re.compile(r"\nUid:\t2000\d{6}\b")
_DEFAULTS = {"wall_s": 5, "mem_mb": 512, "pids": 64, "output_bytes": 2**20, "fsize_mb": 64, "disk_mb": 128}


def cases() -> list[dict[str, Any]]:
    folder = Path(os.environ.get("RLENVS_CASES", Path(__file__).parents[4] / "shared" / "cases"))
    file = folder / "code_cases.jsonl"
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []


@pytest.fixture(scope="module", params=BACKENDS)
def runner(
    request: pytest.FixtureRequest, lacking: Callable[[str], NoReturn], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    before = tempfile.tempdir
    tempfile.tempdir = str(tmp_path_factory.mktemp("own"))  # apart from other processes' tests
    try:
        with open_runner(request.param, num_workers=1) as opened:
            yield opened
    except SandboxError as error:
        lacking(f"no {request.param} here: {error}")
    finally:
        tempfile.tempdir = before


class Surroundings:
    """What a case wants to find outside of the sandbox, and what it must have left there."""

    def __init__(self, case: dict[str, Any], folder: Path) -> None:
        self.setup = case.get("setup", {})
        self.folder = folder
        self.canary = folder / "canary-folder" / "canary"
        self.heard: list[bytes] = []
        self.shm = set(os.listdir("/dev/shm"))
        self.processes = {int(name) for name in os.listdir("/proc") if name.isdigit()}

    def filled(self, text: str) -> str:
        return text.replace("{CANARY_DIR}", str(self.canary.parent)).replace("{CANARY}", str(self.canary))

    @contextlib.contextmanager
    def arranged(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        self.canary.parent.mkdir()
        if "canary" in self.setup:
            self.canary.write_text(self.setup["canary"])
        for name, value in self.setup.get("env", {}).items():
            monkeypatch.setenv(name, value)
        with contextlib.ExitStack() as stack:
            if "listen" in self.setup:
                stack.enter_context(listening(self.setup["listen"], self.heard))
            yield

    def strangers(self) -> set[int]:
        """Processes of programs that were not there before."""
        numbers = {int(name) for name in os.listdir("/proc") if name.isdigit()} - self.processes
        return {number for number in numbers if is_of_a_program(str(number))}

    def check(self, after: list[str]) -> None:
        for what in after:
            name, _, argument = what.partition(":")
            CHECKS[name](self, argument)


@contextlib.contextmanager
def listening(where: str, heard: list[bytes]) -> Iterator[None]:
    kind, _, address = where.partition(":")
    if kind == "unix-abstract":
        listener = socket.socket(socket.AF_UNIX)
        listener.bind("\0" + address)
    else:
        host, _, port = address.rpartition(":")
        listener = socket.socket(type=socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, int(port)))
    listener.settimeout(0.1)
    if kind != "udp":
        listener.listen()
    is_over = threading.Event()

    def hear() -> None:
        while not is_over.is_set():
            with contextlib.suppress(TimeoutError):
                if kind == "udp":
                    heard.append(listener.recv(100))
                else:
                    connection, _ = listener.accept()
                    heard.append(b"connected")
                    connection.close()

    thread = threading.Thread(target=hear)
    thread.start()
    try:
        yield
        time.sleep(0.15)
    finally:
        is_over.set()
        thread.join()
        listener.close()


def no_survivors(around: Surroundings, _: str) -> None:
    assert children_of_own_agents() == []  # at once: one that ends by itself after a while is one, too
    until = time.monotonic() + 12  # tests beside this one have programs, too, and none for so long
    left = around.strangers()
    while left and time.monotonic() < until:
        time.sleep(0.1)
        left &= around.strangers()
    assert {each: _command(str(each)) for each in left} == {}


def is_of_a_program(process: str) -> bool:
    """Whether a process is one that a program has made: a child of an agent, or of a user of ours or nobody's child."""
    with contextlib.suppress(OSError):
        status = Path(f"/proc/{process}/status").read_text()
        if "State:\tZ" in status:
            return False
        parent = re.search(r"\nPPid:\t(\d+)", status)
        if parent and _is_agent(parent[1]):
            return True
        is_loose = _USER_OF_OURS.search(status) or "\nPPid:\t1\n" in status
        command = _command(process)
        return bool(is_loose) and not any(name in command for name in (b"inside.agent", b"containerd-shim", b"runc"))
    return False


def children_of_own_agents() -> list[int]:
    """The processes below the agents that this process has started; an agent has none when its program has ended."""
    found, above = [], [os.getpid()]
    while above:
        process = above.pop()
        below = [int(child) for task in Path(f"/proc/{process}/task").glob("*/children")
                 for child in task.read_text().split()]  # fmt: skip
        found += below if _is_agent(str(process)) else []
        above += below
    return found


def _is_agent(process: str) -> bool:
    """Whether it is an agent, and not what encloses one, which has the same words in its command."""
    first, *rest = _command(process).split(b"\0")
    return os.path.basename(first).startswith(b"python") and any(b"inside.agent" in each for each in rest)


def _command(process: str) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:  # it has ended
        return b""


def canary_intact(around: Surroundings, _: str) -> None:
    assert around.canary.read_text() == around.setup.get("canary", "")
    assert [each.name for each in around.canary.parent.iterdir()] == ["canary"]


def listener_got_nothing(around: Surroundings, _: str) -> None:
    assert around.heard == []


def shm_clean(around: Surroundings, _: str) -> None:
    assert set(os.listdir("/dev/shm")) <= around.shm


def workdir_removed(around: Surroundings, _: str) -> None:
    folders = [name for name in os.listdir(tempfile.gettempdir()) if name.startswith("rlenvs-run-")]
    assert [os.listdir(Path(tempfile.gettempdir(), name)) for name in folders] == [[]] * len(folders)


def no_file(around: Surroundings, name: str) -> None:
    time.sleep(4)
    places = (Path.cwd(), Path("/tmp"), around.folder)
    assert [place for place in places if (place / name).exists()] == []


CHECKS: dict[str, Callable[[Surroundings, str], None]] = {
    "no_survivors": no_survivors,
    "canary_intact": canary_intact,
    "listener_got_nothing": listener_got_nothing,
    "shm_clean": shm_clean,
    "workdir_removed": workdir_removed,
    "no_file": no_file,
}


def limits_of(case: dict[str, Any]) -> Limits:
    return Limits(**_DEFAULTS | case.get("limits", {}))


def ran(runner: Any, case: dict[str, Any], text: str) -> Outcome:
    if "pad_program_bytes" in case:
        line = "# " + "x" * 77 + "\n"
        text += "\n" + line * (case["pad_program_bytes"] // len(line))
    limits = limits_of(case)
    if "tests" in case:
        return runner.judge(Program(text=text), Assertions(text="\n".join(case["tests"])), limits)
    stdin = case.get("stdin", "") * case.get("stdin_repeat", 1)
    expected = case["expected_stdout"] * case.get("expected_repeat", 1)
    program = Program(text=text, stdin=stdin.encode())
    tolerance = case.get("float_tol")
    comparison = Comparison(absolute_tol=tolerance, relative_tol=tolerance)
    return judge_output(runner.run(program, limits), expected, comparison)


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case['id']}-{case['kind']}")
def test_every_program_gets_the_right_verdict_and_leaves_nothing(
    runner: Any, case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(tempfile.mkdtemp(prefix="rlenvs-case-"))
    try:
        around = Surroundings(case, folder)
        with around.arranged(monkeypatch):
            started = time.monotonic()
            outcome = ran(runner, case, around.filled(case["program"]))
            wall_s = time.monotonic() - started
        assert outcome.status in {case["expect"], *case.get("also_ok", [])}, outcome
        assert outcome.status not in case.get("never", [])
        assert wall_s < case.get("max_wall_s", limits_of(case).wall_s + 5)
        if "passed" in case:
            assert (outcome.passed, outcome.total) == (case["passed"], case["total"])
        if "then" in case:
            second = runner.run(Program(text=case["then"]["program"]), limits_of(case))
            assert judge_output(second, case["then"]["expected_stdout"]).is_pass, second
        around.check(case.get("after", []))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_the_bank_is_there(cases_folder: Path) -> None:
    assert cases(), f"no code cases in {cases_folder}"
    if cases_folder == Path(__file__).parents[4] / "shared" / "cases":
        assert len(cases()) == 115


def test_a_survivor_would_be_seen(runner: Any, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    around = Surroundings({}, tmp_path)
    forking = Program(text="import os, time\nif os.fork() == 0:\n os.setsid()\ntime.sleep(1.5)")
    thread = threading.Thread(target=runner.run, args=(forking,))
    thread.start()
    time.sleep(0.7)
    assert len(around.strangers()) >= 2  # it, and the child that has the command of its agent
    if request.node.callspec.params["runner"] != "docker":
        assert len(children_of_own_agents()) == 2
    thread.join()
    no_survivors(around, "")
