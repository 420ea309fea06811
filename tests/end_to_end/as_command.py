"""Run in a fresh process: becomes the `rlenvs` command with `arguments`, its output in the files `out` and `err`."""

import os
import signal
import sys
from typing import Any

arguments: list[str]
folder: str
environment: dict[str, str]
out: str
err: str

variables: dict[str, Any] = globals()
os.setsid()
signal.signal(signal.SIGINT, signal.default_int_handler)  # as at a terminal: the tests may run where it is ignored
os.chdir(variables["folder"])
os.environ.update(variables["environment"])
for descriptor, path in ((1, variables["out"]), (2, variables["err"])):
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(file, descriptor)
sys.argv = ["rlenvs", *variables["arguments"]]

from rlenvs.cli.main import run  # noqa: E402  # (after the descriptors are in place)

run()
