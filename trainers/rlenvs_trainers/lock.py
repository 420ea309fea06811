"""One process at a time trains in a run's folder: a second one (a job that was queued again) would spoil the first's.

The operating system lets go of the lock when the process ends, however it ends.
"""

import fcntl
from pathlib import Path
from typing import IO

from rlenvs.errors import RlenvsError

LOCK = "run.lock"


def locked(folder: Path) -> IO[str]:
    """The lock of a run's folder, which is made where it is missing; held until the file is closed.

    Raises:
        RlenvsError: another process has it, or the folder cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / LOCK).open("a")
    except OSError as error:
        raise RlenvsError(f"the run's folder {folder} cannot be written: {error.strerror}") from error
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # not flock: a forked worker that outlives us would keep that
    except OSError as error:
        file.close()
        raise RlenvsError(
            f"another process is training in {folder}: wait for it or stop it. Two would spoil each other's work."
        ) from error
    return file
