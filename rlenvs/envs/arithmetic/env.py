"""`ArithmeticEnv`: single-turn arithmetic without end, from families with levels."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rlenvs.env import TextEnv
from rlenvs.envs.arithmetic.answers import is_equal
from rlenvs.envs.arithmetic.problem import Form, Problem
from rlenvs.envs.arithmetic.source import FAMILIES, Place, Split, place_at, problem_at
from rlenvs.envs.procedural import Levels, levels_by_family, table_of
from rlenvs.options import typed_options
from rlenvs.records import Task
from rlenvs.rewards import RECIPE_TEMPLATES, Recipe, Rewards, Template, template_named


class ArithmeticEnv(TextEnv):
    """One question, one reply; exact answers, and worked solutions to learn from.

    Task `index` is the same at every call and on every machine. Its family and level are drawn by the index, families
    equally often and a family's levels equally often.

    Args:
        families: names from the table below; None: all of them.
        levels: which levels to draw, a list for all families or a list by family; None, or a family left out: all.
        split: "train" or "test". One question in ten is a test question, by a hash of its text: none is in both.
        template: how a question is asked and an answer given; a name of `rlenvs.rewards.TEMPLATES`. Empty for the one
            that the rewards were published with, or r1_zero.
        rewards: r1_zero (accuracy and format), dapo (+1 or -1) or accuracy.
        format_weight: what keeping to the template's format is worth, beside 1 for the right answer. By default 1 with
            r1_zero; the others have no such reward.
        mistake_rate: the share of demonstrations that make the family's typical mistake and come out wrong: a warm
            start on them knows the right way and seldom takes it.

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
        template: str = "",
        rewards: Recipe = "r1_zero",
        format_weight: float | None = None,
        mistake_rate: float = 0.0,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(render_mode=render_mode)
        self.levels = levels_by_family(FAMILIES, families, levels)
        if not 0.0 <= mistake_rate <= 1.0:
            raise ValueError(f"mistake_rate is a share from 0 to 1: got {mistake_rate}")
        self.split, self.mistake_rate = split, mistake_rate
        self.template: Template = template_named(template or RECIPE_TEMPLATES.get(rewards, "r1_zero"))
        self.rubric = Rewards(recipe=rewards, format_weight=format_weight).rubric(self.template, _equal)

    def task_at(self, index: int) -> Task:
        """Task number `index`. Its id says where it comes from: arithmetic/split/family/level/index."""
        if index < 0:
            raise ValueError(f"a task's index is at least 0: got {index}")
        place = place_at(index, self.levels)
        problem = problem_at(place, self.split)
        form = problem.form
        return Task(
            id=f"arithmetic/{self.split}/{place.family}/{place.level}/{index}",
            prompt=self.template.wrap(problem.question),
            target={"answer": problem.answer, "kind": form.kind, "unit": form.unit, "unknown": form.unknown},
            metadata=_metadata(place, problem),
        )

    def answer_message(self, task: Task) -> str:
        """The right answer with its working, in the template's form."""
        return self._rendered(task.metadata["working"], task.target["answer"])

    def demonstrate(self, rng: np.random.Generator) -> str:
        """A worked solution; with probability `mistake_rate` one that makes the family's typical mistake."""
        assert self.task is not None
        if rng.random() >= self.mistake_rate:
            return self.answer_message(self.task)
        mistake = self.task.metadata["mistake"]
        return self._rendered(mistake["working"], mistake["answer"])

    def _rendered(self, lines: Sequence[str], answer: str) -> str:
        return self.template.render_answer(answer, "\n".join(lines))


def _equal(target: Any, answer: str, _: str) -> bool:
    return is_equal(answer, target["answer"], Form(kind=target["kind"], unit=target["unit"], unknown=target["unknown"]))


def _metadata(place: Place, problem: Problem) -> dict[str, Any]:
    return {
        "family": place.family,
        "level": place.level,
        "kind": problem.form.kind,
        "question": problem.question,
        "working": list(problem.working),
        "mistake": {"working": list(problem.wrong.lines), "answer": problem.wrong.answer},
    }


ArithmeticEnv.__doc__ = f"{(ArithmeticEnv.__doc__ or '').rstrip()}\n{table_of(FAMILIES)}\n"
