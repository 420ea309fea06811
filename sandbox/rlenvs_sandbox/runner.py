"""Running programs: the protocol that every sandbox keeps, and the one way in which all of ours keep it."""

import asyncio
import contextlib
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from types import TracebackType
from typing import Protocol, Self

from rlenvs_sandbox.errors import SandboxError
from rlenvs_sandbox.judged import CHECKED, Assertions, Judging, checked
from rlenvs_sandbox.languages import PATHS, command_of
from rlenvs_sandbox.pool import Pool
from rlenvs_sandbox.records import Limits, Outcome, Program
from rlenvs_sandbox.requests import Request, request_of
from rlenvs_sandbox.run import Run
from rlenvs_sandbox.worker import Launcher, LostError


class Runner(Protocol):
    """Runs programs that nobody trusts. May be used by many threads at a time."""

    def run(self, program: Program, limits: Limits = ...) -> Outcome:
        """Run a program to its end: `pass` if it ended by itself and without an error."""

    def judge(self, program: Program, tests: Assertions, limits: Limits = ...) -> Outcome:
        """Run a program, and tests against it: `pass` if there are any, and all of them are right."""

    def check(self, program: Program, checker: Program, expected: bytes = ..., limits: Limits = ...) -> Outcome:
        """Run a program, and in a sandbox of its own a checker of what it printed."""

    async def arun(self, program: Program, limits: Limits = ...) -> Outcome:
        """As `run`, without holding up an event loop."""

    async def ajudge(self, program: Program, tests: Assertions, limits: Limits = ...) -> Outcome:
        """As `judge`, without holding up an event loop."""

    async def acheck(self, program: Program, checker: Program, expected: bytes = ..., limits: Limits = ...) -> Outcome:
        """As `check`, without holding up an event loop."""

    def close(self) -> None:
        """End all that runs."""


DEFAULT_LIMITS = Limits()
_BRIEF = Limits(wall_s=20.0, cpu_s=5.0)  # for harmless programs of our own, on a busy machine
_ATTEMPTS = 3  # with the program in a sandbox
_MAX_ATTEMPTS = 10  # with those that were lost before it was in


