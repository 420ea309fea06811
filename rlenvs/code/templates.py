"""How a programming problem is asked, how a program is given, and whether a reply keeps to that.

Which program a reply gives belongs to `programs`.
"""

import re
from dataclasses import dataclass

from rlenvs.code.programs import is_fenced_once, program_of
from rlenvs.code.records import CodeProblem
from rlenvs.errors import unknown
from rlenvs.records import Message, user

_NAMES = {"cpp": "C++", "c": "C", "javascript": "JavaScript", "go": "Go"}


def language_name(language: str) -> str:
    """A language's name as people write it."""
    return _NAMES.get(language, language.capitalize())


@dataclass(frozen=True, slots=True)
class CodeTemplate:
    """Words, then the program in one fenced block.

    Args:
        prompt: the user's message: `{question}` is the problem, `{language}` the language's name, `{fence}` what opens
            its blocks.
        stub_prompt: the same for a problem that is a stub to be continued; empty: as `prompt`.
    """

    prompt: str = "{question}"
    stub_prompt: str = ""

    def ask(self, problem: CodeProblem) -> tuple[Message, ...]:
        """The prompt messages for a problem."""
        text = self.stub_prompt if problem.stub and self.stub_prompt else self.prompt
        for name, value in (
            ("language", language_name(problem.language)),
            ("fence", problem.language),
            ("question", problem.prompt),  # last: what it holds is not filled in
        ):
            text = text.replace(f"{{{name}}}", value)
        return (user(text),)

    def render(self, program: str, problem: CodeProblem, working: str = "") -> str:
        """A well-formed reply that gives this program."""
        block = f"```{problem.language}\n{program.rstrip()}\n```"
        return f"{working}\n\n{block}" if working else block

    def program(self, reply: str, problem: CodeProblem) -> str | None:
        """The program that a reply gives; None where it gives none."""
        return program_of(reply, entry_point=problem.entry_point, stub=problem.stub, language=problem.language)

    def is_well_formed(self, reply: str, language: str) -> bool:
        """Whether a reply keeps to the format: exactly one block of the language outside thinking, closed."""
        return is_fenced_once(reply, language)


_TAGS = re.compile(r"</?(?:think|answer)>")
_FORMAT = re.compile(r"\s*<think>.*</think>\s*<answer>(.*)</answer>\s*", re.DOTALL)


class TaggedCodeTemplate(CodeTemplate):
    """`<think>words</think> <answer>the program in one fenced block</answer>`: the R1-Zero format."""

    __slots__ = ()

    def render(self, program: str, problem: CodeProblem, working: str = "") -> str:
        """The words in think tags, the program in answer tags."""
        block = CodeTemplate.render(self, program, problem)
        return f"<think>{working}</think>\n<answer>\n{block}\n</answer>"

    def is_well_formed(self, reply: str, language: str) -> bool:
        """Each of the four tags once, in order, with nothing outside, and one block in the answer."""
        if len(_TAGS.findall(reply)) != 4:  # asked first: with more tags the pattern would try them in pairs
            return False
        whole = _FORMAT.fullmatch(reply)
        return whole is not None and is_fenced_once(whole[1], language)


class PlainCodeTemplate(CodeTemplate):
    """The problem alone, and the program alone: for base models, which continue a stub, and for small policies."""

    __slots__ = ()

    def render(self, program: str, problem: CodeProblem, working: str = "") -> str:  # noqa: ARG002  # no place for it
        """The program; of one that continues the stub, what comes after it."""
        return program.removeprefix(problem.stub)

    def is_well_formed(self, reply: str, language: str) -> bool:  # noqa: ARG002  # any text is a program's
        """Whether there is anything, without fences or tags."""
        return bool(reply.strip()) and "```" not in reply and not _TAGS.search(reply)


CODE_TEMPLATES: dict[str, CodeTemplate] = {
    "fenced": CodeTemplate(
        "{question}\n\nWrite a program in {language}. You may think first; then give the whole program in one block"
        " that begins with ```{fence} and ends with ```.",
        "Complete this function:\n\n```{fence}\n{question}```\n\nYou may think first; then give the whole program,"
        " with the function's head and the imports it needs, in one block that begins with ```{fence} and ends with"
        " ```.",
    ),
    # evalplus/evalplus, evalplus/codegen.py and provider/utility.py: the instruction for chat models.
    "evalplus": CodeTemplate(
        "Please provide a self-contained Python script that solves the following problem in a markdown code block:\n"
        "```\n{question}\n```"
    ),
    "r1_zero": TaggedCodeTemplate(
        "Solve the programming problem below in {language}. First think it through, then give the whole program. Put"
        " the reasoning between <think> and </think>, and between <answer> and </answer> only the program, in one block"
        " that begins with ```{fence} and ends with ```.\n\n{question}"
    ),
    "plain": PlainCodeTemplate(),
}
"""The templates by name: fenced (a block after any words), evalplus (the published wording), r1_zero (think and answer
tags), plain (the problem and the program alone)."""


def code_template_named(name: str) -> CodeTemplate:
    """The template of that name.

    Raises:
        ValueError: there is none; the message names the near miss.
    """
    if name not in CODE_TEMPLATES:
        raise ValueError(unknown("template for programs", name, CODE_TEMPLATES))
    return CODE_TEMPLATES[name]
