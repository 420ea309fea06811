import pytest

from rlenvs.code.replies.fences import Block, fenced
from rlenvs.code.replies.tags import begins_code, language_of


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ("python", ("python", "")),
        (" Python3 ", ("python", "")),
        ("{.python}", ("python", "")),
        ("py:main.py", ("python", "")),
        ('python title="f(x)"', ("python", "")),
        ("python def f():", ("python", "def f():")),
        ("x = 1", ("", "x = 1")),
        ("c++", ("cpp", "")),
        ("C", ("c", "")),
        ("pycon", ("other", "")),
        ("md", ("markup", "")),
        ("", ("", "")),
        ("anything else", ("", "")),
    ],
)
def test_the_words_behind_a_fence_name_a_language_or_are_code(info: str, expected: tuple[str, str]) -> None:
    assert language_of(info) == expected


def test_code_is_told_from_words_by_how_a_line_begins() -> None:
    assert all(
        map(begins_code, ["import os", "from a.b import c", "if x:", "f(1)", "a.b(1)", "x = 1", "@x", "def f():"])
    )
    assert not any(map(begins_code, ["If so", "from here on", "import", "Here (see) is", "x == 1", "defining it", ""]))


def test_blocks_come_in_order_with_their_language_and_whether_they_end() -> None:
    found = fenced("a\n```py\nx\n```\nb\n~~~\n\ny\n\n~~~\nc\n```cpp\nz")
    assert found.blocks == (
        Block("python", "x\n", True, True),
        Block("", "y\n", True, True),
        Block("cpp", "z\n", False, False),
    )
    assert found.prose == "a\n```\nb\n```\nc\n```"
    assert found.leading == ""


def test_what_stands_before_a_bare_fence_may_be_a_block_that_the_prompt_opened() -> None:
    assert fenced("x = 1\n```\nwords").leading == "x = 1\n"
    assert fenced("return x```\nwords").leading == "return x\n"
    assert fenced("words\n```python\nx\n```").leading == ""


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("```a```", [("", "a\n")]),
        ("use ```a``` here", []),
        ("```a``` is inline", []),
        ("````\n```\n````", [("", "```\n")]),
        ("```\n~~~\n```", [("", "~~~\n")]),
        ("```python\na\n```python\nb\n```", [("python", "a\n"), ("python", "b\n")]),
        ("```python\na``` \nb", [("python", "a\n")]),
        ("```python\nx = '''\n```\n'''\n```", [("python", "x = '''\n```\n'''\n")]),
        ("```python\nx = '''\n```\nb", [("python", "x = '''\n")]),
        ("```python\nx = '''\n```\n```python\ny\n```", [("python", "x = '''\n"), ("python", "y\n")]),
        ("```cpp\nx = '''\n```\n'''\n```", [("cpp", "x = '''\n"), ("", "")]),
        ("> ```python\n> if x:\n>     y\n> ```", [("python", "if x:\n    y\n")]),
        ("* ```python\n  if x:\n      y\n  ```", [("python", "if x:\n    y\n")]),
        ("  ```\n    a\n b\n  ```", [("", "  a\nb\n")]),
        ("    ```\na\n b\n    ```", [("", "a\n b\n")]),
        ("so: ```\na\n```", [("", "a\n")]),
        ("```md\n```python\na\n```\n```", [("python", "a\n"), ("", "")]),
    ],
)
def test_blocks_are_read_as_they_are_meant(text: str, blocks: list[tuple[str, str]]) -> None:
    assert [(block.language, block.text) for block in fenced(text).blocks] == blocks
