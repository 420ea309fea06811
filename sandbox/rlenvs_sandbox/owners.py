"""Whose a cgroup, a folder or a container is, so that what a process has left that was killed can be swept away."""

import os
import shutil
import tempfile
from pathlib import Path

_FOLDERS = ("rlenvs-run", "rlenvs-door")


def owner() -> str:
    """The name of this process, which no other one has: its namespace, its number there, and when it started."""
    return f"{_namespace()}-{os.getpid()}-{_start_of(os.getpid())}"


def is_left(name: str) -> bool:
    """Whether a name begins with an owner that is gone. Of what is not named so, or not of our own namespace: no."""
    namespace, _, rest = name.partition("-")
    process, _, rest = rest.partition("-")
    start = rest.partition("-")[0]
    if namespace != _namespace() or not process.isdigit() or not start.isdigit():
        return False
    return _start_of(int(process)) != start


def new_folder(kind: str) -> str:
    """A new folder for temporary files, that carries its owner's name.

    Args:
        kind: one of the names that `sweep_folders` looks for.
    """
    assert kind in _FOLDERS
    return tempfile.mkdtemp(prefix=f"{kind}-{owner()}-")


def sweep_folders() -> int:
    """Remove the folders of owners that are gone. How many there were."""
    found = 0
    for kind in _FOLDERS:
        for folder in Path(tempfile.gettempdir()).glob(f"{kind}-*"):
            if is_left(folder.name.removeprefix(f"{kind}-")):
                shutil.rmtree(folder, ignore_errors=True)
                found += 1
    return found


def _namespace() -> str:
    """The namespace of processes: in another one, the same number is another process."""
    try:
        return str(os.stat("/proc/self/ns/pid").st_ino)
    except OSError:
        return "0"


def _start_of(process: int) -> str:
    """When a process started, in ticks since the machine did; nothing where there is none."""
    try:
        state, *rest = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except (OSError, ValueError):
        return ""
    return "" if state in "ZX" else rest[18]
