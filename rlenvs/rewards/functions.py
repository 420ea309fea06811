"""Reward functions over whole conversations: the final answer's correctness, its partial credit, the reply's format.

Whether an answer equals the right one is the business of whoever passes `equal`: `rlenvs.verifiers.is_equal`, or an
environment's own. Several of them make a rubric: see `recipes`.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rlenvs.records import Message, Task
from rlenvs.rewards.templates import Template
from rlenvs.rubric import Grader

Equal = Callable[[Any, str, str], bool]
"""(gold, answer, question) -> whether the answer is right. It raises where that cannot be decided."""

Credit = Callable[[Any, str, str], float]
"""(gold, answer, question) -> how much of the answer is right, 0 to 1: `rlenvs.verifiers.credit.partial_credit`."""


def policy_reply(task: Task, transcript: Sequence[Message]) -> str | None:
    """The policy's last message; None before its first. The prompt's own messages (worked examples) are none."""
    said = [message.content for message in transcript[len(task.prompt) :] if message.role == "assistant"]
    return said[-1] if said else None


def question_of(task: Task) -> str:
    """The problem without the template's words: `metadata["question"]`, else the prompt's last message."""
    return str(task.metadata.get("question", task.prompt[-1].content))


def accuracy(template: Template, equal: Equal) -> Grader:
    """A reward function: 1 if the final answer equals the task's target, else 0. No answer is a wrong answer."""
    return partial(_accuracy, template, equal)


def _accuracy(template: Template, equal: Equal, task: Task, transcript: Sequence[Message]) -> float:
    answer = template.extract(policy_reply(task, transcript) or "")
    return float(answer is not None and equal(task.target, answer, question_of(task)))


def signed_accuracy(template: Template, equal: Equal) -> Grader:
    """A reward function: +1 if the final answer equals the task's target, else -1.

    As the part that decides a rubric's `correct`, it says 1 and 0: a rubric clips.

    Source: DAPO, arXiv:2503.14476 sec. 2.4.
    """
    return partial(_signed_accuracy, template, equal)


def _signed_accuracy(template: Template, equal: Equal, task: Task, transcript: Sequence[Message]) -> float:
    return 2.0 * _accuracy(template, equal, task, transcript) - 1.0


def credit_reward(template: Template, credit: Credit) -> Grader:
    """A reward function: the share of the final answer that is right, from 0 to 1. No answer earns nothing."""
    return partial(_credit, template, credit)


def _credit(template: Template, credit: Credit, task: Task, transcript: Sequence[Message]) -> float:
    answer = template.extract(policy_reply(task, transcript) or "")
    return 0.0 if answer is None else credit(task.target, answer, question_of(task))


def format_reward(template: Template) -> Grader:
    """A reward function: 1 if the policy's last message keeps to the template's format exactly, else 0."""
    return partial(_format, template)


def _format(template: Template, task: Task, transcript: Sequence[Message]) -> float:
    return float(template.is_well_formed(policy_reply(task, transcript) or ""))
