"""Mathematics from data sets, one reply per problem, scored by its final answer.

Data sets and their conventions belong to `rlenvs.data`, prompts and rewards to `rlenvs.rewards`, right or wrong to
`rlenvs.verifiers`.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from rlenvs.data import DATA_SETS, Problem, golds, load_problems
from rlenvs.data.read import convention_of
from rlenvs.data.rows import where_data_is
from rlenvs.env import TextEnv
from rlenvs.options import typed_options
from rlenvs.records import Task
from rlenvs.rewards import LANGUAGES, RECIPE_TEMPLATES, Recipe, Rewards, question_of, template_named
from rlenvs.tasks import TaskList


class MathEnv(TextEnv):
    """Problems with a short answer: GSM8K, MATH-500, AIME, AMC23, Minerva, OlympiadBench, or a file of one's own.

    Each data set has a convention (`rlenvs.data.conventions`): what an answer may be, and the form of a reply that it
    was published with.

    Args:
        dataset: gsm8k, math, math_slice, math500, aime24, aime25, amc23, aimo_aime, aimo_amc, minerva or olympiadbench;
            or the path of a file of JSON lines with `question`, `answer` and perhaps `options`, ending in .jsonl or
            .jsonl.gz.
        split: train or test; empty for the data set's first.
        template: r1_zero, tags, boxed, qwen_boxed, dapo, choice, marked or plain; see `rlenvs.rewards.TEMPLATES`. Empty
            for the one that the rewards were published with; with accuracy alone, for the data set's.
        rewards: r1_zero (accuracy and format), dapo (+1 or -1) or accuracy.
        format_weight: the weight of the format reward beside accuracy, which has 1. By default 1 with r1_zero; the
            others have no such reward.
        language: what the reasoning should be in (ar, en, ja, ko, ru or zh): adds the share of its words that are.
        language_weight: the weight of that share.
        partial_credit: the weight of the share of an answer's parts that are right; 0: there is none. What is
            correct does not depend on it.
        data: a folder, or "hub"; empty for the folder that the variable RLENVS_DATA names.
        limit: only the first so many problems.

    Raises:
        DataError: the data set cannot be read; the message says what to do.
        ValueError: an option is of the wrong kind, or there is no such template or language.
    """

    @typed_options
    def __init__(
        self,
        *,
        dataset: str = "gsm8k",
        split: str = "",
        template: str = "",
        rewards: Recipe = "r1_zero",
        format_weight: float | None = None,
        language: str = "",
        language_weight: float = 1.0,
        partial_credit: float = 0.0,
        data: str = "",
        limit: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(render_mode=render_mode)
        problems = load_problems(dataset, split, data=data, limit=limit)
        convention = convention_of(dataset, problems)
        named = template or RECIPE_TEMPLATES.get(rewards, convention.template)
        self.template = template_named(named)
        self.remark = LANGUAGES[language].remark if language in LANGUAGES else ""
        self.dataset, self.split = dataset, split
        self.tasks = load_tasks(dataset, split, named, where_data_is(data), limit)
        self.num_tasks = len(self.tasks)
        chosen = Rewards(
            recipe=rewards,
            format_weight=format_weight,
            language=language,
            language_weight=language_weight,
            partial_credit=partial_credit,
        )
        self.rubric = chosen.rubric(self.template, convention.is_right, convention.credit)

    def task_at(self, index: int) -> Task:
        """Problem number `index` of the data set."""
        return self.tasks[index]

    def answer_message(self, task: Task) -> str:
        """The reference in the template's form, after a sentence in the language that was asked for."""
        return self.template.render_answer(_answer(task), self.remark)

    def demonstrate(self, rng: np.random.Generator) -> str:  # noqa: ARG002  # there is one solution
        """The data set's worked solution, where it has one, and the answer."""
        assert self.task is not None
        return self.template.render_answer(_answer(self.task), self.task.metadata.get("working") or self.remark)

    def why_unreadable(self, task: Task) -> str:
        """Why no answer but the reference's very text can be right; empty where others can."""
        if isinstance(task.target, dict):
            return "" if _answer(task) else "an empty reference: no option is right"
        return golds.why_unreadable(str(task.target), question_of(task))

    def wrong_answers(self, task: Task) -> Sequence[str]:
        """Answers near the reference that are wrong."""
        target: Any = task.target
        answers = golds.wrong_letters(target) if isinstance(target, dict) else golds.wrong_answers(str(target))
        return [self.template.render_answer(answer) for answer in answers]

    def other_splits(self) -> Sequence[Mapping[str, Any]]:
        """The options of the data set's other splits, each whole."""
        if self.dataset not in DATA_SETS:  # a file of one's own is all there is
            return []
        splits = list(DATA_SETS[self.dataset].splits)
        own = self.split or splits[0]
        return [{"dataset": self.dataset, "split": split, "limit": None} for split in splits if split != own]


def _answer(task: Task) -> str:
    """The reference, of a choice its letter."""
    target: Any = task.target
    return str(target["answer"] if isinstance(target, dict) else target)


@lru_cache(maxsize=32)
def load_tasks(dataset: str, split: str, template: str, data: str, limit: int | None) -> TaskList:
    """The tasks of a data set under a template: one list per process, whatever the number of environments."""
    wrap = template_named(template).wrap
    return TaskList(
        Task(
            id=problem.id,
            prompt=wrap(problem.question),
            target=_target(problem),
            metadata={"source": dataset, "question": problem.question, "working": problem.working},
        )
        for problem in load_problems(dataset, split, data=data, limit=limit)
    )


def _target(problem: Problem) -> Any:
    return {"answer": problem.gold, "options": list(problem.options)} if problem.options else problem.gold
