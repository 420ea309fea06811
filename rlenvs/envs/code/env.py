"""`CodeEnv`: programming problems from data sets, judged by their tests.

Data sets and how their problems are judged belong to `rlenvs.code`.
"""

from functools import lru_cache

from rlenvs.code.data import load_code_problems
from rlenvs.code.sandboxes import Sandbox
from rlenvs.code.templates import code_template_named
from rlenvs.data.rows import where_data_is
from rlenvs.envs.code.base import CodeRewards, ProgramEnv
from rlenvs.envs.code.feedback import Feedback
from rlenvs.options import typed_options
from rlenvs.records import Task
from rlenvs.tasks import TaskList
from rlenvs_sandbox.levels import Level


class CodeEnv(ProgramEnv):
    """Programming problems: HumanEval and MBPP, both also with EvalPlus' tests, Kattis' contests, APPS.

    A program is judged by tests that it never holds, in a sandbox. A sandbox that is lost makes the episode an error,
    never a reward of 0.

    Args:
        dataset: humaneval, humaneval_plus, mbpp, mbpp_sanitized, mbpp_plus, kattis or apps.
        split: train, test, validation or prompt, where the data set has it; empty for its first: train, where there is
            one.
        template: fenced, evalplus, r1_zero or plain; see `rlenvs.code.templates`.
        rewards: all_pass (1 if all tests pass) or fraction (the share that do).
        format_weight: the weight of keeping to the template's format; 0: no such reward.
        max_attempts: programs in one episode, which ends with the first that passes all tests.
        feedback: what is told between attempts: examples, tests or status; see `rlenvs.envs.code.feedback`.
        sandbox: bubblewrap, docker, process, or what a plug-in registers.
        level: what the sandbox must hold on this machine: limits, isolated or strict; see `rlenvs_sandbox.levels`.
        data: a folder, or "hub"; empty for the folder that the variable RLENVS_DATA names.
        limit: only the first so many problems.

    Raises:
        DataError: the data set cannot be read; the message says what to do.
        MakingError: the sandbox cannot be opened, or does not hold what it has to.
        ValueError: an option is of the wrong kind, or there is no such template.
    """

    @typed_options
    def __init__(
        self,
        *,
        dataset: str = "mbpp",
        split: str = "",
        template: str = "fenced",
        rewards: CodeRewards = "all_pass",
        format_weight: float = 0.0,
        max_attempts: int = 1,
        feedback: Feedback = "examples",
        sandbox: str = "bubblewrap",
        level: Level = "isolated",
        data: str = "",
        limit: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.tasks = _tasks(dataset, split, template, where_data_is(data), limit)
        self.num_tasks = len(self.tasks)
        super().__init__(
            template=template,
            rewards=rewards,
            format_weight=format_weight,
            max_attempts=max_attempts,
            feedback=feedback,
            sandbox=Sandbox(name=sandbox, level=level),
            render_mode=render_mode,
        )

    def task_at(self, index: int) -> Task:
        """Problem number `index` of the data set."""
        return self.tasks[index]


@lru_cache(maxsize=32)
def _tasks(dataset: str, split: str, template: str, data: str, limit: int | None) -> TaskList:
    """One list per process, whatever the number of environments."""
    ask = code_template_named(template).ask
    problems = load_code_problems(dataset, split, data=data, limit=limit)
    return TaskList(problem.as_task(ask(problem)) for problem in problems)
