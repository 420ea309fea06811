"""A program and its judge, side by side, and the verdict on what the judge reports: made here, outside of both."""

import json
import socket
import struct
import time
from dataclasses import dataclass, replace
from typing import Any

from rlenvs_sandbox.outputs import BY_LINES, Comparison, same_output
from rlenvs_sandbox.records import Outcome, Status
from rlenvs_sandbox.run import Run
from rlenvs_sandbox.waiting import wait_for

_LENGTH = struct.Struct(">I")
_READ = 1 << 16
_MAX_REPORT = 8 * 2**20
_GRACE_S = 2.0  # for a judge that has lost its program, to say so


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertions:
    """Tests of a program's functions, in Python.

    Each statement with an assertion is one test; they run in order, in one process, and go on after a failure. What
    they name and do not define is the program's.
    """

    text: str
    entry_point: str | None = None  # the function that is tested, if that is known: its name is the program's for sure
    check: str | None = None  # a function of `text` that holds the tests, and is called with the entry point

    def as_json(self) -> bytes:
        """As the judge reads it."""
        return json.dumps({"tests": self.text, "entry_point": self.entry_point, "check": self.check}).encode()


class Judging:
    """Waits for both, and says what came of it."""

    def __init__(self, run: Run, test_run: Run, reports: socket.socket, deadline: float) -> None:
        self._run = run
        self._test_run = test_run
        self._reports = reports
        self._deadline = deadline
        self._data = b""
        self._size = 0
        self._total = 0
        self._passed = 0
        self._failures: list[dict[str, Any]] = []
        self._last: dict[str, Any] | None = None  # how the judge ended
        self._has_reports = True
        self._is_ready = self._is_called = False  # the program: its text has run; the tests have come to it
        self.is_judge_lost = False  # whether it was ended by a signal that nobody here has sent
        reports.setblocking(False)

    def outcome(self) -> Outcome:
        """The verdict, when both have ended or had to be ended."""
        while self._has_reports and not (self._test_run.is_over and not self._take_reports()):
            if time.monotonic() >= self._deadline:
                break
            running = [each for each in (self._run, self._test_run) if not each.is_over]
            files = [self._reports.fileno()] if self._has_reports else []
            files += [file for each in running for file in each.files()]
            until_s = min((each.until_next_look_s() for each in running), default=self._deadline - time.monotonic())
            wait_for(files, until_s)
            self._take_reports()
            for each in running:
                each.take()
            if self._last is not None:
                break
        return self._ended()

    def _ended(self) -> Outcome:
        while self._take_reports():  # whoever was too busy to look before the deadline finds here what was in time
            pass
        is_late = self._last is None and time.monotonic() >= self._deadline
        for each in (self._test_run, self._run):
            if not each.is_over and is_late:
                each.kill("timeout")
        test_outcome = self._until_over(self._test_run)
        outcome = self._until_over(self._run)
        while self._take_reports():
            pass
        was_killed = (test_outcome.exit_code or 0) < 0 and test_outcome.status == "runtime_error"
        self.is_judge_lost = self._last is None and was_killed
        status, detail = self._verdict(outcome, test_outcome, is_late=is_late)
        return replace(
            outcome,
            status=status,
            detail=detail,
            passed=self._passed,
            total=self._total,
            failures=tuple(_said(failure) for failure in self._failures),
        )

    def _until_over(self, run: Run) -> Outcome:
        """The outcome of one that has nothing left to do."""
        until = time.monotonic() + _GRACE_S
        while not run.is_over:
            left = until - time.monotonic()
            if left <= 0:
                run.kill("timeout")
                break
            wait_for(run.files(), left)
            run.take()
        return run.outcome()

    def _verdict(self, outcome: Outcome, test_outcome: Outcome, *, is_late: bool) -> tuple[Status, str]:
        last = self._last or {}
        if outcome.status in ("memory", "output_limit", "sandbox_error"):
            return outcome.status, outcome.detail
        if last.get("is_ours"):
            return "sandbox_error", f"the tests are broken: {last['broken']}"
        if not last and (not self._total or (self._is_ready and not self._is_called)):
            how = "did not come to the program in time" if is_late else f"broke: {test_outcome.detail}"
            return "sandbox_error", f"the tests {how}"
        if is_late:
            return "timeout", outcome.detail or "it did not end in time"
        if outcome.status == "timeout" and "end" not in last:  # what it does behind its tests is no part of them
            return "timeout", outcome.detail
        if "too_long" in last:
            return "output_limit", str(last["too_long"])
        if "lost" in last or not last:
            return "runtime_error", outcome.detail or "it ended before its tests did"
        if "raised" in last:
            return "runtime_error", f"{last['raised']}: {last.get('text', '')}"
        if self._total and self._passed == self._total and "end" in last and last.get("calls"):
            return "pass", ""
        if self._failures:
            first = self._failures[0]
            return ("runtime_error" if first.get("by_program") else "fail"), _said(first)
        return "fail", str(
            last.get("broken") or ("no test has called it" if self._total else "there are no tests of it")
        )

    def _take_reports(self) -> bool:
        """Take what the judge has reported; whether there was anything."""
        try:
            part = self._reports.recv(_READ)
        except BlockingIOError:
            return False
        except OSError:
            part = b""
        if not part:
            self._has_reports = False
            return False
        self._data += part
        self._size += len(part)
        while len(self._data) >= _LENGTH.size and self._size <= _MAX_REPORT:
            (length,) = _LENGTH.unpack(self._data[: _LENGTH.size])
            if len(self._data) < _LENGTH.size + length:
                break
            self._take(json.loads(self._data[_LENGTH.size : _LENGTH.size + length]))
            self._data = self._data[_LENGTH.size + length :]
        return True

    def _take(self, report: dict[str, Any]) -> None:
        if "total" in report:
            self._total = report["total"]
        elif "ready" in report:
            self._is_ready = True
        elif "called" in report:
            self._is_called = True
        elif "test" not in report:
            self._last = report
        elif report["passed"]:
            self._passed += 1
        else:
            self._failures.append(report)


def _said(failure: dict[str, Any]) -> str:
    text = f": {failure['text']}" if failure.get("text") else ""
    return f"test {failure['test'] + 1}: {failure['raised']}{text}"


def judge_output(outcome: Outcome, expected: str, comparison: Comparison = BY_LINES) -> Outcome:
    """The verdict on a program that has run: `fail` where it printed something else than expected."""
    if outcome.status != "pass":
        return replace(outcome, total=1)
    if same_output(expected, outcome.stdout, comparison):
        return replace(outcome, passed=1, total=1)
    return replace(outcome, status="fail", total=1, detail="another output than expected")


RIGHT, WRONG = (0, 42), (43,)  # exit codes of a checker, 42 and 43 as Kattis'; 1 is what an exception ends with
CHECKED = ("input", "expected", "output")
"""The files that a checker finds in its folder."""


def checked(outcome: Outcome, verdict: Outcome) -> Outcome:
    """The verdict of a checker's run on a program's: `sandbox_error` where the checker itself broke."""
    if outcome.status != "pass":
        return replace(outcome, total=1)
    if verdict.exit_code in RIGHT and verdict.status in ("pass", "runtime_error"):
        return replace(outcome, passed=1, total=1)
    said = (verdict.stdout + verdict.stderr).decode(errors="replace").strip()[-300:]
    if verdict.exit_code in WRONG:
        return replace(outcome, status="fail", total=1, detail=said or "the checker refuses the output")
    return replace(outcome, status="sandbox_error", total=1, detail=f"the checker broke: {verdict.detail} {said}")
