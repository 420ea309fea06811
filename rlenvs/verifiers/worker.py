"""What the verifier's worker processes serve: parses two LaTeX expressions and says whether they are equal.

Never imported by the parent, and without imports of ours. No file can be written. The limits on time and memory belong
to `rlenvs.isolation`.
"""

import logging
import resource
import secrets
import time
from typing import Any

_MAX_EXPONENT = 10_000  # of a number raised to a number
_MAX_DIGITS = 20_000
_MAX_FACTORIAL = 3_000
_DIGITS = 60  # precision of numeric comparison
_TOLERANCE_EXPONENT = -40  # relative difference, in powers of ten, that such precision cannot produce by rounding
_POINTS = ("0.7390851", "-1.3247180", "2.6651441", "-0.5671433", "1.9021605", "-2.5849817")
_SHIFT = secrets.randbelow(10**6)  # of the points, in 10^-9: nobody can know them, and fit an answer to them


class HugeError(ValueError):
    """A power or factorial that is too large to be worked out."""


def is_equal(gold: str, answer: str) -> tuple[str, str]:
    """(verdict, reason) for two LaTeX texts."""
    sides: list[Any] = []
    for text, failure in ((gold, "bad_gold"), (answer, "not_equal")):
        try:
            sides.append(parsed(text))
        except HugeError:
            return "not_equal", "too large to be worked out, and not the same text"
        except MemoryError:
            raise
        except Exception as error:  # the parser raises bare Exceptions, and sympy whatever it meets
            return failure, f"cannot be read: {text[:100]!r} ({type(error).__name__})"
    return ("equal", "") if are_equal(*sides) else ("not_equal", "")


def parsed(text: str) -> Any:
    """A sympy object for the whole of a LaTeX text, decimals exact, `i` the imaginary unit."""
    import sympy
    from latex2sympy2_extended.latex2sympy2 import latex2sympy

    found = latex2sympy(text, is_real=True, convert_degrees=False, normalization_config=None)
    if not isinstance(found, sympy.Basic | sympy.MatrixBase):
        raise ValueError(f"a {type(found).__name__} is no mathematical value")
    check_size(found)
    exact = {decimal: sympy.Rational(str(decimal)) for decimal in found.atoms(sympy.Float)}
    imaginary = {symbol: sympy.I for symbol in found.atoms(sympy.Symbol) if symbol.name == "i"}
    return found.xreplace({**exact, **imaginary})


def check_size(expression: Any) -> None:
    """Refuse what would be huge once worked out. Works bottom up on the tree as parsed, nothing evaluated."""
    import sympy

    for node in sympy.postorder_traversal(expression):
        if isinstance(node, sympy.Pow) and node.exp.is_number:
            exponent = _size(node.exp)
            if exponent > _MAX_EXPONENT or (node.base.is_number and exponent * _digits(node.base) > _MAX_DIGITS):
                raise HugeError
        is_factorial = isinstance(node, sympy.factorial | sympy.factorial2 | sympy.gamma | sympy.binomial)
        if is_factorial and any(part.is_number and _size(part) > _MAX_FACTORIAL for part in node.args):
            raise HugeError


def _size(number: Any) -> float:
    """Its magnitude; infinite where a double cannot hold it. Its own parts have been checked before."""
    try:
        return float(abs(number.evalf(15)))
    except (OverflowError, TypeError, ValueError):
        return float("inf")


def _digits(number: Any) -> float:
    """How many decimal digits stand before (of a tiny number: after) the point."""
    import sympy

    magnitude = abs(number.evalf(15))
    return abs(float(sympy.log(magnitude, 10))) if magnitude.is_Float and magnitude != 0 else 1.0


def are_equal(gold: Any, answer: Any) -> bool:
    """Equality of two parsed values: exact for rationals, by value at high precision for the rest.

    Sets and inequalities are compared by our own trees; one with an integral in it is only equal to the same one.
    """
    import sympy

    gold, answer = _without_name(gold, answer), _without_name(answer, gold)
    if isinstance(gold, sympy.MatrixBase) or isinstance(answer, sympy.MatrixBase):
        return _are_equal_matrices(gold, answer)
    if isinstance(gold, sympy.Expr) and isinstance(answer, sympy.Expr):
        return _are_equal_expressions(gold, answer)
    if isinstance(gold, sympy.Eq) and isinstance(answer, sympy.Eq):
        return _are_equal_equations(gold, answer)
    return bool(gold == answer)


