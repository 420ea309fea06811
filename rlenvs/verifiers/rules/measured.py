"""Values with units, ratios and times of day."""

from rlenvs.verifiers import tree, units
from rlenvs.verifiers.rules.comparison import Comparison
from rlenvs.verifiers.rules.valued import valued
from rlenvs.verifiers.tree import Node
from rlenvs.verifiers.values import rational


def quantities(gold: Node, answer: Node, comparison: Comparison) -> bool | None:
    """A unit may be left out or added; where both have one they measure the same."""
    sides = [_with_unit(side) for side in (gold, answer)]
    if not any(side.unit for side in sides):
        return None
    if {side.unit for side in sides} == {"degree", "radian"}:
        return valued(_in_radians(sides[0]), _in_radians(sides[1]), comparison)
    if not all(_may_lose_radians(side, comparison) for side in sides):
        return False
    one, other = (tree.Quantity(side.value, "") if side.unit == "radian" else side for side in sides)
    if not _is_as_asked(one, other, comparison):
        return False
    if one.unit and other.unit:
        return _measure_the_same(one, other, comparison)
    if not all(isinstance(side.value, tree.EXPRESSIONS) for side in sides):
        return False
    if any(len(side.unit) == 1 and side.unit in comparison.asked.letters for side in sides):
        return comparison.same(_as_product(one), _as_product(other))
    asked, measured = units.unit(comparison.asked.unit), units.unit(one.unit)
    if asked is not None and measured is not None and measured.bases == asked.bases:  # a bare answer is in that unit
        return _measure_the_same(one, tree.Quantity(other.value, comparison.asked.unit), comparison)
    if "degree" in (one.unit, other.unit):
        return _are_the_same_angle(one, other, comparison)
    if any(tree.symbols(side.value) for side in sides):
        return comparison.same(_as_product(one), _as_product(other))
    return comparison.same(one.value, other.value)


def _may_lose_radians(side: tree.Quantity, comparison: Comparison) -> bool:
    """Whether an angle may be written without its unit: a multiple of pi, or where the question says radians."""
    is_plain = side.unit == "radian" and tree.Constant("pi") not in tree.walk(side.value)
    return not is_plain or comparison.asked.names_angles == "radian"


def _is_as_asked(gold: tree.Quantity, answer: tree.Quantity, comparison: Comparison) -> bool:
    """Whether the answer's unit may be one: that of the question, where it asks for one; a noun that it is about."""
    if not answer.unit:
        return True
    unit, asked = units.unit(answer.unit), units.unit(comparison.asked.unit)
    if unit is None:
        return True
    is_length = [base for base, _ in unit.bases] == ["m"]
    if is_length and comparison.asked.power not in (None, unit.bases[0][1]):  # 15 cm is no area
        return False
    if comparison.asked.asks_percent and units.is_measure(unit):
        return answer.unit == gold.unit
    if units.is_measure(unit) and (asked is not None or comparison.asked.counts):
        return unit == asked or answer.unit == gold.unit
    return units.is_measure(unit) or bool(gold.unit) or comparison.asked.is_about(answer.unit)


def _are_the_same_angle(one: tree.Quantity, other: tree.Quantity, comparison: Comparison) -> bool:
    """Degrees beside a bare number, which is in degrees or in radians: a multiple of pi is in radians."""
    if not comparison.asked.names_angles and valued(_in_radians(one), _in_radians(other), comparison):
        return True
    bare = other if one.unit else one
    is_in_radians = comparison.asked.names_angles == "radian" or tree.Constant("pi") in tree.walk(bare.value)
    return not is_in_radians and comparison.same(one.value, other.value)


def _measure_the_same(one: tree.Quantity, other: tree.Quantity, comparison: Comparison) -> bool:
    one, other = _in_its_currency(one, other), _in_its_currency(other, one)
    measured = units.unit(one.unit), units.unit(other.unit)
    if measured[0] is None or measured[1] is None:
        return one.unit.lower() == other.unit.lower() and comparison.same(one.value, other.value)
    if measured[0].bases != measured[1].bases:
        return False
    values = [
        tree.Product((tree.Number(unit.factor), side.value))
        for unit, side in zip(measured, (one, other), strict=True)
        if unit is not None
    ]
    return comparison.same(values[0], values[1])


def _in_its_currency(side: tree.Quantity, other: tree.Quantity) -> tree.Quantity:
    """`5 pounds` beside `£5`, and `5 yen` beside `¥5`, in that currency: alone the word and the sign mean others."""
    name = _CURRENCIES.get(other.unit)
    return tree.Quantity(side.value, other.unit) if name and side.unit.removesuffix("s") == name else side


