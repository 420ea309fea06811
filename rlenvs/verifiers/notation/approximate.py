r"""`\sqrt{2} \approx 1.41`: an exact value with its rounding beside it, which says the same or nothing."""

from fractions import Fraction

from rlenvs.verifiers import tree
from rlenvs.verifiers.notation.lexer import UnreadableError
from rlenvs.verifiers.tree import Node
from rlenvs.verifiers.values import evaluate
from rlenvs.verifiers.values.names import is_name
from rlenvs.verifiers.values.rational import UndecidedError


def without_roundings(signs: list[str], sides: list[Node]) -> tuple[list[str], list[Node]]:
    r"""A chain of relations without its `\approx`: the exact side stays; beside a name it is an equals sign.

    Raises:
        UnreadableError: what stands on the two sides is not the same number, rounded.
    """
    signs, sides = list(signs), list(sides)
    for place in reversed(range(len(signs))):
        if signs[place] != "~":
            continue
        if is_name(sides[place]):
            signs[place] = "="
        elif _is_rounding(sides[place], sides[place + 1]):
            del signs[place], sides[place + 1]
        else:
            raise UnreadableError("what stands beside ≈ is not its rounded value")
    return signs, sides


def _is_rounding(exact: Node, rounded: Node) -> bool:
    """Whether the second is the first, rounded or cut off in its last place."""
    units = {side.unit for side in (exact, rounded) if isinstance(side, tree.Quantity)}
    exact, rounded = (side.value if isinstance(side, tree.Quantity) else side for side in (exact, rounded))
    last = _last_place(rounded)
    if len(units) > 1 or last is None or not isinstance(exact, tree.EXPRESSIONS) or tree.symbols(exact):
        return False
    try:
        difference = evaluate.number(tree.Sum((exact, tree.negative(rounded))))
    except UndecidedError:
        return False
    return bool(abs(difference) < last.numerator / difference.context.mpf(last.denominator))


def _last_place(node: Node) -> Fraction | None:
    """What one is worth in the last digit that a number was written with; None for what is no number."""
    if isinstance(node, tree.Product):  # -1.41, 57.3^\circ
        numbers = [_last_place(factor) for factor in node.factors if factor not in (tree.MINUS_ONE, tree.DEGREE)]
        return numbers[0] if len(numbers) == 1 else None
    if not isinstance(node, tree.Number):
        return None
    if node.places:
        return Fraction(1, 10**node.places)
    digits = str(abs(node.value.numerator))
    return Fraction(10 ** (len(digits) - len(digits.rstrip("0")))) if node.value.denominator == 1 else None
