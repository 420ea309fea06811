"""What only names a value: `x`, `f(2)`, `NO/BO`, `|AB|`."""

from rlenvs.verifiers import evaluate, tree
from rlenvs.verifiers.tree import Node


def is_name(node: Node) -> bool:
    """Whether it only says what a value is called: `x`, `f(x)`, `NO/BO`, `(a, b)`, `V_1 : V_2`."""
    match node:
        case tree.Symbol() | tree.Constant("e" | "i"):
            return True
        case tree.Call(
            "abs" | "sin" | "cos" | "tan" | "cot" | "sec" | "csc", (tree.Symbol() | tree.Product() as inside,)
        ):
            return is_name(inside)  # `|AB|`, `\\sin A`
        case tree.Call(name, arguments):
            return name not in evaluate.KNOWN and all(isinstance(each, tree.EXPRESSIONS) for each in arguments)
        case tree.Product(factors):  # a segment `AB`, a ratio `NO/BO`, a value `P(x)`; `xy = 6` is an equation
            return all(is_name(factor) for factor in factors) and any(name[:1].isupper() for name in tree.symbols(node))
        case tree.Power(base, tree.Number(value)):
            return value == -1 and is_name(base)
        case tree.Bracketed("(", ")", parts) | tree.Ratio(parts):
            return all(is_name(part) for part in parts)
    return False
