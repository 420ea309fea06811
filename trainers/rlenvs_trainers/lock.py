"""One process at a time trains in a run's folder: a second one (a job that was queued again) would spoil its work."""

from pathlib import Path
from typing import IO

from rlenvs.locked import opened_alone

LOCK = "run.lock"


def locked(folder: Path) -> IO[str]:
    """The lock of a run's folder, which is made where it is missing; held until the file is closed.

    Raises:
        RlenvsError: another process has it, or the folder cannot be made.
    """
    busy = f"another process is training in {folder}: wait for it or stop it. Two would spoil each other's work."
    return opened_alone(folder / LOCK, "a", what=f"the run's folder {folder}", busy=busy)
