"""Prompt templates, and the reward functions of the R1-Zero recipe: accuracy of the final answer, and format.

A template says how a problem is asked, how an answer looks, and where the answer stands in a reply. Whether an answer
equals the right one is the business of whoever passes `equal`: `rlenvs.verifiers.is_equal`, or an environment's own.

Source: DeepSeek-R1, arXiv:2501.12948 sec. 2.2.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from rlenvs.errors import unknown
from rlenvs.records import Message, Task, user
from rlenvs.rubric import Grader, RewardFunction, Rubric
from rlenvs.verifiers.extract import after_marker, boxes, last_box, outside_thinking

Equal = Callable[[Any, str, str], bool]
"""(gold, answer, question) -> whether the answer is right. It raises where that cannot be decided."""


@dataclass(frozen=True, slots=True)
class Template:
    """How a problem is asked and an answer given.

    Args:
        prompt: the user's message, with `{question}` where the problem goes.
    """

    prompt: str = "{question}"

    def wrap(self, question: str) -> tuple[Message, ...]:
        """The prompt messages for a problem."""
        return (user(self.prompt.replace("{question}", question)),)

    def render_answer(self, answer: str, working: str = "") -> str:
        """A well-formed reply with this final answer."""
        raise NotImplementedError

    def extract(self, reply: str) -> str | None:
        """The final answer as the policy gave it; None where it gave none. Nothing inside `<think>` counts."""
        raise NotImplementedError

    def is_well_formed(self, reply: str) -> bool:
        """Whether the reply keeps to the format exactly."""
        raise NotImplementedError


_TAGS = re.compile(r"</?(?:think|answer)>")
_FORMAT = re.compile(r"\s*<think>.*</think>\s*<answer>(.*)</answer>\s*", re.DOTALL)


class TaggedTemplate(Template):
    """`<think>working</think> <answer>answer</answer>`: the R1-Zero format.

    The last `<answer>` outside thinking decides, up to the first `</answer>` after it (so of nested tags the inner
    one): left open or empty it gives no answer. Well formed: each of the four tags once, in order, nothing outside.
    """

    __slots__ = ()

    def render_answer(self, answer: str, working: str = "") -> str:
        """The working in think tags, the answer in answer tags."""
        return f"<think>{working}</think>\n<answer>{answer}</answer>"

    def extract(self, reply: str) -> str | None:
        """The text of the last answer tag; if it holds a box, what is in the last box."""
        _, opening, rest = outside_thinking(reply).rpartition("<answer>")
        content, closing, _ = rest.partition("</answer>")
        if not (opening and closing):
            return None
        return last_box(content) or content.strip() or None

    def is_well_formed(self, reply: str) -> bool:
        """`<think>…</think><answer>…</answer>` and no further tag; the answer is not empty."""
        if len(_TAGS.findall(reply)) != 4:  # asked first: with more tags the pattern would try them in pairs
            return False
        whole = _FORMAT.fullmatch(reply)
        return whole is not None and bool(whole[1].strip())


class BoxedTemplate(Template):
    r"""Working, then the answer in `\boxed{}`.

    The last box outside thinking that is not empty decides; a box left open gives no answer. Well formed: exactly
    one box outside thinking.
    """

    __slots__ = ()

    def render_answer(self, answer: str, working: str = "") -> str:
        """The working, then the answer in a box on the last line."""
        return f"{working}\n\\boxed{{{answer}}}" if working else f"\\boxed{{{answer}}}"

    def extract(self, reply: str) -> str | None:
        """The content of the last box."""
        return last_box(outside_thinking(reply))

    def is_well_formed(self, reply: str) -> bool:
        """Exactly one box that is closed and not empty."""
        return len(boxes(outside_thinking(reply)) or ()) == 1


class PlainTemplate(Template):
    """No tags: the answer follows the last `####` on its line, or is the whole reply if there is no `####`.

    Well formed: one `####`, on the last line, with an answer after it; or a single line without one. For base models
    shown GSM8K's solutions, and for small policies that cannot afford a preamble.
    """

    __slots__ = ()

    def render_answer(self, answer: str, working: str = "") -> str:
        """The bare answer; after working, on a last line of its own that begins with `####`."""
        return f"{working}\n#### {answer}" if working else answer

    def extract(self, reply: str) -> str | None:
        """What follows the last `####` on its line; without one, the whole reply."""
        text = outside_thinking(reply)
        return after_marker(text) if "####" in text else text.strip() or None

    def is_well_formed(self, reply: str) -> bool:
        """One marked answer at the very end, or one line."""
        text = outside_thinking(reply).strip()
        before, marker, answer = text.partition("####")
        if not marker:
            return bool(before) and "\n" not in before
        return bool(answer.strip()) and "\n" not in answer and "####" not in answer


TEMPLATES: dict[str, Template] = {
    "r1_zero": TaggedTemplate(
        "Solve the problem below. First think it through, then state the final answer. Put the reasoning between"
        " <think> and </think> and only the final answer between <answer> and </answer>, like this:"
        " <think>reasoning here</think> <answer>final answer here</answer>\n\n{question}"
    ),
    "tags": TaggedTemplate("{question}"),
    "boxed": BoxedTemplate("{question}\n\nReason step by step, and put the final answer in \\boxed{}."),
    "plain": PlainTemplate(),
}
"""The built-in templates by name: r1_zero (asks for think and answer tags), tags (expects them without asking, of a
policy that knows the format), boxed, plain (no tags, no instructions)."""


def template_named(name: str) -> Template:
    """The template of that name.

    Raises:
        ValueError: there is none; the message names the near miss.
    """
    if name not in TEMPLATES:
        raise ValueError(unknown("template", name, TEMPLATES))
    return TEMPLATES[name]


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


def format_reward(template: Template) -> Grader:
    """A reward function: 1 if the policy's last message keeps to the template's format exactly, else 0."""
    return partial(_format, template)


def _format(template: Template, task: Task, transcript: Sequence[Message]) -> float:
    return float(template.is_well_formed(policy_reply(task, transcript) or ""))


def r1_zero_rubric(template: Template, equal: Equal, *, format_weight: float = 1.0) -> Rubric:
    """Accuracy + format_weight · format; correctness is the accuracy alone.

    Raises:
        ValueError: the weight is negative, or no finite number.
    """
    if not 0.0 <= format_weight < math.inf:
        raise ValueError(f"format_weight is a finite number, at least 0: got {format_weight}")
    parts = (
        RewardFunction("accuracy", accuracy(template, equal)),
        RewardFunction("format", format_reward(template), format_weight),
    )
    return Rubric(parts, correct="accuracy")
