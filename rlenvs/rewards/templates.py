"""Prompt templates: how a problem is asked, how an answer looks, and where the answer stands in a reply.

Whether an answer is right, and what it earns, is the business of `functions` and `recipes` beside this.
"""

import re
from dataclasses import dataclass

from rlenvs.errors import unknown
from rlenvs.records import Message, user
from rlenvs.verifiers.replies.extract import (
    after_marker,
    agreed,
    boxed_answer,
    boxes,
    last_box,
    outside_thinking,
)


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
        return boxed_answer(content) if last_box(content) else content.strip() or None

    def is_well_formed(self, reply: str) -> bool:
        """`<think>…</think><answer>…</answer>` and no further tag; the answer is not empty."""
        if len(_TAGS.findall(reply)) != 4:  # asked first: with more tags the pattern would try them in pairs
            return False
        whole = _FORMAT.fullmatch(reply)
        return whole is not None and bool(whole[1].strip())


class BoxedTemplate(Template):
    r"""Working, then the answer in `\boxed{}`.

    The last box outside thinking that is not empty decides, as in `verifiers.extract`: one that the reply takes back or
    only mentions is none, and neither are two that differ. A box left open gives no answer. Well formed: exactly one
    box outside thinking.
    """

    __slots__ = ()

    def render_answer(self, answer: str, working: str = "") -> str:
        """The working, then the answer in a box on the last line."""
        return f"{working}\n\\boxed{{{answer}}}" if working else f"\\boxed{{{answer}}}"

    def extract(self, reply: str) -> str | None:
        """The answer in the last box."""
        return boxed_answer(outside_thinking(reply))

    def is_well_formed(self, reply: str) -> bool:
        """Exactly one box that is closed and not empty."""
        return len(boxes(outside_thinking(reply)) or ()) == 1


class MarkedTemplate(Template):
    """Working, then a last line that begins with `####` and has the answer: the form of GSM8K's solutions.

    The last `####` outside thinking decides; a reply without one gives no answer, nor does one with two different
    numbers of which none corrects the other. Well formed: one `####`, on the last line, with an answer after it.
    """

    __slots__ = ()

    def render_answer(self, answer: str, working: str = "") -> str:
        """The working, then the marked answer on the last line."""
        return f"{working}\n#### {answer}" if working else f"#### {answer}"

    def extract(self, reply: str) -> str | None:
        """What follows the last `####` on its line."""
        return after_marker(outside_thinking(reply))

    def is_well_formed(self, reply: str) -> bool:
        """One marked answer at the very end."""
        _, _, answer = outside_thinking(reply).strip().partition("####")
        return bool(answer.strip()) and "\n" not in answer and "####" not in answer


class PlainTemplate(MarkedTemplate):
    """No tags: the answer follows the last `####` on its line, or is the whole reply if there is no `####`.

    Well formed: one `####`, on the last line, with an answer after it; or a single line without one. For base models
    shown GSM8K's solutions, and for small policies that cannot afford a preamble.
    """

    __slots__ = ()

    def render_answer(self, answer: str, working: str = "") -> str:
        """The bare answer; after working, on a last line of its own that begins with `####`."""
        return MarkedTemplate.render_answer(self, answer, working) if working else answer

    def extract(self, reply: str) -> str | None:
        """What follows the last `####` on its line; without one, the whole reply."""
        text = outside_thinking(reply)
        return after_marker(text) if "####" in text else text.strip() or None

    def is_well_formed(self, reply: str) -> bool:
        """One marked answer at the very end, or one line."""
        text = outside_thinking(reply).strip()
        return MarkedTemplate.is_well_formed(self, text) if "####" in text else bool(text) and "\n" not in text


_ANSWER_LINE = re.compile(r"Answer\s*:(.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AnswerLineTemplate(Template):
    """Working, then a last line `Answer: …`.

    The last `Answer:` outside thinking decides, up to the end of its line; two different numbers are no answer, if none
    corrects the other. Well formed: the last line alone has one.

    Args:
        window: how many characters at the end of a reply are looked at; 0: all of them.
    """

    window: int = 0

    def render_answer(self, answer: str, working: str = "") -> str:
        """The working, then the answer on the last line."""
        return f"{working}\nAnswer: {answer}" if working else f"Answer: {answer}"

    def extract(self, reply: str) -> str | None:
        """What follows the last `Answer:` on its line, within the window, without the stars of bold type."""
        text = outside_thinking(reply)[-self.window :]
        return agreed(text, list(_ANSWER_LINE.finditer(text)))

    def is_well_formed(self, reply: str) -> bool:
        """The last line begins with `Answer:` and an answer follows; no other line has one."""
        *working, last = outside_thinking(reply).strip().split("\n")
        found = _ANSWER_LINE.match(last)
        return found is not None and bool(found[1].strip()) and not any(map(_ANSWER_LINE.search, working))


TEMPLATES: dict[str, Template] = {
    "r1_zero": TaggedTemplate(
        "Solve the problem below. First think it through, then state the final answer. Put the reasoning between"
        " <think> and </think> and only the final answer between <answer> and </answer>, like this:"
        " <think>reasoning here</think> <answer>final answer here</answer>\n\n{question}"
    ),
    "tags": TaggedTemplate("{question}"),
    "boxed": BoxedTemplate("{question}\n\nReason step by step, and put the final answer in \\boxed{}."),
    # QwenLM/Qwen2.5-Math, evaluation/utils.py, prompt type qwen-boxed.
    "qwen_boxed": BoxedTemplate("{question}\nPlease reason step by step, and put your final answer within \\boxed{}."),
    # BytedTsinghua-SIA/DAPO-Math-17k, and verl's reward_score/math_dapo.py for the window.
    "dapo": AnswerLineTemplate(
        "Solve the following math problem step by step. The last line of your response should be of the form Answer:"
        " $Answer (without quotes) where $Answer is the answer to the problem.\n\n{question}\n\nRemember to put your"
        ' answer on its own line after "Answer:".',
        window=300,
    ),
    # openai/simple-evals, common.py, for four options; here the options' letters are not named.
    "choice": AnswerLineTemplate(
        "Answer the following multiple choice question. The last line of your response should be of the following"
        " format: 'Answer: $LETTER' (without quotes) where LETTER is one of the options' letters. Think step by step"
        " before answering.\n\n{question}"
    ),
    "marked": MarkedTemplate(
        "{question}\n\nWork it out step by step. The last line of your reply is #### and then the answer, a number"
        " alone, like this: #### 42"
    ),
    "plain": PlainTemplate(),
}
"""The built-in templates by name: r1_zero (asks for think and answer tags), tags (expects them without asking, of a
policy that knows the format), boxed, qwen_boxed (the published wording), dapo and choice (a last line `Answer: …`),
marked (a last line `#### …`, as GSM8K has it), plain (no tags, no instructions)."""


def template_named(name: str) -> Template:
    """The template of that name.

    Raises:
        ValueError: there is none; the message names the near miss.
    """
    if name not in TEMPLATES:
        raise ValueError(unknown("template", name, TEMPLATES))
    return TEMPLATES[name]