_CURRENCIES = {"£": "pound", "¥": "yen"}


def _with_unit(node: Node) -> tree.Quantity:
    r"""A value with its unit, `^\\circ` included; with an empty one, where it has none."""
    match node:
        case tree.Quantity(value, "degrees" | "deg"):
            return tree.Quantity(value, "degree")
        case tree.Quantity(value, "rad" | "radians"):
            return tree.Quantity(value, "radian")
        case tree.Quantity():
            return node
    degrees = tree.in_degrees(node)
    return tree.Quantity(node, "") if degrees is None else tree.Quantity(degrees, "degree")


def _in_radians(quantity: tree.Quantity) -> Node:
    return tree.Product((quantity.value, tree.DEGREE)) if quantity.unit == "degree" else quantity.value


def _as_product(quantity: tree.Quantity) -> Node:
    """`3 m` as three times the variable m, if that is what it was."""
    if len(quantity.unit) != 1 or not quantity.unit.isalpha():
        return quantity.value
    return tree.Product((quantity.value, tree.Symbol(quantity.unit)))


def residues(gold: Node, answer: Node, comparison: Comparison) -> bool | None:
    r"""`9 \\pmod{11}` beside 9."""
    match gold, answer:
        case (tree.Call("pmod", (value, _)), tree.Number() as number) | (
            tree.Number() as number,
            tree.Call("pmod", (value, _)),
        ):
            return comparison.same(value, number)
    return None


def ratios(gold: Node, answer: Node, comparison: Comparison) -> bool | None:
    """Ratios and times of day, part by part; a ratio of two beside one number as their quotient."""
    if isinstance(gold, tree.Ratio) and isinstance(answer, tree.Ratio):
        if len(gold.parts) != len(answer.parts):
            return False
        if len(gold.parts) == 2 and not _are_clocks(gold, answer, comparison):
            return comparison.same(*(tree.quotient(*ratio.parts) for ratio in (gold, answer)))
        if len(gold.parts) > _PAIR and not gold.is_clock and not answer.is_clock:
            firsts = gold.parts[0], answer.parts[0]
            pairs = zip(gold.parts[1:], answer.parts[1:], strict=True)
            return all(comparison.same(tree.quotient(a, firsts[0]), tree.quotient(b, firsts[1])) for a, b in pairs)
        if comparison.asked.is_in_afternoon:
            gold, answer = _past_noon(gold), _past_noon(answer)
        return all(comparison.same(a, b) for a, b in zip(gold.parts, answer.parts, strict=True))
    if not isinstance(gold, tree.Ratio) and not isinstance(answer, tree.Ratio):
        return None
    values = [_as_quotient(side) for side in (gold, answer)]
    return all(isinstance(value, tree.EXPRESSIONS) for value in values) and comparison.same(values[0], values[1])


def _past_noon(clock: tree.Ratio) -> tree.Ratio:
    """`5:00` as `17:00`."""
    hour = rational.exact(clock.parts[0])
    if hour is None or not 0 < hour < _HOURS / 2:
        return clock
    return tree.Ratio((tree.Number(hour + _HOURS // 2), *clock.parts[1:]), clock.is_clock)


def _as_quotient(node: Node) -> Node:
    """A ratio of two as their quotient."""
    if isinstance(node, tree.Ratio) and len(node.parts) == 2 and not _can_be_clock(node):
        return tree.quotient(*node.parts)
    return node


def _are_clocks(one: tree.Ratio, other: tree.Ratio, comparison: Comparison) -> bool:
    """Whether two ratios are times of day: one can be nothing else, or both can be and no ratio is asked for."""
    if one.is_clock or other.is_clock:
        return True
    if comparison.asked.asks_time:
        return _can_be_clock(one) or _can_be_clock(other)
    return _can_be_clock(one) and _can_be_clock(other) and not comparison.asked.asks_ratio


def _can_be_clock(ratio: tree.Ratio) -> bool:
    """Whether it can be a time of day, `14:30`, which is no quotient."""
    values = [rational.exact(part) for part in ratio.parts]
    is_whole = all(value is not None and value.denominator == 1 for value in values)
    return ratio.is_clock or (is_whole and 0 <= (values[0] or 0) <= _HOURS and 10 <= (values[1] or 0) < _MINUTES)


_HOURS, _MINUTES = 24, 60
_PAIR = 2  # parts of a ratio that is a quotient
