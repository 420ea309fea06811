"""A sandbox of one's own: bubblewrap's, with a clock that says how long programs were in it. A plug-in file.

    rlenvs train --plugin examples/timed_sandbox.py --set 'env.0.kwargs.sandbox="timed"' …

A sandbox is anything that keeps the protocol `rlenvs_sandbox.Runner`; environments ask for it by the name it is
registered with, and try it with harmless programs before they use it.
"""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rlenvs.hooks import RegisterNamed, hookimpl
from rlenvs_sandbox import Assertions, Limits, Outcome, Program, open_runner

DEFAULT = Limits()


class Clock:
    """The seconds in which at least one program was inside: of all, and of the training steps among them."""

    def __init__(self) -> None:
        self.busy_s = 0.0
        self.num_runs = 0
        self.steps_s = 0.0  # of whole training steps
        self.busy_in_steps_s = 0.0
        self._mark = 0.0  # `busy_s` when the step began
        self._lock = threading.Lock()
        self._inside = 0
        self._since = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Around one run."""
        with self._lock:
            self._since = time.monotonic() if self._inside == 0 else self._since
            self._inside += 1
            self.num_runs += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                self.busy_s += time.monotonic() - self._since if self._inside == 0 else 0.0

    def step(self, seconds: float) -> None:
        """A training step is over."""
        self.steps_s += seconds
        self.busy_in_steps_s += self.busy_s - self._mark
        self._mark = self.busy_s

    def pass_over(self) -> None:
        """What ran since the last step was no step."""
        self._mark = self.busy_s

    @property
    def share(self) -> float:
        """Of the steps' time, how much had a program in the sandbox."""
        return self.busy_in_steps_s / self.steps_s if self.steps_s else 0.0


CLOCK = Clock()


class TimedRunner:
    """Bubblewrap's runner, with the clock running while a program does."""

    def __init__(self, num_workers: int) -> None:
        self._runner = open_runner("bubblewrap", num_workers=num_workers)

    def run(self, program: Program, limits: Limits = DEFAULT) -> Outcome:
        with CLOCK.running():
            return self._runner.run(program, limits)

    def judge(self, program: Program, tests: Assertions, limits: Limits = DEFAULT) -> Outcome:
        with CLOCK.running():
            return self._runner.judge(program, tests, limits)

    def check(self, program: Program, checker: Program, expected: bytes = b"", limits: Limits = DEFAULT) -> Outcome:
        with CLOCK.running():
            return self._runner.check(program, checker, expected, limits)

    async def arun(self, program: Program, limits: Limits = DEFAULT) -> Outcome:
        return await asyncio.to_thread(self.run, program, limits)

    async def ajudge(self, program: Program, tests: Assertions, limits: Limits = DEFAULT) -> Outcome:
        return await asyncio.to_thread(self.judge, program, tests, limits)

    def close(self) -> None:
        self._runner.close()


def timed(num_workers: int = 2) -> TimedRunner:
    """The sandbox: what is registered takes `num_workers` and gives a runner."""
    return TimedRunner(num_workers)


@hookimpl
def register_sandboxes(register: RegisterNamed) -> None:
    register("timed", timed)


@hookimpl
def after_step(metrics: dict[str, float]) -> None:
    CLOCK.step(metrics["time/sample_s"] + metrics["time/learn_s"])


@hookimpl
def on_evaluation() -> None:
    CLOCK.pass_over()
