"""`CodeGenEnv`: programming problems without end, from families with levels, judged by generated tests."""

from collections.abc import Sequence

import numpy as np

from rlenvs.code.records import problem_of
from rlenvs.code.sandboxes import Sandbox
from rlenvs.envs.code.base import CodeRewards, ProgramEnv
from rlenvs.envs.code.feedback import Feedback
from rlenvs.envs.codegen.source import FAMILIES, Split, place_at, problem_at
from rlenvs.envs.procedural import Levels, levels_by_family, table_of
from rlenvs.options import typed_options
from rlenvs.records import Task
from rlenvs_sandbox.levels import Level


class CodeGenEnv(ProgramEnv):
    """A small program is asked for, in words and with two or three examples; tests say whether it is right.

    Task `index` is the same at every call and on every machine. Its family and level are drawn by the index, families
    equally often and a family's levels equally often. Tests are chosen so that they tell the right program from those
    with one piece changed, as people get it wrong.

    Args:
        families: names from the table below; None: all of them.
        levels: which levels to draw, a list for all families or a list by family; None, or a family left out: all.
        split: "train" or "test". One problem in ten is a test problem, by a hash of its words: none is in both.
        template: fenced, evalplus, r1_zero or plain; see `rlenvs.code.templates`.
        rewards: all_pass (1 if all tests pass) or fraction (the share that do).
        format_weight: the weight of keeping to the template's format; 0: no such reward.
        max_attempts: programs in one episode, which ends with the first that passes all tests.
        feedback: what is told between attempts: examples (those in the question), tests or status.
        mistake_rate: the share of demonstrations that make the family's typical mistake and are wrong: a warm start on
            them knows the right way and seldom takes it.
        sandbox: bubblewrap, docker, process, or what a plug-in registers.
        level: what the sandbox must hold on this machine: limits, isolated or strict; see `rlenvs_sandbox.levels`.

    Raises:
        MakingError: the sandbox cannot be opened, or does not hold what it has to.
        ValueError: an option is of the wrong kind, or there is no such family, level or template.

    Families and their levels, from 1:
    """

    num_tasks = None

    @typed_options
    def __init__(
        self,
        *,
        families: Sequence[str] | None = None,
        levels: Levels | None = None,
        split: Split = "train",
        template: str = "fenced",
        rewards: CodeRewards = "all_pass",
        format_weight: float = 0.0,
        max_attempts: int = 1,
        feedback: Feedback = "examples",
        mistake_rate: float = 0.0,
        sandbox: str = "bubblewrap",
        level: Level = "isolated",
        render_mode: str | None = None,
    ) -> None:
        self.levels = levels_by_family(FAMILIES, families, levels)
        if not 0.0 <= mistake_rate <= 1.0:
            raise ValueError(f"mistake_rate is a share from 0 to 1: got {mistake_rate}")
        self.split, self.mistake_rate = split, mistake_rate
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
        """Task number `index`. Its id says where it comes from: codegen/split/family/level/index."""
        if index < 0:
            raise ValueError(f"a task's index is at least 0: got {index}")
        place = place_at(index, self.levels)
        problem = problem_at(place, self.split)
        code_problem = problem.as_code_problem(
            f"codegen/{self.split}/{place.family}/{place.level}/{index}",
            {"family": place.family, "level": place.level, "mistake": problem.wrong},
        )
        return code_problem.as_task(self.template.ask(code_problem))

    def demonstrate(self, rng: np.random.Generator) -> str:
        """The right program; with probability `mistake_rate` the one that makes the family's typical mistake."""
        assert self.task is not None
        if rng.random() >= self.mistake_rate:
            return self.answer_message(self.task)
        return self._mistaken(self.task)

    def wrong_answers(self, task: Task) -> Sequence[str]:
        """The family's typical mistake, and programs that cannot be right."""
        return [self._mistaken(task), *super().wrong_answers(task)]

    def _mistaken(self, task: Task) -> str:
        return self.template.render(task.metadata["mistake"], problem_of(task))


CodeGenEnv.__doc__ = f"{(CodeGenEnv.__doc__ or '').rstrip()}\n{table_of(FAMILIES)}\n"
