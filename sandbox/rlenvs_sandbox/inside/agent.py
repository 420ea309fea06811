"""The agent of a worker: a warm interpreter that forks a child for each program, and ends whatever the child leaves.

A request comes over a Unix socket: one packet of JSON, and the descriptors that the child gets. The agent never reads
what a program is or says, so that nothing of one program can be in the memory of which the next one is a fork.
"""

import contextlib
import gc
import json
import os
import select
import signal
import socket
import sys
import time
import traceback
from dataclasses import dataclass
from typing import Any, NoReturn

from rlenvs_sandbox.inside import execute, kernel, usage
from rlenvs_sandbox.inside.confine import Bounds, Confinement, Confiner, reset_signals
from rlenvs_sandbox.inside.places import Mounted, Place, Plain

MAX_REQUEST = 1 << 17
REQUEST_FILES = ("text", "stdin", "stdout", "stderr", "channel", "report")  # those that a kind has not are left out
_LOOK_S = 0.02
_CORES = len(os.sched_getaffinity(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What an agent does before it takes requests."""

    confinement: Confinement
    user: int | None  # an unused user and group to become, where the agent starts as root
    is_first: bool  # whether it is the first process of its own process namespace
    preload: tuple[str, ...] = ()  # modules that programs find imported
    paths: tuple[str, ...] = ()  # folders in which programs find more modules


def serve(setup: Setup, control: socket.socket) -> None:
    """Take requests until the other end of the socket is gone."""
    try:
        agent = Agent(setup, control)
    except (OSError, NotImplementedError) as error:
        control.send(json.dumps({"error": f"{type(error).__name__}: {error}"}).encode())
        return
    control.send(json.dumps({"ready": True}).encode())
    while True:
        packet, files, _, _ = socket.recv_fds(control, MAX_REQUEST, len(REQUEST_FILES))
        if not packet:
            return
        control.send(json.dumps(agent.run(json.loads(packet), files)).encode())
        agent.clear()  # while the other end is busy with the outcome


def become_user_of_own_namespace(user: int) -> None:
    """Give up root for a user that is nobody else's, and be the master of a namespace of users with only that one in.

    Limits on the number of processes count for such a user, and not for root.
    """
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    kernel.set_dumpable(True)  # or the files below are root's
    kernel.unshare(kernel.NEW_USERS | kernel.NEW_MOUNTS)
    for name, line in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {user} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(line)


class Agent:
    """Runs programs, each in a child of its own."""

    def __init__(self, setup: Setup, control: socket.socket) -> None:
        """Give up what is not needed, and have ready what every program finds.

        Raises:
            OSError: the kernel refuses a part of it.
            NotImplementedError: this machine's system calls are not known.
        """
        self._setup = setup
        self._control = control
        reset_signals()
        if setup.user is not None:
            become_user_of_own_namespace(setup.user)
        self._order = OutOfMemoryOrder()
        kernel.set_dumpable(False)
        if not setup.is_first:
            kernel.become_subreaper()
        sys.path.extend(setup.paths)
        for name in setup.preload:
            with contextlib.suppress(ImportError):
                __import__(name)
        confinement = setup.confinement
        self._place: Place = Mounted() if confinement.has_mounts else Plain(confinement.folder)
        self._confiner = Confiner(confinement)
        self._failure, self._told_failure = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._interpreter = execute.Interpreter()
        gc.collect()
        gc.freeze()

    def run(self, request: dict[str, Any], files: list[int]) -> dict[str, Any]:
        """Run one program to its end, compiled before where it has to be; what is told of it, or of its compiler.

        Where it ends: exit status or signal, and seconds. Where it is not started: why.
        """
        with contextlib.ExitStack() as opened:
            for file in files:
                opened.callback(os.close, file)
            try:
                told = self._ran(request, dict(zip(request["files"], files, strict=True)), opened)
            except OSError as error:
                told = {"failed": f"the program was not started: {error}"}
        if not self._setup.confinement.has_mounts:  # others see the folder: it is gone before anybody is told
            self._place.clear()
        return told

    def _ran(self, request: dict[str, Any], named: dict[str, int], opened: contextlib.ExitStack) -> dict[str, Any]:
        bounds = Bounds(**request["bounds"])
        folder = self._place.open(bounds.disk_mb)
        self._interpreter.be_in(folder, is_only=not self._setup.confinement.has_mounts)
        if request["kind"] == "compile":
            of_compiler = Bounds(**request["compile_bounds"])
            told = self._end_of(self._started(request, named, folder, of_compiler), of_compiler.cpu_s)
            if told.get("exit_code") != 0:
                return told
            self._control.send(json.dumps({"is_compiled": True}).encode())  # from now on its own limits hold
            request = {**request, "kind": "command"}
        child = self._started(request, named, folder, bounds)
        opened.close()  # the program alone holds them now, and where it ends, whoever reads them sees it
        return self._end_of(child, bounds.cpu_s)

    def _started(self, request: dict[str, Any], named: dict[str, int], folder: str, bounds: Bounds) -> int:
        """The process of a child that does what is asked for."""
        limits = self._confiner.limits(bounds)
        self._order.put_first()
        self._interpreter.be_new()
        child = kernel.fork()
        if child == 0:
            self._be_child(request, dict(named), folder, limits)
        self._order.put_back()
        return child

    def _end_of(self, child: int, cpu_s: float) -> dict[str, Any]:
        """What is told of a child, once it and whatever it has started are gone."""
        started, before_s = time.monotonic(), usage.waited_for_s()
        self._wait(child, cpu_s)
        _, status = os.waitpid(child, 0)
        wall_s = time.monotonic() - started
        _end_all(self._setup)
        with contextlib.suppress(BlockingIOError):
            return {"failed": os.read(self._failure, 1000).decode(errors="replace")}
        used_s = usage.waited_for_s() - before_s
        return {"exit_code": os.waitstatus_to_exitcode(status), "wall_s": wall_s, "cpu_s": used_s}

    def clear(self) -> None:
        """Leave nothing of the last program."""
        self._place.clear()

    def _be_child(
        self, request: dict[str, Any], named: dict[str, int], folder: str, limits: list[tuple[int, tuple[int, int]]]
    ) -> NoReturn:
        """Become the program."""
        failure = self._told_failure
        try:
            os.setsid()
            named["failure"] = failure
            _arrange(named)  # that closes everything of the agent's, too
            failure = named.pop("failure")
            self._confiner.confine(folder, limits)
            os.close(failure)  # from here on, a failure is the program's
        except BaseException as error:
            with contextlib.suppress(OSError):
                os.write(failure, f"the program was not confined: {error}".encode())
            os._exit(1)
        try:
            self._interpreter.run(request, named)
        except BaseException:  # ours
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(1)

    def _wait(self, child: int, cpu_s: float) -> None:
        """Until the child has ended; if the other end of the socket goes first, all of it goes, and this process.

        Args:
            cpu_s: seconds after which the child is ended, of all that run here together.
        """
        process = os.pidfd_open(child)
        left_s, before_s = cpu_s, usage.waited_for_s()
        try:
            poll = select.poll()
            poll.register(process, select.POLLIN)
            poll.register(self._control, select.POLLHUP | select.POLLERR)
            while not (ready := poll.poll(1000 * max(left_s, _LOOK_S) / _CORES)):
                left_s = cpu_s - usage.cpu_s_below(os.getpid()) - (usage.waited_for_s() - before_s)
                if left_s <= 0:
                    os.kill(child, signal.SIGKILL)
            if all(number != process for number, _ in ready):
                os.kill(child, signal.SIGKILL)
                _end_all(self._setup)
                os._exit(0)
        finally:
            os.close(process)


class OutOfMemoryOrder:
    """Who is killed when memory runs out: a program, and not its agent."""

    def __init__(self) -> None:
        self._file: int | None = None
        self._own = b"0"
        with contextlib.suppress(OSError):  # no /proc, or not writable: then the largest goes first
            self._file = os.open("/proc/self/oom_score_adj", os.O_RDWR | os.O_CLOEXEC)
            self._own = os.read(self._file, 20).strip()

    def put_first(self) -> None:
        """From now on this process would go first, and so will what it starts."""
        self._set(b"1000")

    def put_back(self) -> None:
        """Now it goes when it did before."""
        self._set(self._own)

    def _set(self, value: bytes) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                os.write(self._file, value)


def _arrange(named: dict[str, int]) -> None:
    """Standard input, output and error in their places, the others above, and nothing else open."""
    for place, name in enumerate(named):
        moved = _FIRST_FILE + place
        os.dup2(named[name], moved, inheritable=False)
        named[name] = moved
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.dup2(named.pop(name), number)
    kept = sorted(named.values())
    for low, high in zip([2, *kept], [*kept, 1 << 16], strict=True):
        os.closerange(low + 1, high)


_FIRST_FILE = 220  # above what a program opens, and closes, by number


def _end_all(setup: Setup) -> None:
    """Kill what the program has left, until nothing is."""
    while True:
        for process in (-1,) if setup.is_first else _children():  # -1: every process of the namespace but this one
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    """The processes whose parent this one is, or has become."""
    own = os.getpid()
    try:
        with open(f"/proc/self/task/{own}/children", encoding="ascii") as file:
            return [int(child) for child in file.read().split()]
    except OSError:  # a kernel without that file
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and _parent_of(name) == own]


def _parent_of(process: str) -> int:
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return 0


def main(described: str, control: str) -> None:
    """Serve with a setup as JSON, over a socket: its descriptor, or the path at which somebody listens."""
    setup = json.loads(described)
    with _connected(control) as opened:
        serve(Setup(**setup | {"confinement": Confinement(**setup["confinement"])}), opened)
    os._exit(0)  # nothing is left to be put in order, and somebody waits


def _connected(control: str) -> socket.socket:
    if control.isdigit():
        return socket.socket(fileno=int(control))
    connected = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connected.connect(control)
    return connected
