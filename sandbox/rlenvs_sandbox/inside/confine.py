"""What a program gives up before its first line runs: files, capabilities, system calls, and limits on what is left.

The agent gives up once what neither it nor any program needs, and prepares the rest: a child that was just forked pays
for every page that it touches, so that little is left to do there.
"""

import os
import resource
import signal
from dataclasses import dataclass

from rlenvs_sandbox.inside import kernel, landlock, seccomp

_MIB = 2**20
_STACK = 64 * _MIB
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/full")
_OWN_STATE = ("/proc/self", "/proc/cpuinfo", "/proc/meminfo")  # and not what other processes are there
_SPARE = 2**30  # of address space: threads reserve stacks that they never touch


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """How an agent confines its programs; the same for all of them."""

    has_mounts: bool  # whether it may mount file systems for each program
    is_filtered: bool  # whether system calls are filtered
    has_network: bool  # whether its network is a namespace of its own, in which nobody else is
    uses_landlock: bool  # whether the program may write nowhere but in its folder
    has_memory_group: bool  # whether a cgroup bounds the memory, and the address space is a second line alone
    folder: str  # where the program's folder and its temporary files are
    readable: tuple[str, ...] = ()  # with Landlock: what a program may read and start


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The limits of one program, in seconds, bytes and numbers."""

    cpu_s: float
    mem_mb: int
    pids: int
    fsize_mb: int
    disk_mb: int
    is_reserving: bool = False  # whether its runtime reserves far more addresses than it uses: Java, Go, JavaScript


class Confiner:
    """Confines the agent's own process for good, and each program's further."""

    def __init__(self, confinement: Confinement) -> None:
        """Give up what the agent does not need.

        Raises:
            OSError: the kernel refuses a part of it.
            NotImplementedError: no filter is known for this machine.
        """
        self._confinement = confinement
        for limit, value in _ALWAYS.items():
            resource.setrlimit(limit, _lowered(limit, value, value))
        resource.setrlimit(resource.RLIMIT_STACK, _lowered(resource.RLIMIT_STACK, _STACK, resource.RLIM_INFINITY))
        kernel.forbid_new_privileges()
        kernel.drop_capabilities(keeps_mounting=confinement.has_mounts)
        self._filter: kernel.Filter | None = None
        if confinement.is_filtered:
            network = confinement.has_network
            kernel.set_filter(kernel.Filter(seccomp.instructions(has_network=network, may_mount=True)))
            if confinement.has_mounts:
                self._filter = kernel.Filter(seccomp.no_mounting())

    def limits(self, bounds: Bounds) -> list[tuple[int, tuple[int, int]]]:
        """The limits of a program's process, ready to be set."""
        cpu_s = int(_CPU_SLACK * bounds.cpu_s) + 1
        size = bounds.fsize_mb * _MIB
        found = [
            (resource.RLIMIT_CPU, _lowered(resource.RLIMIT_CPU, cpu_s, cpu_s + 1)),
            (resource.RLIMIT_FSIZE, _lowered(resource.RLIMIT_FSIZE, size, size)),
            (resource.RLIMIT_NPROC, _lowered(resource.RLIMIT_NPROC, bounds.pids, bounds.pids)),
        ]
        if not bounds.is_reserving:
            spare = bounds.mem_mb * _MIB + _SPARE if self._confinement.has_memory_group else 0
            size = _address_space() + bounds.mem_mb * _MIB + spare
            found.append((resource.RLIMIT_AS, _lowered(resource.RLIMIT_AS, size, size)))
        return found

    def confine(self, folder: str, limits: list[tuple[int, tuple[int, int]]]) -> None:
        """Confine this process, the program's to be, and all that it will start.

        Raises:
            OSError: the kernel refuses a part of it.
        """
        os.chdir(folder)
        if self._confinement.uses_landlock:
            landlock.confine_to([folder, *_DEVICES], [*self._confinement.readable, *_OWN_STATE])
        for limit, values in limits:
            resource.setrlimit(limit, values)
        if self._confinement.has_mounts:
            kernel.give_up_capabilities()
        kernel.set_dumpable(True)  # or it could not read its own /proc/self
        if self._filter is not None:
            kernel.set_filter(self._filter)


_CPU_SLACK = 2
"""The kernel holds to this limit by sampling, which is a tenth wrong on a busy machine: what counts decides before."""
_ALWAYS = {
    resource.RLIMIT_NOFILE: 256,
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_MSGQUEUE: 0,
    resource.RLIMIT_MEMLOCK: 0,
}


def _lowered(limit: int, soft: int, hard: int) -> tuple[int, int]:
    """The values of a limit; where the highest that may be set is lower, that."""
    highest = resource.getrlimit(limit)[1]
    if highest == resource.RLIM_INFINITY:
        return soft, hard
    return min(soft, highest), highest if hard == resource.RLIM_INFINITY else min(hard, highest)


def _address_space() -> int:
    """How many bytes of addresses this process uses: what the interpreter has before the program."""
    with open("/proc/self/statm", "rb", buffering=0) as file:
        return int(file.read(100).split()[0]) * resource.getpagesize()


def reset_signals() -> None:
    """Every signal as a new process has it; Python's own handlers belong to the program, and are set for it."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
