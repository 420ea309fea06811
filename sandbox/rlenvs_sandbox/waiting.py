"""Waiting until a file can be read, whatever its number: `select` takes none above 1023."""

import math
import select
from collections.abc import Iterable


def wait_for(files: Iterable[int], seconds: float) -> bool:
    """Until one of them can be read or has ended; whether that is so."""
    waiting = select.poll()
    for file in files:
        waiting.register(file, select.POLLIN)
    return bool(waiting.poll(math.ceil(1000 * max(0.0, seconds))))
