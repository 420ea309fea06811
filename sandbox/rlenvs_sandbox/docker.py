"""Workers in containers of Docker, one for each program: no network, and nothing writable but some memory.

Containers carry a label by which `sweep` finds those whose owner is gone.
"""

import contextlib
import itertools
import os
import shutil
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rlenvs_sandbox.cgroups import cpu_s_of, group_of, num_killed
from rlenvs_sandbox.errors import SandboxError
from rlenvs_sandbox.inside.agent import Setup
from rlenvs_sandbox.inside.confine import Confinement
from rlenvs_sandbox.launching import PACKAGE, PRELOADED, agent_command
from rlenvs_sandbox.owners import is_left, new_folder, owner
from rlenvs_sandbox.records import Limits
from rlenvs_sandbox.worker import LostError

IMAGE = "rlenvs-sandbox:latest"
LABEL = "rlenvs.sandbox.owner"
_SOURCE = "/opt/rlenvs_sandbox"
_DOOR = "/run/agent"
_START_S = 20.0
_LOOK_S = 1.0
_ALLOWANCE_MB = 64  # for the agent
_ALLOWANCE_PIDS = 4
_FIRST_USER = 2_000_100_000
_USERS = itertools.count(os.getpid() % 1000 * 100)
_NO_SUCH = (404, 409)  # answers of an engine: there is none any more, or it is being removed


def connected() -> Any:
    """A client of the engine that the environment names.

    Raises:
        SandboxError: the docker SDK is not installed, or no engine answers.
    """
    try:
        import docker
    except ImportError as error:
        raise SandboxError("the docker sandbox needs the docker SDK: pip install 'rlenvs-llm[docker]'") from error
    try:
        client = docker.from_env()
        client.ping()
    except Exception as error:  # the SDK raises whatever it meets
        raise SandboxError(f"no Docker engine answers: {error}. Start one, or set DOCKER_HOST") from error
    return client


@dataclass(frozen=True, slots=True)
class Docker:
    """Starts agents in containers."""

    client: Any
    image: str = IMAGE
    preload: tuple[str, ...] = PRELOADED

    def launch(self, limits: Limits) -> "Container":
        """Start a container with an agent that connects to us."""
        folder = new_folder("rlenvs-door")
        os.chmod(folder, 0o755)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
            _bind(door, folder)
            os.chmod(f"{folder}/agent", 0o666)
            door.listen(1)
            door.settimeout(_LOOK_S)
            try:
                container = self._started(folder, limits)
            except Exception as error:
                shutil.rmtree(folder, ignore_errors=True)
                raise SandboxError(f"no container of {self.image} can be started: {error}") from error
            control = _who_comes(door, container)
            if control is None:
                said = _logs(container)
                _removed(container)
                shutil.rmtree(folder, ignore_errors=True)
                if not said:
                    raise LostError("a container was ended at its start", has_run=False)
                raise SandboxError(f"the agent in a container did not come: {said}")
        os.unlink(f"{folder}/agent")  # nobody else comes in
        return Container(container, control, folder, limits)

    def _started(self, folder: str, limits: Limits) -> Any:
        memory = f"{limits.mem_mb + _ALLOWANCE_MB}m"
        user = _FIRST_USER + next(_USERS) % 100_000
        setup = Setup(
            confinement=Confinement(
                has_mounts=False,
                is_filtered=True,
                has_network=True,
                uses_landlock=False,
                has_memory_group=True,
                folder="/tmp",
            ),
            user=None,
            is_first=True,
            preload=self.preload,
            paths=("/usr/lib/python3/dist-packages",),  # what is in the image was put there for programs
        )
        return self.client.containers.run(
            self.image,
            agent_command("/usr/bin/python3", _SOURCE, setup, f"{_DOOR}/agent"),
            detach=True,
            network_mode="none",
            read_only=True,
            cap_drop=["ALL"],
            security_opt=["no-new-privileges:true"],
            user=f"{user}:{user}",
            mem_limit=memory,
            memswap_limit=memory,
            pids_limit=limits.pids + _ALLOWANCE_PIDS,
            nano_cpus=10**9,
            shm_size=f"{limits.disk_mb}m",
            tmpfs={"/tmp": f"rw,exec,nosuid,nodev,size={limits.disk_mb}m,mode=1777"},
            volumes={
                str(PACKAGE): {"bind": _SOURCE, "mode": "ro"},
                folder: {"bind": _DOOR, "mode": "ro"},
            },
            environment={"PYTHONHASHSEED": "0", "LANG": "C.UTF-8"},
            labels={LABEL: owner()},
            working_dir="/tmp",
        )


