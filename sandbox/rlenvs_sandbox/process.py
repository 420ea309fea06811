"""Workers without namespaces, for machines that allow none: limits, Landlock and a filter of system calls.

This is no boundary: a fault of the kernel's filters is a way out, processes and users are the machine's, and without
Landlock (Linux 5.13) so are its files. It has to be asked for by name.
"""

import os
import sys
from dataclasses import dataclass

from rlenvs_sandbox.cgroups import Groups
from rlenvs_sandbox.inside import landlock
from rlenvs_sandbox.inside.agent import Setup
from rlenvs_sandbox.inside.confine import Confinement
from rlenvs_sandbox.launching import PACKAGE, PRELOADED, LaunchedProcess, started, system
from rlenvs_sandbox.owners import new_folder
from rlenvs_sandbox.records import Limits

_SETTINGS = "/etc/ssl/openssl.cnf"  # which programs may find missing, but not closed to them


@dataclass(frozen=True, slots=True)
class Unenclosed:
    """Starts agents as plain processes."""

    groups: Groups | None = None  # cgroups for memory and processes, where they can be had
    preload: tuple[str, ...] = PRELOADED

    def launch(self, limits: Limits) -> LaunchedProcess:  # noqa: ARG002
        """Start an agent."""
        group = self.groups.new() if self.groups else None
        folder = new_folder("rlenvs-run")
        setup = Setup(
            confinement=Confinement(
                has_mounts=False,
                is_filtered=True,
                has_network=False,
                uses_landlock=landlock.version() > 0,
                has_memory_group=group is not None,
                folder=folder,
                readable=(*system(), _SETTINGS, os.path.realpath(sys.base_prefix), str(PACKAGE)),
            ),
            user=None,
            is_first=False,
            preload=self.preload,
        )
        return started([], str(PACKAGE), setup, group, folder)
