"""Every failure that users of other trainers met, and that this project can meet, has a test named for its id."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
IDS = [1, *range(3, 11), *range(12, 16), *range(17, 21), 22, 23, 24, 26, 27, 29, 30, 33, 34]


def named() -> dict[int, list[str]]:
    """Test functions by the ids in their names: `test_r20_r22_…` is a test of both."""
    found: dict[int, list[str]] = defaultdict(list)
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                leading = re.match(r"test((?:_r\d\d)+)_", node.name)
                for number in re.findall(r"\d\d", leading[1]) if leading else ():
                    found[int(number)].append(f"{path.relative_to(TESTS)}::{node.name}")
    return found


@pytest.mark.parametrize("number", IDS, ids=lambda number: f"R{number}")
def test_every_reproducer_has_a_test_of_its_id(number: int) -> None:
    assert named()[number], f"no test is named test_r{number:02}_…"
