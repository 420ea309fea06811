"""A file whose content changes as a whole: whoever reads it meets what was there before, or what comes after."""

import itertools
import os
from collections.abc import Iterable
from pathlib import Path
from typing import IO


def replace_content(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Make `content` all that is in the file. It is written beside it first, under a name that nobody has.

    Args:
        content: as a whole, or part by part where it should not be held in memory.

    Raises:
        OSError: it cannot be written; the file is as it was.
    """
    beside, file = _new_beside(path)
    try:
        with file:
            file.writelines([content] if isinstance(content, bytes) else content)
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _new_beside(path: Path) -> tuple[Path, IO[bytes]]:
    """A file of our own in the same folder. Not tempfile's, which nobody but its owner may read."""
    for number in itertools.count(1):
        beside = path.with_name(f"{path.name}.new{number}")
        try:
            return beside, beside.open("xb")
        except FileExistsError:  # somebody's, or another process is writing
            continue
    raise AssertionError("there is always another number")
