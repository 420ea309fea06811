"""Programs that are nearly right: a solution with one operator, comparison, constant or result changed."""

import ast
import copy
from collections.abc import Iterator

_OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Add,
    ast.Pow: ast.Mult, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


def mutants(program: str) -> Iterator[tuple[str, bool]]:
    """Programs that differ from this one in one place: an operator or a constant, and then a result (True with it)."""
    tree = ast.parse(program)
    num_nodes = sum(1 for _ in ast.walk(tree))
    for kind in (ast.operator | ast.cmpop | ast.boolop, ast.Constant, ast.Return):
        for place in range(num_nodes):
            changed = copy.deepcopy(tree)
            node = list(ast.walk(changed))[place]
            if isinstance(node, kind) and _change(node, changed):
                yield ast.unparse(ast.fix_missing_locations(changed)), kind is ast.Return


def _change(node: ast.AST, tree: ast.AST) -> bool:
    if type(node) in _OPERATORS:
        new = _OPERATORS[type(node)]()
        for parent in ast.walk(tree):
            for field, value in ast.iter_fields(parent):
                if value is node:
                    setattr(parent, field, new)
                elif isinstance(value, list) and any(each is node for each in value):
                    setattr(parent, field, [new if each is node else each for each in value])
        return True
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        node.value = not node.value if isinstance(node.value, bool) else node.value + 1
        return True
    if isinstance(node, ast.Return):
        node.value = ast.Tuple([node.value or ast.Constant(None), ast.Constant("mutant")], ast.Load())
        return True
    return False
