"""Starting an agent as a process, within whatever command encloses it."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import asdict
from glob import glob
from pathlib import Path

from rlenvs_sandbox.cgroups import Group
from rlenvs_sandbox.errors import SandboxError
from rlenvs_sandbox.inside.agent import Setup
from rlenvs_sandbox.records import Limits
from rlenvs_sandbox.worker import LostError

_IN_GROUP = ("/bin/sh", "-c", 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 1; shift; done; shift; exec "$@"', "sh")
"""Enters control groups by their files, and then runs a command: bwrap has a child before anybody could add it."""
_END_S = 5.0
_MAX_SAID = 500
_PAUSE_S = 0.01
_JUST_LOOK = os.WEXITED | os.WNOHANG | os.WNOWAIT  # a number that was waited for may be another process' soon
PACKAGE = Path(__file__).parent
PRELOADED = (
    "abc", "ast", "bisect", "collections", "collections.abc", "contextlib", "copy", "enum", "functools", "heapq", "io",
    "itertools", "json", "math", "operator", "queue", "random", "re", "string", "struct", "textwrap", "threading",
    "time", "traceback", "types", "typing",
)  # fmt: skip
"""What programs find imported. Each module makes every fork dearer: those that few programs use are not worth it."""
_SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/etc/alternatives", "/etc/ld.so.cache", "/etc/java-*-openjdk")


def system() -> list[str]:
    """The machine's own programs and libraries, and what they read when they start: what of it programs find."""
    return [path for pattern in _SYSTEM for path in sorted(glob(pattern))]


BOOTSTRAP = (
    "import sys, types; package = types.ModuleType('rlenvs_sandbox'); package.__path__ = [sys.argv[1]]; "
    "sys.modules['rlenvs_sandbox'] = package; from rlenvs_sandbox.inside.agent import main; "
    "main(sys.argv[2], sys.argv[3])"
)
"""Runs an agent from the folder that the first argument names, without the rest of the package."""


def started(
    enclosing: list[str],
    source: str,
    setup: Setup,
    group: Group | None,
    folder: str | None = None,
) -> "LaunchedProcess":
    """An agent.

    Args:
        enclosing: the command that runs another one in isolation, empty for none.
        source: where the package is, in that isolation.
        folder: a folder outside that is the agent's, and goes with it.

    Raises:
        SandboxError: it cannot be started.
    """
    if group is not None:
        enclosing = [*_IN_GROUP, *group.files(), "--", *enclosing]
    control, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    said = os.memfd_create("said", os.MFD_CLOEXEC)
    command = [*enclosing, *agent_command(os.path.realpath(sys.executable), source, setup, str(far.fileno()))]
    try:
        process = subprocess.Popen(
            command,
            pass_fds=[far.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            env={"PYTHONHASHSEED": "0", "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"},
            cwd="/",
            start_new_session=True,
        )
    except OSError as error:
        control.close()
        os.close(said)
        raise SandboxError(f"{command[0]} cannot be started: {error}") from error
    finally:
        far.close()
    return LaunchedProcess(process, control, group, folder, said)


def agent_command(python: str, source: str, setup: Setup, control: str) -> list[str]:
    """The command of an agent.

    Args:
        source: where the package is for it.
        control: the descriptor of its socket, or the path at which somebody listens for it.
    """
    return [python, "-I", "-S", "-c", BOOTSTRAP, source, json.dumps(asdict(setup)), control]


class LaunchedProcess:
    """An agent that is a process here, or the first one of namespaces made here."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        control: socket.socket,
        group: Group | None,
        folder: str | None,
        said: int,
    ) -> None:
        self.control = control
        self._process = process
        self._group = group
        self._folder = folder
        self._has_namespace = folder is None
        self._said = said

    def suits(self, limits: Limits) -> bool:  # noqa: ARG002
        """Always: every limit is set before each program."""
        return True

    def prepare(self, limits: Limits) -> None:
        """Set the memory that all its processes may use together."""
        if self._group is not None:
            try:
                self._group.limit(limits.mem_mb, limits.pids)
            except OSError as error:
                raise LostError(f"the control group of a sandbox is gone: {error}", has_run=False) from error

    def has_run_out_of_memory(self) -> bool:
        """Whether the kernel has killed something in its cgroup since `prepare`."""
        return self._group is not None and self._group.has_run_out_of_memory()

    def cpu_s(self) -> float | None:
        """Seconds of processor time that all in its cgroup have used since `prepare`; None where none counts them."""
        return None if self._group is None else self._group.cpu_s()

    def said(self) -> str:
        """What it, or the command that encloses it, has said of itself."""
        until = time.monotonic() + _END_S
        while not self.is_over() and time.monotonic() < until:
            time.sleep(_PAUSE_S)
        return os.pread(self._said, _MAX_SAID, 0).decode(errors="replace").strip()

    def is_over(self) -> bool:
        """Whether the command that encloses it has ended, and it is not about to come any more."""
        return os.waitid(os.P_PID, self._process.pid, _JUST_LOOK) is not None

    def kill(self) -> None:
        """End it, and all that runs in it."""
        if self._said < 0:
            return
        os.close(self._said)
        self._said = -1
        if self._has_namespace:  # what encloses it, and it, the first process of a namespace that ends with it
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:  # its socket is closed: it ends what runs, and then itself
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_S)
            self._process.kill()
        self._process.wait()
        if self._group is not None:
            self._group.remove()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
