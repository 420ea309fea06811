"""Mathematics from data sets, one reply per problem, scored by the R1-Zero rewards.

Data sets belong to `rlenvs.data`, prompts and rewards to `rlenvs.rewards`, right or wrong to `rlenvs.verifiers`.
"""

from functools import lru_cache

import numpy as np

from rlenvs.data import load_problems
from rlenvs.data.read import where_data_is
from rlenvs.env import TextEnv
from rlenvs.options import typed_options
from rlenvs.records import Task
from rlenvs.rewards import r1_zero_rubric, template_named
from rlenvs.tasks import TaskList
from rlenvs.verifiers import is_equal


class MathEnv(TextEnv):
    """Problems with a short answer: GSM8K, MATH-500, AIME, AMC23, Minerva, OlympiadBench.

    Args:
        dataset: gsm8k, math, math_slice, math500, aime24, aime25, amc23, aimo_aime, aimo_amc, minerva or olympiadbench.
        split: train or test; empty for the data set's first.
        template: r1_zero, tags, boxed or plain; see `rlenvs.rewards.TEMPLATES`.
        data: a folder, or "hub"; empty for the folder that the variable RLENVS_DATA names.
        limit: only the first so many problems.
        format_weight: the weight of the format reward beside accuracy, which has 1.

    Raises:
        DataError: the data set cannot be read; the message says what to do.
        ValueError: an option is of the wrong kind, or there is no such template.
    """

    @typed_options
    def __init__(
        self,
        *,
        dataset: str = "gsm8k",
        split: str = "",
        template: str = "r1_zero",
        data: str = "",
        limit: int | None = None,
        format_weight: float = 1.0,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(render_mode=render_mode)
        self.template = template_named(template)
        self.tasks = load_tasks(dataset, split, template, where_data_is(data), limit)
        self.num_tasks = len(self.tasks)
        self.rubric = r1_zero_rubric(self.template, is_equal, format_weight=format_weight)

    def task_at(self, index: int) -> Task:
        """Problem number `index` of the data set."""
        return self.tasks[index]

    def answer_message(self, task: Task) -> str:
        """The reference in the template's form."""
        return self.template.render_answer(task.target)

    def demonstrate(self, rng: np.random.Generator) -> str:  # noqa: ARG002  # there is one solution
        """The data set's worked solution, where it has one, and the answer."""
        assert self.task is not None
        return self.template.render_answer(self.task.target, self.task.metadata.get("working", ""))


@lru_cache(maxsize=32)
def load_tasks(dataset: str, split: str, template: str, data: str, limit: int | None) -> TaskList:
    """The tasks of a data set under a template: one list per process, whatever the number of environments."""
    wrap = template_named(template).wrap
    return TaskList(
        Task(
            id=problem.id,
            prompt=wrap(problem.question),
            target=problem.gold,
            metadata={"source": dataset, "question": problem.question, "working": problem.working},
        )
        for problem in load_problems(dataset, split, data=data, limit=limit)
    )
