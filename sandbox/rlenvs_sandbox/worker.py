"""A worker: one agent inside its isolation, seen from outside. It runs one program at a time, and is killed whole."""

import contextlib
import json
import socket
import time
from typing import Protocol

from rlenvs_sandbox.errors import SandboxError
from rlenvs_sandbox.records import Limits
from rlenvs_sandbox.waiting import wait_for

_START_S = 20.0
_LOOK_S = 0.2
_READ = 1 << 16


class Launcher(Protocol):
    """How an agent gets into its isolation."""

    def launch(self, limits: Limits) -> "Launched":
        """Start an agent, for programs with these limits where it matters at its start.

        Raises:
            SandboxError: it cannot be started.
        """


class Launched(Protocol):
    """An agent that was started."""

    @property
    def control(self) -> socket.socket:
        """A socket of packets, at whose other end it is."""

    def kill(self) -> None:
        """End it, and everything inside with it. May be called twice."""

    def is_over(self) -> bool:
        """Whether it is not about to come any more, though its socket is still open."""

    def said(self) -> str:
        """What it has said of itself, for people, where it did not start."""

    def suits(self, limits: Limits) -> bool:
        """Whether a program with these limits can be held to them in it."""

    def prepare(self, limits: Limits) -> None:
        """Set what is limited from outside, before a program runs."""

    def has_run_out_of_memory(self) -> bool:
        """Whether the kernel has killed something in it for its memory since `prepare`."""

    def cpu_s(self) -> float | None:
        """Seconds of processor time that all in it have used since `prepare`; None: nobody counts them out here."""


class LostError(SandboxError):
    """A worker ended without its program being the reason, as far as anybody can tell."""

    def __init__(self, message: str, *, has_run: bool = True) -> None:
        """Args:
        has_run: whether a program may have run in it, and be the reason after all.
        """
        super().__init__(message)
        self.has_run = has_run


class Worker:
    """One agent, with the socket to it."""

    def __init__(self, launcher: Launcher, limits: Limits) -> None:
        """Start it.

        Raises:
            LostError: it was ended from outside while it started.
            SandboxError: it does not start.
        """
        self.launched = launcher.launch(limits)
        self.control = self.launched.control
        ready = self._first_word()
        failed = json.loads(ready).get("error") if ready else "it ended"
        if failed:
            said = self.launched.said()
            self.kill()
            if not ready and not said:  # whatever fails by itself says something
                raise LostError("the agent of a sandbox was ended at its start", has_run=False)
            raise SandboxError(f"the agent of a sandbox did not start: {failed} {said}".rstrip())
        self.control.setblocking(False)
        self.is_alive = True

    def _first_word(self) -> bytes:
        """What it says when it is ready, or why it is not; nothing where it was ended."""
        until = time.monotonic() + _START_S
        while time.monotonic() < until:
            if wait_for([self.control.fileno()], _LOOK_S):
                with contextlib.suppress(ConnectionError):
                    return self.control.recv(_READ)
                return b""
            if self.launched.is_over():  # half of what encloses it may wait for the other half, the socket in its hands
                return b""
        return json.dumps({"error": f"nothing came from it for {_START_S:g} s"}).encode()

    def suits(self, limits: Limits) -> bool:
        """Whether it is still there, and a program with these limits can be held to them in it."""
        is_there = not wait_for([self.control.fileno()], 0)  # idle, it has nothing to say but that it ends
        return is_there and self.launched.suits(limits)

    def forget(self) -> None:
        """Let go of a worker that belongs to the parent of this forked process."""
        self.is_alive = False
        self.control.close()

    def kill(self) -> None:
        """End it, and all that runs in it."""
        self.is_alive = False
        self.control.close()
        self.launched.kill()
