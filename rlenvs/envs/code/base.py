"""`ProgramEnv`: what every environment has in common in which a policy writes a program that is tested in a sandbox."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from rlenvs.code.records import CodeProblem, problem_of
from rlenvs.code.sandboxes import Sandbox
from rlenvs.code.templates import code_template_named
from rlenvs.env import Response, TextEnv
from rlenvs.envs.code.feedback import Feedback, feedback_on, no_program, status_of
from rlenvs.envs.code.testing import AllPass, Fraction, ProgramFormat, Tester
from rlenvs.errors import NoAnswerError
from rlenvs.records import Task, user
from rlenvs.rewards.recipes import check_weight
from rlenvs.rubric import RewardFunction, Rubric
from rlenvs_sandbox import Outcome

CodeRewards = Literal["all_pass", "fraction"]
"""What is rewarded: that all tests pass, or the share of them that do. Correct is a program that passes all."""


class ProgramEnv(TextEnv):
    """A policy is asked for a program, and may mend it; the last one counts.

    A subclass gives `task_at`, whose tasks are made by `CodeProblem.as_task(self.template.ask(problem))`.
    """

    def __init__(
        self,
        *,
        template: str,
        rewards: CodeRewards,
        format_weight: float,
        max_attempts: int,
        feedback: Feedback,
        sandbox: Sandbox,
        render_mode: str | None,
    ) -> None:
        """Args:
            max_attempts: programs in one episode; it ends with the first that passes.
            feedback: what is told between attempts.

        Raises:
            MakingError: the sandbox is unknown, cannot be opened, or does not hold what it has to.
            ValueError: there is no such template, a weight is negative, or there are no attempts.
        """
        super().__init__(render_mode=render_mode)
        if max_attempts < 1:
            raise ValueError(f"max_attempts is at least 1: got {max_attempts}")
        check_weight("format_weight", format_weight)
        sandbox.check()
        self.max_turns = max_attempts
        self.template = code_template_named(template)
        self.feedback = feedback
        self.tester = Tester(sandbox, self.template)
        self.rubric = _rubric(self.tester, rewards, format_weight)

    def respond(self, action: str) -> Response:
        """What became of the program, while it does not pass and there are attempts left."""
        assert self.task is not None
        if self.num_turns + 1 >= self.max_turns:
            return Response(ending="completed")
        problem = problem_of(self.task)
        program = self.template.program(action, problem)
        if program is None:
            return Response(messages=(user(no_program(problem.language)),))
        outcome = self.tester.outcome(program, problem, problem.tests)
        if outcome.is_pass:
            return Response(ending="completed")
        return Response(messages=(user(self._told(program, problem, outcome)),))

    def _told(self, program: str, problem: CodeProblem, outcome: Outcome) -> str:
        """What is told of a program that did not pass: of the examples, if it fails one of them, else of all tests."""
        if self.feedback == "status":
            return status_of(outcome)
        if problem.examples is not None and self.feedback == "examples":
            examples = self.tester.outcome(program, problem, problem.examples)
            if not examples.is_pass:
                return feedback_on(examples, of="example", in_full=True)
        return feedback_on(outcome, of="test", in_full=self.feedback == "tests")

    def answer_message(self, task: Task) -> str:
        """The data set's own solution, in the template's form."""
        problem = problem_of(task)
        if not problem.solution:
            raise NoAnswerError(type(self).__name__, task.id)
        return self.template.render(problem.solution, problem)

    def demonstrate(self, rng: np.random.Generator) -> str:  # noqa: ARG002  # there is one solution
        """The data set's own solution."""
        assert self.task is not None
        return self.answer_message(self.task)

    def wrong_answers(self, task: Task) -> Sequence[str]:
        """Programs that cannot be right: one that does nothing, and one that ends the process as if all were well."""
        problem = problem_of(task)
        return [self.template.render(program, problem) for program in _WRONG]


_WRONG = ("pass", "import os\nos._exit(0)")


def _rubric(tester: Tester, rewards: CodeRewards, format_weight: float) -> Rubric:
    functions: list[Any] = [RewardFunction("all_pass", AllPass(tester), weight=float(rewards == "all_pass"))]
    if rewards == "fraction":
        functions.append(RewardFunction("fraction", Fraction(tester)))
    if format_weight:
        functions.append(RewardFunction("format", ProgramFormat(tester.template), format_weight))
    return Rubric(tuple(functions), correct="all_pass")