class WarmRunner:
    """Runs programs in a pool of warm workers, and their tests in another one."""

    def __init__(
        self,
        launcher: Launcher,
        *,
        num_workers: int = 2,
        num_spare: int = 0,
        judges: Launcher | None = None,
        is_boundary: bool = True,
        at_end: Callable[[], None] = lambda: None,
    ) -> None:
        """Args:
        launcher: how a worker gets into its isolation.
        num_workers: programs at a time; for their tests there are as many workers again.
        num_spare: 0: a worker runs one program after the other. Else one alone, and so many stand ready.
        judges: how a worker for tests gets into its isolation; None: as one for programs.
        is_boundary: whether the isolation is meant to hold a program that wants to get out.
        at_end: called when all workers have ended.
        """
        self.is_boundary = is_boundary
        self._at_end = at_end
        self._tools: set[str] = set()  # that were found in the sandbox
        self._programs = Pool(launcher, num_workers, num_spare=num_spare)
        self._judges = Pool(judges or launcher, num_workers, num_spare=0 if judges else num_spare)

    def run(self, program: Program, limits: Limits = DEFAULT_LIMITS) -> Outcome:
        """Run a program to its end: `pass` if it ended by itself and without an error.

        Raises:
            SandboxError: no sandbox can be started, or what its language needs is not in it.
        """
        if program.language != "python":
            self._require(command_of(program.language).tool)
        return self._tried(lambda: self._ran(program, limits))

    def _require(self, tool: str) -> None:
        """That a compiler or an interpreter is in the sandbox; looked for once."""
        if tool not in self._tools:
            looked = self._tried(
                lambda: self._ran(Program(text=f"import shutil\nprint(shutil.which({tool!r}))"), _BRIEF)
            )
            if looked.stdout.strip() in (b"", b"None"):
                raise SandboxError(
                    f"no {tool} in the sandbox: it is looked for in {', '.join(PATHS)}. Install it there"
                )
            self._tools.add(tool)

    def _tried(self, attempt: Callable[[], Outcome]) -> Outcome:
        """What comes of an attempt, or of another one with another worker where the first one was lost.

        Several in a row with the program in them are no accident, where a harmless program ends as it should: then it
        is the program that ends its workers, and no reason to leave it unjudged.
        """
        num_lost = 0
        for _ in range(_MAX_ATTEMPTS):
            try:
                return attempt()
            except LostError as error:
                lost = error
                num_lost += error.has_run
            if num_lost == _ATTEMPTS:
                break
        if not self._runs_a_harmless_program():
            return Outcome(status="sandbox_error", detail=f"sandboxes are lost one after the other: {lost}")
        if num_lost < _ATTEMPTS:
            return Outcome(status="sandbox_error", detail=f"sandboxes are lost before anything runs in them: {lost}")
        return Outcome(status="runtime_error", detail=f"{_ATTEMPTS} sandboxes were lost while it ran: {lost}")

    def _runs_a_harmless_program(self) -> bool:
        """Whether one ends in a sandbox that is not lost, in as many attempts as others have."""
        for _ in range(_ATTEMPTS):
            with contextlib.suppress(LostError):
                self._ran(Program(text="pass"), _BRIEF)
                return True
        return False

    def _ran(self, program: Program, limits: Limits) -> Outcome:
        with self._programs.worker(limits) as worker:
            with closing(Run(worker, request_of(program), limits)) as run:
                outcome = run.wait()
            if run.is_lost:
                raise LostError(outcome.detail, has_run=True)
            return outcome

    def judge(self, program: Program, tests: Assertions, limits: Limits = DEFAULT_LIMITS) -> Outcome:
        """Run a program, and tests against it: `pass` if there are any, and all of them are right.

        Raises:
            ValueError: the program is in another language than Python.
        """
        if program.language != "python":
            raise ValueError(f"tests call functions of Python programs: this one is in {program.language}")
        return self._tried(lambda: self._judged(program, tests, limits))

    def check(
        self, program: Program, checker: Program, expected: bytes = b"", limits: Limits = DEFAULT_LIMITS
    ) -> Outcome:
        """Run a program, and in a sandbox of its own a checker of what it printed.

        Args:
            checker: finds the files `input`, `expected` and `output` in its folder; it exits with 0 or 42 where the
                output is right, with 43 where it is wrong. If it does anything else it is broken, unless it takes the
                expected output as a right one: then it is the program's output that it cannot read, which is wrong.
        """
        outcome = self.run(program, limits)
        if outcome.status != "pass":
            return checked(outcome, outcome)

        def checker_on(output: bytes) -> Outcome:
            files = dict(zip(CHECKED, (program.stdin, expected, output), strict=True))
            return self.run(replace(checker, files={**checker.files, **files}), limits)

        ran = checker_on(outcome.stdout)
        verdict = checked(outcome, ran)
        has_raised = verdict.status == "sandbox_error" and ran.status in ("pass", "runtime_error")
        if has_raised and checked(outcome, checker_on(expected)).is_pass:
            return replace(verdict, status="fail", detail="the checker cannot read the output")
        return verdict

    def _judged(self, program: Program, tests: Assertions, limits: Limits) -> Outcome:
        with ExitStack() as stack:
            worker = stack.enter_context(self._programs.worker(limits))
            judge = stack.enter_context(self._judges.worker(_for_the_judge(limits)))
            ours, theirs = (stack.enter_context(end) for end in socket.socketpair())
            near, report = (stack.enter_context(end) for end in socket.socketpair())
            deadline = time.monotonic() + limits.wall_s
            test_run = Run(
                judge,
                Request(
                    kind="judge", text=tests.as_json(), files={"channel": ours.fileno(), "report": report.fileno()}
                ),
                _for_the_judge(limits),
                deadline,
            )
            stack.callback(test_run.close)
            try:
                run = Run(
                    worker,
                    Request(
                        kind="python",
                        text=program.text.encode(errors="surrogatepass"),
                        files={"channel": theirs.fileno()},
                    ),
                    limits,
                    deadline,
                )
            except LostError:
                judge.kill()
                raise
            stack.callback(run.close)
            for end in (ours, theirs, report):
                end.close()
            judging = Judging(run, test_run, near, deadline)
            outcome = judging.outcome()
            if run.is_lost or test_run.is_lost or judging.is_judge_lost:
                raise LostError(outcome.detail, has_run=run.is_lost or judging.is_judge_lost)
            return outcome

    async def arun(self, program: Program, limits: Limits = DEFAULT_LIMITS) -> Outcome:
        """As `run`, without holding up an event loop."""
        return await asyncio.to_thread(self.run, program, limits)

    async def ajudge(self, program: Program, tests: Assertions, limits: Limits = DEFAULT_LIMITS) -> Outcome:
        """As `judge`, without holding up an event loop."""
        return await asyncio.to_thread(self.judge, program, tests, limits)

    async def acheck(
        self, program: Program, checker: Program, expected: bytes = b"", limits: Limits = DEFAULT_LIMITS
    ) -> Outcome:
        """As `check`, without holding up an event loop."""
        return await asyncio.to_thread(self.check, program, checker, expected, limits)

    def close(self) -> None:
        """End all that runs."""
        self._programs.close()
        self._judges.close()
        self._at_end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _for_the_judge(limits: Limits) -> Limits:
    """What tests may use: they are nobody's attack, but what they call may send them much."""
    return Limits(wall_s=limits.wall_s, cpu_s=limits.wall_s, mem_mb=max(1024, 2 * limits.mem_mb), output_bytes=2**20)
