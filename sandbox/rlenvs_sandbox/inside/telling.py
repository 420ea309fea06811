"""Assertions that say what they asserted and what was given, as a test runner's do; for people and for policies."""

import ast
from typing import Any

NAME = "_agree_"
_MAX_SHOWN = 200


class Telling(ast.NodeTransformer):
    """Gives each assertion without a message one of its own."""

    def visit_Assert(self, node: ast.Assert) -> ast.Assert:
        """`assert a == b` tells what the side gave that is no literal; any other one what it says."""
        if node.msg is not None or isinstance(node.test, ast.Constant):
            return node
        source = ast.Constant(_shortened(ast.unparse(node)))
        test = node.test
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
            sides = [test.left, test.comparators[0]]
            shown = ast.Constant(1 if _is_literal(sides[0]) else 0)
            node.test = ast.Call(ast.Name(NAME, ast.Load()), [*sides, source, shown], [])
        else:
            node.msg = source
        return node


def agree(left: Any, right: Any, source: str, shown: int) -> bool:
    """Whether both sides of an assertion are equal.

    Raises:
        AssertionError: they are not; it says what one of them is.
    """
    if left == right:
        return True
    try:
        given = _shortened(repr((left, right)[shown]))
    except Exception:  # an object of the program's, which says nothing
        raise AssertionError(source) from None
    raise AssertionError(f"{source}, and it gave {given}")


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"