def _bind(door: socket.socket, folder: str) -> None:
    """Be `agent` in a folder, however long its path is: that of a socket has an end."""
    opened = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        door.bind(f"/proc/self/fd/{opened}/agent")
    finally:
        os.close(opened)


def _who_comes(door: socket.socket, container: Any) -> socket.socket | None:
    """The socket of the agent that connects; None where its container has ended, or takes too long."""
    until = time.monotonic() + _START_S
    while time.monotonic() < until:
        with contextlib.suppress(TimeoutError):
            return door.accept()[0]
        try:
            container.reload()
        except Exception:  # it is gone
            return None
        if container.status == "exited":
            return None
    return None


def _logs(container: Any) -> str:
    with contextlib.suppress(Exception):  # it is gone
        return str(container.logs()[-500:].decode(errors="replace"))
    return ""


class Container:
    """An agent in its container."""

    def __init__(self, container: Any, control: socket.socket, folder: str, limits: Limits) -> None:
        self.control = control
        self._container = container
        self._folder = folder
        self._limits = limits
        self._group: Path | None = None
        self._cpu_group: Path | None = None
        self._cpu_before_s = 0.0

    def suits(self, limits: Limits) -> bool:
        """Whether it was made for such limits; what is a limit of a process is set before each program."""
        made = self._limits
        return (limits.mem_mb, limits.pids, limits.disk_mb) == (made.mem_mb, made.pids, made.disk_mb)

    def prepare(self, limits: Limits) -> None:  # noqa: ARG002  # it was made for them
        """Find where the kernel counts its memory and its time, if its engine is on this machine."""
        with contextlib.suppress(Exception):
            self._container.reload()
            process = int(self._container.attrs["State"]["Pid"])
            self._group, self._cpu_group = group_of(process, "memory"), group_of(process, "cpuacct")
        self._cpu_before_s = cpu_s_of(self._cpu_group) or 0.0

    def has_run_out_of_memory(self) -> bool:
        """Whether the kernel has killed something in it."""
        if self._group is not None and num_killed(self._group):
            return True
        with contextlib.suppress(Exception):
            self._container.reload()
            return bool(self._container.attrs["State"]["OOMKilled"])
        return False

    def cpu_s(self) -> float | None:
        """Seconds of processor time since `prepare`; None where the engine is elsewhere, and its agent alone counts."""
        used_s = cpu_s_of(self._cpu_group)
        return None if used_s is None else used_s - self._cpu_before_s

    def said(self) -> str:
        """What the agent has said in it."""
        return _logs(self._container)

    def is_over(self) -> bool:
        """No: it is there when it is started, and its socket says when it ends."""
        return False

    def kill(self) -> None:
        """Kill and remove the container."""
        _removed(self._container)
        shutil.rmtree(self._folder, ignore_errors=True)


def _removed(container: Any) -> None:
    try:
        container.remove(force=True)
    except Exception as error:
        if getattr(getattr(error, "response", None), "status_code", 0) not in _NO_SUCH:
            raise SandboxError(f"a container is left: {error}") from error


def sweep(client: Any) -> int:
    """Remove the containers that are left of owners that are gone. How many there were."""
    found = 0
    for container in client.containers.list(all=True, filters={"label": LABEL}, ignore_removed=True):
        if is_left(str(container.labels.get(LABEL, ""))):
            _removed(container)
            found += 1
    return found
