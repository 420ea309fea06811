"""Laws of extraction: a program is the same however it is wrapped; no text raises or keeps it busy."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rlenvs.code.programs import is_fenced_once, program_of

LENGTH = 100_000
LIMIT_S = 4.0  # of processor time; a loop in a loop over the text takes minutes

STATEMENTS = (
    "y = x + 1", "for i in range(3):\n        x += i", 'z = """\nat the margin\n\n   ```\n"""', "return x",
    "text = '```'", 'w = "it\'s # no comment"', "if x:\n        return [\n            x,\n        ]", "# a comment",
    "while False:\n        pass", 'v = f"{x}```{x}"', "u = {'a': (1, 2)}", "def inner():\n        return x",
    's = "a\\\nb"', "'''inner docstring\n    ~~~\n'''", "t = x \\\n        + 1",
)  # fmt: skip
BEFORE = (
    "import math\n",
    "from typing import List\n\n",
    "LIMIT = 3\n",
    "def h(x):\n    return f(x)\n\n\n",
    "# top\n",
    "",
)
BEHIND = ("", "\n\nif __name__ == '__main__':\n    print(f(1))\n", "\nprint(f(1))\n", "\n\nclass A:\n    b = 1\n")

programs = st.builds(
    lambda before, body, behind: (
        before + "def f(x):\n" + "".join(f"    {line}\n" for line in body) + "    return x\n" + behind
    ),
    st.sampled_from(BEFORE),
    st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=6),
    st.sampled_from(BEHIND),
)
WORDS = (
    "Here",
    "is",
    "the",
    "code",
    "isn't",
    "(it",
    "adds)",
    "`x`",
    "f(3)",
    "**done**",
    "1.",
    "- a",
    ":",
    "it's",
    "e.g.,",
)
prose = st.lists(st.sampled_from(WORDS), max_size=8).map(lambda words: " ".join(["So,", *words, "and so on."]))

WRAPPINGS = (
    "```python\n{}```", "```py\n{}```", "```Python3\n{}\n```", "```\n{}```", "~~~python\n{}~~~", "````python\n{}````",
    "``` python \n{}```  ", "<think>```python\ndef f(x): 1\n```</think>```python\n{}```",
    "<answer>\n```python\n{}```\n</answer>", "<answer>\n{}</answer>", "{}",
    "```python\n{}```\n```python\nprint(f(2))\n```", "```python\ndef f(x):\n    return 7\n```\n```python\n{}```",
    "```python\n{}```\n```text\n2\n```", "```python\n{}", "```python\n{}```<|im_end|>\n<|im_start|>user",
)  # fmt: skip
FENCED = tuple(wrapping for wrapping in WRAPPINGS if "`" in wrapping or "~" in wrapping)


@given(program=programs, wrapping=st.sampled_from(WRAPPINGS), newline=st.sampled_from(["\n", "\r\n"]))
def test_a_program_is_the_same_in_any_wrapping(program: str, wrapping: str, newline: str) -> None:
    reply = wrapping.replace("{}", program).replace("\n", newline)
    assert program_of(reply, entry_point="f") == program


@given(program=programs, wrapping=st.sampled_from(FENCED), before=prose, behind=prose)
def test_words_around_blocks_do_not_matter(program: str, wrapping: str, before: str, behind: str) -> None:
    reply = f"{before}\n\n{wrapping.replace('{}', program)}"
    assert program_of(reply, entry_point="f") == program
    if wrapping.endswith(("```", "~~~")):
        assert program_of(f"{reply}\n\n{behind}", entry_point="f") == program


@given(program=programs)
def test_a_list_item_takes_its_indentation_back(program: str) -> None:
    indented = "".join(f"   {line}\n" if line else "\n" for line in program.rstrip("\n").split("\n"))
    assert program_of(f"1. First:\n\n   ```python\n{indented}   ```\n", entry_point="f") == program


@given(body=st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=6), behind=st.sampled_from(BEHIND))
def test_a_body_behind_a_stub_is_cut_where_the_function_ends(body: list[str], behind: str) -> None:
    stub = 'def f(x):\n    """Says what it does."""\n'
    text = "".join(f"    {line}\n" for line in body)
    # A comment at the end, or code behind it, changes nothing that runs.
    given_program = program_of(text + behind, entry_point="f", stub=stub)
    assert given_program == f"{stub}{text.rstrip()}\n"
    assert program_of(f"```python\n{text}{behind}\n```", entry_point="f", stub=stub) == given_program


PIECES = (
    "```", "```python\n", "```\n", "```python\ndef f(x):\n    return 1\n```\n", "~~~\n", "`", "<think>", "</think>",
    "<answer>", "</answer>", " ", "\n", "    ", "\t", '"""', "'''", '"', "'", "\\", "(", ")", "{", "a = 1\n", "b = a\n",
    "def f(x):\n", "    return x\n", "return 1\n", "f(1)\n", "@x\n", "# c\n", ">>> ", "> ", "- ", "1. ", "else:\n",
    "import a\n", "from a import *\n", "x=(", "class A:\n", "</s>", "words ", "-", "not ", "lambda:", "\0", "\ud800",
    "9", "1+", "=", ": ```\n", "a```\n", "\r", "\f", "```python\n\\'''\n```\n", "if 1:\n", " if 1:\n", "f'{", "é", "[[",
)  # fmt: skip
pieces = st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map("".join)
STUB = 'import a\n\n\ndef f(x):\n    """Does."""\n'


def assert_quick(reply: str) -> None:
    for entry_point, stub, language in (
        ("f", "", "python"),
        ("f", STUB, "python"),
        ("", "", "python"),
        ("", "", "cpp"),
    ):
        started = time.thread_time()
        program_of(reply, entry_point=entry_point, stub=stub, language=language)
        is_fenced_once(reply, language)
        assert time.thread_time() - started < LIMIT_S


@settings(max_examples=200)
@given(reply=st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_no_text_raises(reply: str) -> None:
    given_program = program_of(reply, entry_point="f", stub=STUB)
    assert given_program is None or given_program.endswith("\n")


@pytest.mark.slow
@settings(max_examples=10)
@given(start=st.sampled_from(PIECES), repeated=pieces, end=st.sampled_from(PIECES))
@example(start="", repeated="a```\n", end="")
@example(start="", repeated="```python\n\\'''\n```\n", end="")
@example(start="", repeated="x=(``` x\n", end="")
@example(start="```python\n", repeated="@x\n", end="```")
@example(start="", repeated=" ", end="```")
@example(start="", repeated="[" * 90 + "]" * 90 + "\n", end="")
def test_hostile_text_takes_a_moment(start: str, repeated: str, end: str) -> None:
    assert_quick((start + repeated * LENGTH)[: LENGTH - len(end)] + end)


@pytest.mark.slow
def test_a_million_characters_of_blocks_take_a_moment() -> None:
    assert_quick("```python\ndef f(x):\n    return g(x)\n```\n" * 25_000)
    assert_quick("```\n" * 250_000)
