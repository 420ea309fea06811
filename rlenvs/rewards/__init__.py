"""Prompt templates, reward functions, and the rubrics that published recipes make of them.

>>> rubric = r1_zero_rubric(TEMPLATES["r1_zero"], rlenvs.verifiers.is_equal)
"""

from rlenvs.rewards.functions import (
    Credit,
    Equal,
    accuracy,
    credit_reward,
    format_reward,
    policy_reply,
    question_of,
    signed_accuracy,
)
from rlenvs.rewards.language import LANGUAGES, language_reward, language_share
from rlenvs.rewards.recipes import RECIPE_TEMPLATES, Recipe, Rewards, dapo_rubric, r1_zero_rubric
from rlenvs.rewards.templates import TEMPLATES, Template, template_named

__all__ = [
    "LANGUAGES",
    "RECIPE_TEMPLATES",
    "TEMPLATES",
    "Credit",
    "Equal",
    "Recipe",
    "Rewards",
    "Template",
    "accuracy",
    "credit_reward",
    "dapo_rubric",
    "format_reward",
    "language_reward",
    "language_share",
    "policy_reply",
    "question_of",
    "r1_zero_rubric",
    "signed_accuracy",
    "template_named",
]
