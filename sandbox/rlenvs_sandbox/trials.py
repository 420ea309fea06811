"""Harmless programs that show what a sandbox holds on this machine, and the levels that demand it."""

from dataclasses import dataclass
from typing import Literal

from rlenvs_sandbox.errors import SandboxError
from rlenvs_sandbox.records import Limits, Program
from rlenvs_sandbox.runner import DEFAULT_LIMITS, Runner

Level = Literal["limits", "isolated", "strict"]
"""What a sandbox holds.

limits: time, and the memory of one process; what a program does to files, network and other processes is nobody's
business. isolated: a program reaches nothing outside, and fills no disk. strict: memory, number and processor time of
all its processes together are bounded, too.
"""
LEVELS: tuple[Level, ...] = ("limits", "isolated", "strict")
"""From the weakest on; each demands what those before it do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that a sandbox was tried for."""

    sandbox: str
    what: str
    is_held: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """A program that says "held" where the sandbox holds."""

    what: str
    level: Level  # the lowest that demands it
    text: str
    limits: Limits = DEFAULT_LIMITS
    statuses: tuple[str, ...] = ()  # that say so too


TRIALS = (
    Trial("a program runs", "limits", "print('held')"),
    Trial(
        "no network",
        "isolated",
        """
import socket
try:
    socket.create_connection(("127.0.0.1", 1), timeout=1)
except ConnectionRefusedError:  # by whatever is there
    print(open("/proc/net/dev").read().count(":") == 1 and "held")
except OSError:
    print("held")
""",
    ),
    Trial(
        "no processes but its own",
        "isolated",
        """
import os
try:
    found = [name for name in os.listdir("/proc") if name.isdigit()]
except OSError:
    found = []
print("held" if len(found) < 5 else len(found))
""",
    ),
    Trial(
        "no file outside is written",
        "isolated",
        """
for folder in ("/", "/usr", "/etc", "/var/tmp", "/dev", "/opt", "/run", "/proc"):
    try:
        open(f"{folder}/rlenvs-trial", "w").close()
        print("wrote in", folder)
        break
    except OSError:
        pass
else:
    print("held")
""",
    ),
    Trial(
        "no file of others is read",
        "isolated",
        """
import os, sys
found = []
for path in ("/etc/shadow", "/proc/1/environ", "/var/log/syslog", "/root/.bashrc"):
    try:
        found += [path] * bool(open(path, "rb").read(1))
    except OSError:
        pass
for folder in ("/home", "/root", "/srv", "/mnt", "/work", "/var/spool"):
    try:
        entries = [f"{folder}/{name}" for name in os.listdir(folder)]
        found += [each for each in entries if not f"{sys.base_prefix}/".startswith(f"{each}/")]
    except OSError:
        pass
print(found or "held")
""",
    ),
    Trial("memory of one process", "limits", "x = b'x' * (200 * 2**20)", Limits(mem_mb=64), ("memory",)),
    Trial(
        "memory of all its processes",
        "strict",
        """
import os, time
for _ in range(4):
    if not os.fork():
        x = b"x" * (100 * 2**20)
        time.sleep(3)
        os._exit(0)
print("held" if any([os.wait()[1] for _ in range(4)]) else "400 MiB of 192")
""",
        Limits(wall_s=10, mem_mb=192),
        ("memory",),
    ),
    Trial(
        "number of processes",
        "strict",
        """
import os, time
try:
    for _ in range(40):
        if not os.fork():
            time.sleep(2)
            os._exit(0)
    print("40 of 16")
except OSError:
    print("held")
""",
        Limits(pids=16),
    ),
    Trial(
        "size of its files together",
        "isolated",
        """
try:
    for number in range(40):
        with open(f"file{number}", "wb") as file:
            file.write(b"x" * 2**20)
    print("40 MiB of 16")
except OSError:
    print("held")
""",
        Limits(disk_mb=16),
    ),
    Trial(
        "system calls are filtered",
        "isolated",
        "import ctypes; print('held' if ctypes.CDLL(None).unshare(0x10000000) else 'unshare is allowed')",
    ),
    Trial(
        "processor time of all its processes",
        "strict",
        """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that nobody is told what its children have used
for _ in range(20):
    if not os.fork():
        until = time.process_time() + 0.1
        while time.process_time() < until: pass
        os._exit(0)
    try:
        os.wait()
    except ChildProcessError:
        pass
print("2 s of 0.5")
""",
        Limits(wall_s=30, cpu_s=0.5),
        ("timeout",),
    ),
    Trial("time", "limits", "while True: pass", Limits(wall_s=0.2), ("timeout",)),
)


def tried(name: str, runner: Runner, trial: Trial) -> Finding:
    """What came of one trial."""
    try:
        outcome = runner.run(Program(text=trial.text), trial.limits)
    except SandboxError as error:
        return Finding(sandbox=name, what=trial.what, is_held=False, detail=str(error))
    is_held = outcome.stdout.strip() == b"held" or outcome.status in trial.statuses
    said = outcome.stdout.decode(errors="replace").strip() or outcome.detail
    return Finding(sandbox=name, what=trial.what, is_held=is_held, detail="" if is_held else said[-200:])
