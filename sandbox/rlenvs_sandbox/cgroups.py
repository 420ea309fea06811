"""Control groups for memory and processes, of version 1 or 2, where this process may make them."""

import contextlib
import itertools
import os
import signal
import time
from pathlib import Path

from rlenvs_sandbox.errors import SandboxError
from rlenvs_sandbox.owners import is_left, owner

_ROOT = Path("/sys/fs/cgroup")
_MIB = 2**20
_ALLOWANCE_MB = 96  # for the agent, and what the kernel still counts of the program before
_ALLOWANCE_PIDS = 4
_MOST_PIDS = 2**22  # the kernel takes no more
_NUMBERS = itertools.count()
_NAME = "rlenvs-"


class Groups:
    """Makes groups below the one in which this process is."""

    def __init__(self, folders: dict[str, Path], version: int) -> None:
        self._folders = folders
        self._version = version

    @classmethod
    def find(cls) -> "Groups | None":
        """Where groups for memory and processes can be made; None where they cannot. Tries it."""
        for version, folders in ((2, _unified()), (1, _by_controller())):
            if folders is None:
                continue
            groups = cls(folders, version)
            try:
                trial = groups.new()
                trial.limit(64, 8)
                trial.remove()
            except (OSError, SandboxError):
                continue
            groups.sweep()
            return groups
        return None

    @property
    def version(self) -> int:
        """Of control groups: 1 or 2."""
        return self._version

    def new(self) -> "Group":
        """An empty group of its own.

        Raises:
            SandboxError: it cannot be made.
        """
        name = f"{_NAME}{owner()}-{next(_NUMBERS)}"
        folders = {controller: folder / name for controller, folder in self._folders.items()}
        try:
            for folder in set(folders.values()):
                folder.mkdir()
            return Group(folders, self._version)
        except OSError as error:
            for folder in set(folders.values()):
                with contextlib.suppress(OSError):
                    folder.rmdir()
            raise SandboxError(f"no control group can be made: {error}") from error

    def sweep(self) -> int:
        """Remove the groups of owners that are gone. How many there were."""
        found = 0
        for folder in set(self._folders.values()):
            for left in folder.glob(f"{_NAME}*"):
                if is_left(left.name.removeprefix(_NAME)):
                    _kill_all(left)
                    _remove(left)
                    found += 1
        return found


class Group:
    """One group. Its counters are read for every program, so their files stay open."""

    def __init__(self, folders: dict[str, Path], version: int) -> None:
        self._folders = folders
        self._version = version
        self._limits: tuple[int, int] | None = None  # that are set
        self._killed_before = 0
        self._cpu_before_s = 0.0
        self._killed = _Counter(folders["memory"] / ("memory.oom_control" if version == 1 else "memory.events"))
        cpu = folders.get("cpuacct")
        self._cpu = None if cpu is None else _Counter(cpu / ("cpuacct.usage" if version == 1 else "cpu.stat"))

    def files(self) -> list[str]:
        """The files to which a process writes its number to be in it, with all that it starts from then on."""
        return [str(folder / "cgroup.procs") for folder in sorted(set(self._folders.values()))]

    def limit(self, mem_mb: int, pids: int) -> None:
        """Set how much memory its processes may use together, and how many they may be; count from now on."""
        if self._limits != (mem_mb, pids):
            self._limits = (mem_mb, pids) if self._set(mem_mb, pids) else None
        self._killed_before = self._num_killed()
        self._cpu_before_s = self._cpu_s()

    def _set(self, mem_mb: int, pids: int) -> bool:
        """Set the limits; whether that was possible."""
        size = str((mem_mb + _ALLOWANCE_MB) * _MIB)
        memory, numbers = self._folders["memory"], self._folders["pids"]
        (numbers / "pids.max").write_text(str(min(pids + _ALLOWANCE_PIDS, _MOST_PIDS)))
        if self._version == 1:
            try:
                (memory / "memory.limit_in_bytes").write_text(size)
            except OSError:  # the kernel still counts more than that of what has ended
                return False
            return True
        (memory / "memory.max").write_text(size)
        with contextlib.suppress(OSError):
            (memory / "memory.swap.max").write_text("0")
        return True

    def has_run_out_of_memory(self) -> bool:
        """Whether the kernel has killed a process of it since `limit`."""
        return self._num_killed() > self._killed_before

    def cpu_s(self) -> float | None:
        """Seconds that its processes have used together since `limit`, those that have ended too; None: not counted."""
        return None if self._cpu is None else self._cpu_s() - self._cpu_before_s

    def _num_killed(self) -> int:
        return _value(self._killed.read(), "oom_kill")

    def _cpu_s(self) -> float:
        if self._cpu is None:
            return 0.0
        said = self._cpu.read()
        return int(said or 0) / 1e9 if self._version == 1 else _value(said, "usage_usec") / 1e6

    def remove(self) -> None:
        """Remove it, once the kernel has forgotten its last process."""
        for counter in (self._killed, self._cpu):
            if counter is not None:
                counter.close()
        for folder in set(self._folders.values()):
            _remove(folder)


