"""What the parts of an expression become: operands, signs, quotients, functions."""

from collections.abc import Sequence
from fractions import Fraction

from rlenvs.verifiers import tree, units
from rlenvs.verifiers.notation import linear
from rlenvs.verifiers.notation.lexer import UnreadableError
from rlenvs.verifiers.tree import Node


def signed(sign: str, node: Node) -> Node:
    """A node with the sign before it."""
    value = value_of(node)
    if sign in ("pm", "mp"):
        return tree.Call(sign, (value,))
    if sign != "-":
        return value
    return linear.product((tree.MINUS_ONE, value)) if isinstance(value, tree.Matrix) else tree.negative(value)


def value_of(node: Node) -> Node:
    """A node as an operand: `[x+1]` is then its content (`[x]` is not: it may be the whole part of x)."""
    if isinstance(node, tree.Bracketed) and node.opening + node.closing == "[]" and len(node.items) == 1:
        node = node.items[0] if isinstance(node.items[0], tree.Sum) else node
    if not isinstance(node, (*tree.EXPRESSIONS, tree.Matrix)):
        raise UnreadableError(f"a {type(node).__name__} in the place of a value")
    return node


def is_vector(node: Node) -> bool:
    r"""Whether it is the name of a vector, `\\vec{a}`."""
    return isinstance(node, tree.Symbol) and node.name.startswith(("vec ", "hat "))


def divided(above: Node, below: Node) -> list[Node]:
    """The factors of a quotient: one number, or the first and the inverse of the second."""
    if isinstance(above, tree.Number) and isinstance(below, tree.Number) and below.value:
        return [tree.Number(above.value / below.value)]
    return [above, tree.Power(below, tree.MINUS_ONE)]


def percent(node: Node) -> Node:
    """A hundredth; of a number, with two places more."""
    if not isinstance(node, tree.Number):
        return tree.quotient(node, tree.Number(Fraction(100)))
    return tree.Number(node.value / 100, (node.places or 0) + 2)


def as_set(node: Node) -> Node:
    """`{3}` in plain braces as a set."""
    if isinstance(node, tree.Items):
        return tree.SetOf(node.items)
    return tree.SetOf((node,)) if isinstance(node, tree.EXPRESSIONS) else node


def based(digits: str, base: Node) -> Node:
    """The number that digits are in a base."""
    is_base = isinstance(base, tree.Number) and base.value.denominator == 1 and 2 <= base.value <= 36
    if not is_base or not digits.isdigit():
        raise UnreadableError(f"{digits!r} with a subscript that is no base")
    try:
        return tree.Number(Fraction(int(digits, int(base.value))))  # type: ignore[attr-defined]
    except ValueError as error:
        raise UnreadableError(f"{digits!r} is no number in that base") from error


_ROOTS = {"sqrt": 2, "cbrt": 3}
_SEVERAL = range(2, 100)
_ARITY = {"max": _SEVERAL, "min": _SEVERAL, "gcd": _SEVERAL, "lcm": _SEVERAL, "binomial": (2,), "log": (1, 2)}


def function(name: str, arguments: tuple[Node, ...]) -> Node:
    """A call, or the power that a function is another name of."""
    if len(arguments) not in _ARITY.get(name, (1,)):
        raise UnreadableError(f"{name} of {len(arguments)} arguments")
    if name in _ROOTS:
        return tree.Power(arguments[0], tree.Number(Fraction(1, _ROOTS[name])))
    if name == "exp":
        return tree.Power(tree.Constant("e"), arguments[0])
    if name == "lg":
        return tree.Call("log", (*arguments, tree.Number(Fraction(10))))
    return tree.Call(name, arguments)


def residue_class(value: Node, modulus: Node) -> Node:
    r"""`3 \pmod 7`; of numbers, by the smallest that is not negative."""
    numbers = [part.value for part in (value, modulus) if isinstance(part, tree.Number)]
    if len(numbers) == 2 and numbers[1]:
        value = tree.Number(numbers[0] % numbers[1])
    return tree.Call("pmod", (value, modulus))


def quantities_added(found: Sequence[Node]) -> Node | None:
    """`3 hours` and `30 minutes` as 3.5 hours; None where they are no two parts of one quantity."""
    if len(found) != 2 or not all(isinstance(each, tree.Quantity) for each in found):
        return None
    larger, smaller = found
    assert isinstance(larger, tree.Quantity)
    assert isinstance(smaller, tree.Quantity)
    measured = units.unit(larger.unit), units.unit(smaller.unit)
    if measured[0] is None or measured[1] is None or measured[0].bases != measured[1].bases:
        return None
    ratio = measured[1].factor / measured[0].factor
    if ratio >= 1 or not units.is_measure(measured[0]):
        return None
    return tree.Quantity(tree.Sum((larger.value, tree.Product((tree.Number(ratio), smaller.value)))), larger.unit)