def _without_name(value: Any, other: Any) -> Any:
    """`x = 5` as 5 beside something that is no equation, `a = b = 5` as `a = 5`; `x + z = 1` stays an equation."""
    import sympy
    from sympy.core.function import AppliedUndef

    if isinstance(value, sympy.And) and all(isinstance(part, sympy.Eq) for part in value.args):
        parts = value._unsorted_args
        numbers = [part.rhs for part in parts if isinstance(part.rhs, sympy.Expr) and not part.rhs.free_symbols]
        if not all(are_equal(number, parts[-1].rhs) for number in numbers):
            return value  # x = 4 = 5 says nothing
        value = sympy.Eq(parts[0].lhs, parts[-1].rhs, evaluate=False)
    if not isinstance(value, sympy.Eq) or isinstance(other, sympy.Eq) or not isinstance(value.lhs, sympy.Expr):
        return value
    above, below = value.lhs.doit().as_numer_denom()
    factors = [*sympy.Mul.make_args(above), *(sympy.Mul.make_args(below) if below != 1 else ())]
    is_name = all(isinstance(factor, sympy.Symbol | AppliedUndef) for factor in factors)
    return value.rhs if is_name else value


def _are_equal_matrices(gold: Any, answer: Any) -> bool:
    if getattr(gold, "shape", None) != getattr(answer, "shape", None):
        return False
    return all(are_equal(a, b) for a, b in zip(gold, answer, strict=True))


def _are_equal_expressions(gold: Any, answer: Any) -> bool:
    import sympy

    if gold == answer:
        return True
    gold, answer = gold.doit(), answer.doit()
    if gold.is_Rational and answer.is_Rational:
        return bool(gold == answer)
    symbols = sorted(gold.free_symbols | answer.free_symbols, key=str)
    if not symbols:
        return _is_same_number(gold, answer)
    agreed = 0
    for point in _points(symbols):
        values = [side.subs(point).evalf(_DIGITS) for side in (gold, answer)]
        if any(value.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo) for value in values):
            continue
        if not all(value.is_number for value in values):
            return bool(sympy.simplify(gold - answer) == 0)  # an undefined function, or a sum over a symbol
        if not _is_close(*values):
            return False
        agreed += 1
    return agreed >= 3


def _points(symbols: list[Any]) -> list[dict[Any, Any]]:
    """Six points whose coordinates have both signs and stand on both sides of one."""
    return [{symbol: _coordinate(row, column) for column, symbol in enumerate(symbols)} for row in range(6)]


def _coordinate(row: int, column: int) -> Any:
    import sympy

    return sympy.Rational(_POINTS[(row + column) % 6]) + sympy.Rational(_SHIFT * (row + 1), 10**9) + row * column


def _is_same_number(gold: Any, answer: Any) -> bool:
    import sympy

    values = [side.evalf(_DIGITS) for side in (gold, answer)]
    if any(value.has(sympy.oo, -sympy.oo, sympy.zoo, sympy.nan) for value in values):
        return bool(values[0] == values[1] and values[0] is not sympy.nan)
    if not all(value.is_number and value.is_complex is not False for value in values):
        return False
    return _is_close(*values) or (_is_tiny(values[0] - values[1]) and bool(sympy.simplify(gold - answer) == 0))


def _is_close(a: Any, b: Any) -> bool:
    """Equal up to rounding, relative to the larger of the two."""
    scale = max(abs(a), abs(b))
    return bool(abs(a - b) <= scale * 10**_TOLERANCE_EXPONENT) if scale else True


def _is_tiny(value: Any) -> bool:
    return bool(abs(value) < 10**_TOLERANCE_EXPONENT)


def _are_equal_equations(gold: Any, answer: Any) -> bool:
    """Equations with the same solutions by a constant factor: the ratio of their differences is the same everywhere."""
    import sympy
    from sympy.core.function import AppliedUndef

    if gold == answer or (gold.lhs == answer.lhs and are_equal(gold.rhs, answer.rhs)):
        return True
    if gold.atoms(AppliedUndef) or answer.atoms(AppliedUndef) or gold.free_symbols != answer.free_symbols:
        return False
    if not all(isinstance(side, sympy.Expr) for equation in (gold, answer) for side in equation.args):
        return False
    ratio = (gold.lhs - gold.rhs) / (answer.lhs - answer.rhs)
    values = [ratio.subs(point).evalf(_DIGITS) for point in _points(sorted(gold.free_symbols, key=str))]
    first = values[0]
    is_constant = all(value.is_number and value.is_finite and _is_close(first, value) for value in values)
    return bool(is_constant and first != 0)


def prepare(_setup: None) -> None:
    """Import and build what every request needs, then let no file be written."""
    import latex2sympy2_extended  # noqa: F401

    logging.disable(logging.CRITICAL)
    parsed(r"\frac{1}{2} + x")  # builds the parser's tables
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def answer(request: dict[str, str]) -> tuple[str, str, float]:
    """(verdict, reason, seconds of processor time) for a request of `Comparisons`."""
    started_s = time.process_time()
    verdict, reason = is_equal(request["gold"], request["answer"])
    return verdict, reason, time.process_time() - started_s
