"""What only names a value: `x`, `f(2)`, `NO/BO`, `|AB|`."""

from rlenvs.verifiers import tree
from rlenvs.verifiers.tree import Node
from rlenvs.verifiers.values import functions


def is_name(node: Node) -> bool:
    r"""Whether it only says what a value is called: `x`, `f(x)`, `NO/BO`, `(a, b)`, `V_1 : V_2`.

    `|x|` and `\sin x` are no names: they say something of x, and `|x| = 5` leaves open what x is.
    """
    match node:
        case tree.Symbol() | tree.Constant("e" | "i"):
            return True
        case tree.Call(
            "abs" | "sin" | "cos" | "tan" | "cot" | "sec" | "csc", (tree.Symbol() | tree.Product() as inside,)
        ):
            return is_name(inside) and all(name[:1].isupper() for name in tree.symbols(inside))  # `|AB|`, `\sin A`
        case tree.Call(name, arguments):
            return name not in functions.KNOWN and all(isinstance(each, tree.EXPRESSIONS) for each in arguments)
        case tree.Product(factors):  # a segment `AB`, a ratio `NO/BO`, a value `P(x)`; `xy = 6` is an equation
            below = [factor.base for factor in factors if isinstance(factor, tree.Power) and _is_inverse(factor)]
            above = [factor for factor in factors if not (isinstance(factor, tree.Power) and _is_inverse(factor))]
            is_named = all(map(is_name, (*above, *below))) and bool(above)
            return is_named and any(name[:1].isupper() for name in tree.symbols(node))
        case tree.Bracketed("(", ")", parts) | tree.Ratio(parts):
            return all(is_name(part) for part in parts)
    return False


def _is_inverse(power: tree.Power) -> bool:
    return power.exponent == tree.MINUS_ONE
