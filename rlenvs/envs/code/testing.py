"""The program that a conversation gives, and what becomes of it: tested once, whatever asks for the outcome."""

from collections.abc import Sequence
from dataclasses import dataclass

from rlenvs.code.judging import judged
from rlenvs.code.records import CodeProblem, Tests, problem_of
from rlenvs.code.sandboxes import Sandbox
from rlenvs.code.templates import CodeTemplate
from rlenvs.records import Message, Task
from rlenvs.rewards import policy_reply
from rlenvs_sandbox import Outcome, SandboxError

NO_PROGRAM = Outcome(status="fail", total=1, detail="the reply gives no program")


class Tester:
    """Runs the tests of programs. The last outcome is kept: rewards and feedback ask for the same one."""

    def __init__(self, sandbox: Sandbox, template: CodeTemplate) -> None:
        self._sandbox = sandbox
        self.template = template
        self._last: tuple[tuple[Tests, str, str], Outcome] | None = None

    def of_reply(self, task: Task, transcript: Sequence[Message]) -> Outcome:
        """What becomes of the policy's last program with all tests.

        Raises:
            SandboxError: the sandbox was lost, or the tests broke: that says nothing about the program.
        """
        problem = problem_of(task)
        program = self.template.program(policy_reply(task, transcript) or "", problem)
        return NO_PROGRAM if program is None else self.outcome(program, problem, problem.tests)

    def outcome(self, program: str, problem: CodeProblem, tests: Tests) -> Outcome:
        """What becomes of a program with tests of a problem. Raises as `of_reply` does."""
        asked = (tests, program, problem.language)
        last = self._last
        if last is not None and last[0] == asked:
            return last[1]
        runner = self._sandbox.runner()
        outcome = judged(problem.whole(program), tests, runner, problem.limits, language=problem.language)
        if outcome.status == "sandbox_error":
            raise SandboxError(f"{problem.id}: {outcome.detail}")
        self._last = (asked, outcome)
        return outcome


@dataclass(frozen=True, slots=True)
class AllPass:
    """A reward function: 1 if all tests pass, else 0."""

    tester: Tester

    def __call__(self, task: Task, transcript: Sequence[Message]) -> float:
        """1 or 0."""
        return float(self.tester.of_reply(task, transcript).is_pass)


@dataclass(frozen=True, slots=True)
class Fraction:
    """A reward function: the share of tests that pass. No program, or one that ends before its tests, earns nothing."""

    tester: Tester

    def __call__(self, task: Task, transcript: Sequence[Message]) -> float:
        """From 0 to 1."""
        outcome = self.tester.of_reply(task, transcript)
        return outcome.passed / outcome.total if outcome.total else 0.0


@dataclass(frozen=True, slots=True)
class ProgramFormat:
    """A reward function: 1 if the last reply keeps to the template's format, else 0."""

    template: CodeTemplate

    def __call__(self, task: Task, transcript: Sequence[Message]) -> float:
        """1 or 0."""
        reply = policy_reply(task, transcript)
        return float(reply is not None and self.template.is_well_formed(reply, task.metadata["language"]))
