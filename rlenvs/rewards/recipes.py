"""Rubrics of published recipes, and what may be added to them.

A rubric of one's own is made of the same parts:

    Rubric(
        (
            RewardFunction("accuracy", accuracy(template, is_equal)),
            RewardFunction("partial_credit", credit_reward(template, partial_credit), 0.5),
            RewardFunction("language", language_reward("en"), 0.1),
        )
    )
"""

import math
from dataclasses import dataclass
from typing import Literal

from rlenvs.rewards.functions import Credit, Equal, accuracy, credit_reward, format_reward, signed_accuracy
from rlenvs.rewards.language import language_reward
from rlenvs.rewards.templates import Template
from rlenvs.rubric import RewardFunction, Rubric

Recipe = Literal["r1_zero", "dapo", "accuracy"]
"""What is rewarded: accuracy and format (R1-Zero), +1 or -1 for the answer (DAPO), or accuracy alone."""

RECIPE_TEMPLATES: dict[Recipe, str] = {"r1_zero": "r1_zero", "dapo": "dapo"}
"""The template that a recipe was published with; accuracy goes with any."""


def r1_zero_rubric(template: Template, equal: Equal, *, format_weight: float = 1.0) -> Rubric:
    """Accuracy + format_weight · format; correctness is the accuracy alone.

    Raises:
        ValueError: the weight is negative, or no finite number.

    Source: DeepSeek-R1, arXiv:2501.12948 sec. 2.2.
    """
    check_weight("format_weight", format_weight)
    parts = (
        RewardFunction("accuracy", accuracy(template, equal)),
        RewardFunction("format", format_reward(template), format_weight),
    )
    return Rubric(parts, correct="accuracy")


def dapo_rubric(template: Template, equal: Equal) -> Rubric:
    """+1 for the right answer, -1 for any other; correctness is 1 and 0, by which dynamic sampling filters.

    The penalty for overlong replies counts tokens, and is the trainers' to add.

    Source: DAPO, arXiv:2503.14476 sec. 2.4.
    """
    return Rubric((RewardFunction("signed_accuracy", signed_accuracy(template, equal)),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewards:
    """What an environment with final answers rewards, as its options say it.

    Raises:
        ValueError: a weight is negative or no finite number, or the language is none that is known.
    """

    recipe: Recipe = "r1_zero"
    format_weight: float | None = None  # beside accuracy, which has 1; None: 1 in R1-Zero, no such part elsewhere
    language: str = ""  # of the reasoning, a key of `LANGUAGES`; empty: any
    language_weight: float = 1.0
    partial_credit: float = 0.0  # the weight of partial credit; 0: there is none

    def __post_init__(self) -> None:
        for name in ("format_weight", "language_weight", "partial_credit"):
            check_weight(name, getattr(self, name))
        if not self.language and self.language_weight != 1.0:
            raise ValueError(f"language_weight is the weight of a language: got {self.language_weight} and no language")

    def rubric(self, template: Template, equal: Equal, credit: Credit | None = None) -> Rubric:
        """The recipe's rubric and, after its parts, those that were asked for; correctness is the recipe's.

        Args:
            credit: only needed where partial credit is asked for.
        """
        added = []
        if self.format_weight is not None and self.recipe != "r1_zero":
            added.append(RewardFunction("format", format_reward(template), self.format_weight))
        if self.language:
            added.append(RewardFunction("language", language_reward(self.language), self.language_weight))
        if self.partial_credit:
            assert credit is not None, "an environment that offers partial credit says how it is given"
            added.append(RewardFunction("partial_credit", credit_reward(template, credit), self.partial_credit))
        base = self._recipe(template, equal)
        return Rubric((*base.functions, *added), correct=base.correct)

    def _recipe(self, template: Template, equal: Equal) -> Rubric:
        if self.recipe == "dapo":
            return dapo_rubric(template, equal)
        if self.recipe == "accuracy":
            return Rubric((RewardFunction("accuracy", accuracy(template, equal)),))
        return r1_zero_rubric(template, equal, format_weight=1.0 if self.format_weight is None else self.format_weight)


def check_weight(name: str, weight: float | None) -> None:
    """Raise ValueError unless it is a weight, or None."""
    if weight is not None and not 0.0 <= weight < math.inf:
        raise ValueError(f"{name} is a finite number, at least 0: got {weight}")
