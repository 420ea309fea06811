"""Which program a reply gives: a bank of replies as models of many kinds write them, `replies.jsonl`."""

import ast
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rlenvs.code.programs import is_fenced_once, program_of

BANK = [json.loads(line) for line in Path(__file__).with_name("replies.jsonl").read_text("utf-8").splitlines()]
PROGRAM = "def f(x):\n    return x + 1\n"
BLOCK = f"```python\n{PROGRAM}```"


def test_the_bank_has_replies_of_every_kind() -> None:
    styles = Counter(case["style"] for case in BANK)
    assert styles.keys() == {"gpt-4", "claude", "qwen", "llama", "deepseek", "base", "cut-off", "hostile"}
    assert sum(styles.values()) >= 240
    assert sum(case["program"] is None for case in BANK) >= 30


@pytest.mark.parametrize("case", BANK, ids=[f"{n}-{case['style']}-{case['why']}" for n, case in enumerate(BANK)])
def test_the_program_of_a_reply_is_the_expected_one(case: dict[str, Any]) -> None:
    given = program_of(case["reply"], entry_point=case["entry_point"], stub=case["stub"], language=case["language"])
    assert given == case["program"]


@pytest.mark.parametrize(
    "reply",
    [
        BLOCK,
        f"Here it is:\n\n{BLOCK}\n\nDone.",
        f"<think>```python\nx\n```</think>\n{BLOCK}",
        f"no words\n</think>\n{BLOCK}",
        f"{BLOCK}\nRun it:\n```bash\npython f.py\n```",
        f"~~~py\n{PROGRAM}~~~",
        BLOCK.replace("\n", "\r\n"),
        'A docstring:\n```python\ndef f():\n    """\n    ```\n    """\n```',
    ],
)
def test_one_closed_block_of_the_language_keeps_to_the_format(reply: str) -> None:
    assert is_fenced_once(reply)


@pytest.mark.parametrize(
    "reply",
    [
        PROGRAM,
        "",
        f"{BLOCK}\n{BLOCK}",
        f"```python\n{PROGRAM}",
        f"```\n{PROGRAM}```",
        "```python\n```",
        "```python\n  \n```",
        f"<think>{BLOCK}</think>",
        f"<think>{BLOCK}",
        f"{BLOCK}\n<think>more",
        f"{BLOCK}\n```python\nf(1)",
        f"Here: {BLOCK}",
        "```python\nx = 1```",
        "```python x = 1\n```",
        "```python x = 1```",
        f"```cpp\n{PROGRAM}```",
    ],
)
def test_anything_else_does_not(reply: str) -> None:
    assert not is_fenced_once(reply)


def test_the_format_is_kept_in_the_language_that_is_asked_for() -> None:
    reply = f"```c++\nint main() {{}}\n```\n{BLOCK}"
    assert is_fenced_once(reply, "cpp")
    assert not is_fenced_once(reply, "rust")


def test_of_thousands_of_blocks_the_last_ones_count() -> None:
    earlier = "".join(f"```python\ndef f(x):\n    return {number}\n```\n" for number in range(3000))
    assert program_of(earlier + BLOCK, entry_point="f") == PROGRAM
    assert program_of(BLOCK + "\n```python\nf(1)\n```" * 20, entry_point="f") == PROGRAM


def test_a_program_that_is_too_long_to_be_read_is_given_as_it_is() -> None:
    program = PROGRAM + "# a comment that makes it longer\n" * 4000
    assert program_of(f"```python\n{program}```", entry_point="f") == program


def test_what_comes_back_for_a_stub_with_a_helper_runs() -> None:
    stub = 'import math\n\n\ndef h(x):\n    return math.floor(x)\n\n\ndef f(x):\n    """Rounds down."""\n'
    whole = program_of("```python\ndef f(x):\n    return h(x)\n```", entry_point="f", stub=stub)
    assert whole is not None
    names: dict[str, Any] = {}
    exec(compile(ast.parse(whole), "program", "exec"), names)
    assert names["f"](2.5) == 2
