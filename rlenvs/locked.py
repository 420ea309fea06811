"""A file that one process at a time has: the operating system lets go of it when the process ends, however it ends."""

import fcntl
from pathlib import Path
from typing import IO, Any

from rlenvs.errors import RlenvsError, writing


def opened_alone(path: Path, mode: str, *, what: str, busy: str) -> IO[Any]:
    """The file, its folder made where it is missing, locked until it is closed.

    Args:
        what: what it is, for people: "the results file runs/x.jsonl".
        busy: the sentence where another process has it.

    Raises:
        RlenvsError: another process has it, or it cannot be written.
    """
    with writing(what):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open(mode)
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # not flock: a forked worker that outlives us would keep that
    except OSError as error:
        file.close()
        raise RlenvsError(busy) from error
    return file