def _kill_all(folder: Path) -> None:
    """Kill the processes of a group that nobody uses: a start that was cut in half waits for ever."""
    try:
        processes = (folder / "cgroup.procs").read_text().split()
    except OSError:  # it is gone
        return
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(process), signal.SIGKILL)


def _remove(folder: Path) -> None:
    """Remove a group's folder, once its processes have ended, which are about to."""
    for _ in range(_TRIES):
        try:
            folder.rmdir()
            break
        except FileNotFoundError:
            break
        except OSError:
            time.sleep(_PAUSE_S)


class _Counter:
    """A file of a group that is read again and again."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def read(self) -> bytes:
        return os.pread(self._file, 1 << 12, 0) if self._file >= 0 else b""

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        self._file = -1


def _value(said: bytes, key: str) -> int:
    """The number behind a key, of lines with one each; 0 where it is not there."""
    for line in said.decode().splitlines():
        name, _, value = line.partition(" ")
        if name == key:
            return int(value)
    return 0


def num_killed(folder: Path) -> int:
    """How many processes of a group the kernel has killed for its memory."""
    for name in ("memory.events", "memory.oom_control"):  # of version 2, and 1
        with contextlib.suppress(OSError):
            return _value((folder / name).read_bytes(), "oom_kill")
    return 0


def cpu_s_of(folder: Path | None) -> float | None:
    """Seconds of processor time that a group's processes have used; None where nobody counts them."""
    if folder is None:
        return None
    with contextlib.suppress(OSError):
        return int((folder / "cpuacct.usage").read_bytes()) / 1e9
    with contextlib.suppress(OSError):
        return _value((folder / "cpu.stat").read_bytes(), "usage_usec") / 1e6
    return None


def group_of(process: int, controller: str) -> Path | None:
    """The folder of the group in which a process is; None where it cannot be seen.

    Args:
        controller: by its name in version 1.
    """
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            folder = _ROOT / (controller if controllers else "") / path.lstrip("/")
            if (not controllers or controller in controllers.split(",")) and folder.is_dir():
                return folder
    return None


_TRIES, _PAUSE_S = 200, 0.005


def _unified() -> dict[str, Path] | None:
    """Where groups of version 2 can be made, with both controllers."""
    for root in (_ROOT, _ROOT / "unified"):
        with contextlib.suppress(OSError):
            controllers = (root / "cgroup.controllers").read_text().split()
            if {"memory", "pids"} <= set(controllers):
                parent = root / "rlenvs"
                with contextlib.suppress(OSError):
                    (root / "cgroup.subtree_control").write_text("+memory +pids")
                parent.mkdir(exist_ok=True)
                (parent / "cgroup.subtree_control").write_text("+memory +pids")
                return {"memory": parent, "pids": parent, "cpuacct": parent}
    return None


def _by_controller() -> dict[str, Path] | None:
    """Where groups of version 1 can be made; those that count processor time, if they can."""
    folders = {name: _ROOT / name for name in ("memory", "pids", "cpuacct")}
    found = {name: folder for name, folder in folders.items() if folder.is_dir() and os.access(folder, os.W_OK)}
    return found if {"memory", "pids"} <= found.keys() else None
