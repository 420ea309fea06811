"""Reward functions that are served in worker processes: good ones, and each way to go wrong."""

import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np

from rlenvs_sandbox import SandboxError

calls = 0


def is_right(task, transcript):
    return float(transcript[-1].content == str(task.target))


def behaving(task, transcript):
    """As the last message says."""
    return float(str(BEHAVIOURS[transcript[-1].content]()) == str(task.target))


def backtracks():
    return re.match(r"(a+)+$", "a" * 60 + "b")


def powers():
    return 9 ** (9**9)


def sleeps():
    time.sleep(60)


def allocates():
    return len(bytearray(2**40))


def recurses():
    return recurses()


def exits():
    sys.exit(0)


def dies():
    os._exit(3)


def prints():
    print("x" * 100_000)
    print("y", file=sys.stderr)
    return 7


BEHAVIOURS = {each.__name__: each for each in (backtracks, powers, sleeps, allocates, recurses, exits, dies, prints)}


def give(value):
    return value


def process_id():
    return os.getpid()


def count():
    global calls
    calls += 1
    return calls


def numpy_value():
    return np.float32(0.5)


def some_object():
    return object()


def raise_named(name):
    errors = {"SandboxError": SandboxError, "TimeoutError": TimeoutError, "KeyError": KeyError}
    raise errors[name]("as asked")


def hash_of(text):
    return hash(text)


def start_a_child():
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]).pid


def start_a_child_and_hang(path):
    path.write_text(str(start_a_child()))
    time.sleep(60)


@dataclass
class Plus:
    number: int

    def __call__(self, other):
        return self.number + other
