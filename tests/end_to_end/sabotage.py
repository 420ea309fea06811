"""A plug-in for tests: at a moment that SABOTAGE names, something happens to the process.

SABOTAGE="fsync:3:SIGKILL" kills it at its third fsync; "rollout:1:wait" writes the file `reached` and waits for `go`.
"""

import os
import shutil
import signal
import time
from collections import Counter
from functools import wraps
from pathlib import Path

from rlenvs.env import TextEnv
from rlenvs.hooks import hookimpl
from rlenvs.store import RunStore
from rlenvs_trainers import run
from rlenvs_trainers.optimiser import Optimiser

MOMENT, COUNT, ACTION = os.environ["SABOTAGE"].split(":")
seen: Counter[str] = Counter()


def reach(moment):
    seen[moment] += 1
    if (moment, str(seen[moment])) != (MOMENT, COUNT):
        return
    if ACTION != "wait":
        os.kill(os.getpid(), signal.Signals[ACTION])
    Path("reached").touch()
    while not Path("go").exists():
        time.sleep(0.01)


def before(owner, name, moment):
    original = getattr(owner, name)

    @wraps(original)
    def watched(*args, **kwargs):
        reach(moment)
        return original(*args, **kwargs)

    setattr(owner, name, watched)


before(TextEnv, "step", "rollout")
before(Optimiser, "step", "learner")
before(run, "evaluate_held_out", "evaluation")
before(RunStore, "write_eval", "evaluated")
before(os, "fsync", "fsync")
before(Path, "rename", "rename")
before(shutil, "rmtree", "rmtree")


@hookimpl
def after_step(step, metrics):
    reach("recorded")


@hookimpl
def on_checkpoint(step, path):
    reach("saved")
