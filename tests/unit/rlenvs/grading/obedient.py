"""What a grading process serves in tests: each answer says what becomes of it."""

import os
import signal
import time
from pathlib import Path


def prepare(path):
    pass


def answer(rows):
    if any(row[1] == "partly" for row in rows[1:]):
        rows = rows[:1]
    return [(BEHAVIOURS.get(row[1], _equal)(row[0]), 1.0) for row in rows]


def _equal(gold):
    return "equal"


def _dies(gold):
    os.kill(os.getpid(), signal.SIGKILL)


def _dies_once(gold):
    if not Path(gold).exists():
        Path(gold).touch()
        _dies(gold)
    return "equal"


def _sleeps(gold):
    time.sleep(60)


def _allocates(gold):
    return len(bytearray(2**40))


def _raises(gold):
    raise KeyError(gold)


def _nests(gold):
    return _nests(gold)


BEHAVIOURS = {
    "dies": _dies,
    "dies once": _dies_once,
    "sleeps": _sleeps,
    "allocates": _allocates,
    "raises": _raises,
    "nests": _nests,
}
