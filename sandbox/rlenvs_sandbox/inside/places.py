"""Where a program runs: an empty folder of its own, which is gone when the next one comes."""

import os
import time
from typing import Protocol

from rlenvs_sandbox.inside import kernel


class Place(Protocol):
    """Makes the folder of one program after the other."""

    def open(self, disk_mb: int) -> str:
        """An empty folder, with room for so much where that can be held."""

    def clear(self) -> None:
        """Leave nothing of the program that was there; every process of it has ended."""


class Mounted:
    """A small file system in memory for each program: its folder, /tmp and /dev/shm are all on it."""

    _FOLDER = "/tmp/work"

    def __init__(self) -> None:
        kernel.make_mounts_private()
        self._mounted: list[str] = []

    def open(self, disk_mb: int) -> str:
        """An empty folder on a file system of that size."""
        self.clear()
        kernel.mount_memory("/tmp", disk_mb)
        self._mounted.append("/tmp")
        for name in (self._FOLDER, "/tmp/shm"):
            os.mkdir(name, 0o1777)
        kernel.bind("/tmp/shm", "/dev/shm")
        self._mounted.append("/dev/shm")
        return self._FOLDER

    def clear(self) -> None:
        """Take the file system away, and all that is on it."""
        while self._mounted:
            kernel.unmount(self._mounted.pop())


class Plain:
    """A folder for each program in one that is the agent's."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def open(self, disk_mb: int) -> str:  # noqa: ARG002  # no size can be held here
        """An empty folder, of a name that no program can know before."""
        folder = os.path.join(self._folder, f"run-{time.monotonic_ns()}")
        os.mkdir(folder, 0o700)
        return folder

    def clear(self) -> None:
        """Remove what a program has left; links, and not what they lead to."""
        import shutil  # it loads much that no other agent needs

        for entry in os.scandir(self._folder):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                os.unlink(entry.path)
