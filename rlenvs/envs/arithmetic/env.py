"""`ArithmeticEnv`: single-turn arithmetic without end, from families with levels."""

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import numpy as np

from rlenvs.env import TextEnv
from rlenvs.envs.arithmetic.answers import is_equal
from rlenvs.envs.arithmetic.problem import Form, Problem
from rlenvs.envs.arithmetic.source import FAMILIES, Place, Split, place_at, problem_at
from rlenvs.errors import unknown
from rlenvs.options import typed_options
from rlenvs.records import Task
from rlenvs.rewards import RECIPE_TEMPLATES, Recipe, Rewards, Template, template_named

Levels = Sequence[int] | Mapping[str, Sequence[int]]


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
        self.levels = _levels_by_family(_known_families(families), levels)
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


def _known_families(names: Sequence[str] | None) -> tuple[str, ...]:
    if names is None:
        return tuple(FAMILIES)
    if not names:
        raise ValueError("families is a list of names, at least one, or None for all: got an empty one")
    for name in names:
        if name not in FAMILIES:
            raise ValueError(unknown("family", name, FAMILIES))
    return tuple(names)


def _levels_by_family(families: Sequence[str], levels: Levels | None) -> dict[str, tuple[int, ...]]:
    if isinstance(levels, Mapping):
        for name in levels:
            if name not in families:
                raise ValueError(unknown("chosen family", name, families))
        return {name: _checked_levels(name, levels.get(name)) for name in families}
    return {name: _checked_levels(name, levels) for name in families}


def _checked_levels(family: str, levels: Sequence[int] | None) -> tuple[int, ...]:
    highest = len(FAMILIES[family].levels)
    if levels is None:
        return tuple(range(1, highest + 1))
    if not levels or not all(1 <= level <= highest for level in levels):
        raise ValueError(f"levels of {family} are a list of integers from 1 to {highest}: got {list(levels)}")
    return tuple(levels)


def _table() -> str:
    rows = []
    for family in FAMILIES.values():
        levels = "; ".join(f"{i}: {text}" for i, text in enumerate(family.levels, start=1))
        rows += [_wrapped(f"{family.name}: {family.draw.__doc__ or ''}", 8), _wrapped(f"{levels}.", 12)]
    return "\n".join(rows)


def _wrapped(text: str, indent: int) -> str:
    return fill(" ".join(text.split()), 120, initial_indent=" " * indent, subsequent_indent=" " * 12)


ArithmeticEnv.__doc__ = f"{(ArithmeticEnv.__doc__ or '').rstrip()}\n{_table()}\n"
