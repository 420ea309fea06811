"""Whether a reply equals the right answer, exactly: integers, fractions, decimals, lists, polynomials.

A wrong acceptance is worse than a wrong refusal: what cannot be read is refused. Finding the answer in a reply belongs
to `rlenvs.rewards`.
"""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import gcd

from rlenvs.envs.arithmetic.algebra import is_expanded, is_factored, normal
from rlenvs.envs.arithmetic.problem import Form, Kind
from rlenvs.envs.arithmetic.reading import parse

MAX_CHARACTERS = 400

_INTEGER = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,50})"
_DECIMAL = re.compile(rf"([+-]?)((?:{_INTEGER})?)(?:\.([0-9]{{1,50}}))?")
_FRACTION = re.compile(r"([+-]?)([0-9]{1,50}) ?/ ?([0-9]{1,50})")
_ABOVE, _BELOW = r"(?:\{([+-]?[0-9]{1,50})\}|([0-9]))", r"(?:\{([0-9]{1,50})\}|([0-9]))"
_LATEX_FRACTION = re.compile(rf"([+-]?)\\[dt]?frac{_ABOVE}{_BELOW}")
_MIXED = re.compile(r"([+-]?)([0-9]{1,50}) ([0-9]{1,50})/([0-9]{1,50})")
_SEPARATOR = re.compile(r"\s*(?:[,;]|\band\b|\bor\b|\n)\s*")
_REMAINDER = re.compile(
    r"(?:quotient\s*[:=]?\s*)?([0-9]{1,50})\s*,?\s*(?:r|rem|(?:and |with )?remainder)\.?\s*[:=]?\s*([0-9]{1,50})",
    re.IGNORECASE,
)
_TEXT_COMMAND = re.compile(r"\\(?:text|mathrm)\{([^{}]*)\}")
_ASSIGNED = re.compile(r"([a-z])\s*=\s*(\S.*)", re.DOTALL)


def is_equal(reply: str, answer: str, form: Form) -> bool:
    """Whether `reply` is an answer of this form, and equal to the right `answer`."""
    given = _cleaned(reply, form)
    return 0 < len(given) <= MAX_CHARACTERS and _COMPARE[form.kind](given, answer)


def _cleaned(text: str, form: Form) -> str:
    """Without maths signs around it, a full stop, the unit, and the unknown's name before it."""
    text = text.replace("−", "-").strip().strip("$").removeprefix(r"\(").removesuffix(r"\)").strip()
    text = _TEXT_COMMAND.sub(r"\1", text.removesuffix(".")).rstrip()
    if form.unit and text.endswith(form.unit):
        text = text.removesuffix(form.unit).rstrip()
    named = _ASSIGNED.fullmatch(text)
    is_single = form.kind != "set" and form.unknown != ""
    return named[2] if named and is_single and named[1] == form.unknown else text


def number(text: str) -> Fraction | None:
    r"""The rational number that a text is: 1,250, -3.5, 7/2, 3 1/2, \frac{7}{2} or \frac72; None if it is none."""
    text = text.strip()
    decimal = _DECIMAL.fullmatch(text)
    if decimal and (decimal[2] or decimal[3]):
        return Fraction(f"{decimal[1]}{decimal[2].replace(',', '') or '0'}.{decimal[3] or '0'}")
    fraction = _fraction(text)
    if fraction:
        return Fraction(*fraction) if fraction[1] else None
    mixed = _MIXED.fullmatch(text)
    return _signed(mixed[1], *(int(mixed[i]) for i in (2, 3, 4))) if mixed else None


def _fraction(text: str) -> tuple[int, int] | None:
    """What stands above and below the line, the sign above; None where the text is no fraction."""
    found = _FRACTION.fullmatch(text) or _LATEX_FRACTION.fullmatch(text)
    if found is None:
        return None
    sign, above, below = [part for part in found.groups() if part is not None]
    return int(above) * (-1 if sign == "-" else 1), int(below)


def _signed(sign: str, whole: int, top: int, bottom: int) -> Fraction | None:
    return (whole + Fraction(top, bottom)) * (-1 if sign == "-" else 1) if bottom else None


def _same_integer(given: str, answer: str) -> bool:
    """Written as an integer or a decimal: 84/4 is no answer to what 84/4 is."""
    return _DECIMAL.fullmatch(given) is not None and _same_number(given, answer)


def _same_number(given: str, answer: str) -> bool:
    value = number(given)
    return value is not None and value == number(answer)


def _same_lowest(given: str, answer: str) -> bool:
    fraction = _fraction(given)
    is_lowest = fraction is not None and gcd(*fraction) == 1
    return (is_lowest or given.lstrip("+-").isdecimal()) and _same_number(given, answer)


def _same_digits(given: str, answer: str) -> bool:
    return re.sub(r"[\s,;]+", "", _unbracketed(given)) == answer


def _numbers(text: str) -> list[Fraction | None]:
    return [number(item) for item in _items(text)]


def _items(text: str) -> list[str]:
    items = [item for item in _SEPARATOR.split(_unbracketed(text)) if item]
    return items[0].split() if len(items) == 1 else items


def _unbracketed(text: str) -> str:
    is_bracketed = (text[:1], text[-1:]) in {("(", ")"), ("[", "]"), ("{", "}")}
    return text[1:-1].strip() if is_bracketed else text


def _same_sequence(given: str, answer: str) -> bool:
    values = _numbers(given)
    return None not in values and values == _numbers(answer)


def _same_set(given: str, answer: str) -> bool:
    """Each may be named: x = 2 or x = 3."""
    values = _numbers(re.sub(r"\bx\s*=\s*", "", given))
    return None not in values and set(values) == set(_numbers(answer))


def _same_assignment(given: str, answer: str) -> bool:
    """A value for each unknown in any order, or the bare values in the order of the unknowns."""
    right = _assigned(_items(answer))
    assert right is not None
    items = _SEPARATOR.split(_unbracketed(given))
    bare = [number(item) for item in items]
    return _assigned(items) == right or (None not in bare and bare == list(right.values()))


def _assigned(items: Sequence[str]) -> dict[str, Fraction | None] | None:
    found = [_ASSIGNED.fullmatch(item.strip()) for item in items]
    values = {match[1]: number(match[2]) for match in found if match}
    return values if len(values) == len(items) and None not in values.values() else None


def _same_remainder(given: str, answer: str) -> bool:
    pairs = [_REMAINDER.fullmatch(text) for text in (given, answer)]
    first, second = ([int(value) for value in pair.groups()] if pair else None for pair in pairs)
    return first is not None and first == second


def _same_polynomial(given: str, answer: str) -> bool:
    """Multiplied out as asked: the question's own product is no answer."""
    node = parse(given)
    return node is not None and is_expanded(node) and normal(node) == normal(parse(answer))


def _same_factors(given: str, answer: str) -> bool:
    """In linear factors, and nothing left to take out of one."""
    node = parse(given)
    form = normal(node)
    return node is not None and is_factored(node) and form is not None and form == normal(parse(answer))


def _same_expression(given: str, answer: str) -> bool:
    form = normal(parse(given))
    return form is not None and form == normal(parse(answer))


_COMPARE: dict[Kind, Callable[[str, str], bool]] = {
    "integer": _same_integer,
    "number": _same_number,
    "lowest": _same_lowest,
    "digits": _same_digits,
    "sequence": _same_sequence,
    "set": _same_set,
    "assignment": _same_assignment,
    "remainder": _same_remainder,
    "polynomial": _same_polynomial,
    "factored": _same_factors,
    "expression": _same_expression,
}
