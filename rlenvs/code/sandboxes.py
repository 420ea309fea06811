"""The sandboxes of this process: each is opened once, by its name, and shared by all environments that ask for it.

Names are what plug-ins register with `register_sandboxes`; ours are bubblewrap, docker and process.
"""

import atexit
import os
import threading
from dataclasses import dataclass

from rlenvs.errors import MakingError, RlenvsError
from rlenvs_sandbox import Runner, SandboxError
from rlenvs_sandbox.levels import Level, require

_LOCK = threading.RLock()
_RUNNERS: dict[str, Runner] = {}
_HELD: set[tuple[str, Level]] = set()  # levels that were tried, and held


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """Which sandbox programs run in, and what it has to hold. May be copied and sent to other processes."""

    name: str = "bubblewrap"
    level: Level = "isolated"  # what it must enforce on this machine

    def check(self) -> None:
        """Open it.

        Raises:
            MakingError: there is none of that name, it cannot be opened here, or it does not hold what it has to.
        """
        try:
            self.runner()
        except (RlenvsError, SandboxError, ValueError) as error:
            raise MakingError(f"sandbox {self.name!r}, level {self.level!r}: {error}") from error

    def runner(self) -> Runner:
        """The one runner of this process with that name, opened when it is first asked for, closed at its end.

        Raises:
            RlenvsError: there is none of that name.
            SandboxError: it cannot be opened here, or does not hold what it has to; that is tried once.
        """
        with _LOCK:
            if self.name not in _RUNNERS:
                _RUNNERS[self.name] = _opened(self.name)
            runner = _RUNNERS[self.name]
            if (self.name, self.level) not in _HELD:
                require(self.name, self.level, runner)
                _HELD.add((self.name, self.level))
            return runner


def _opened(name: str) -> Runner:
    from rlenvs.plugins import latest

    factory = latest().sandboxes[name]
    runner: Runner = factory(num_workers=len(os.sched_getaffinity(0)))
    atexit.register(runner.close)
    return runner


def _forget_lock() -> None:
    """After a fork, in the child: another thread may have held it. The runners know themselves what to let go of."""
    global _LOCK
    _LOCK = threading.RLock()


os.register_at_fork(after_in_child=_forget_lock)
