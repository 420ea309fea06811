"""Whole numbers: what lies below one, its digits, its divisors, what two have in common, and primes."""

from collections.abc import Sequence

import numpy as np

from rlenvs.envs.codegen.inputs import tuples
from rlenvs.envs.codegen.problem import Draft, Family, asked, function
from rlenvs.envs.codegen.syntax.comprehensions import each
from rlenvs.envs.codegen.syntax.expressions import Binary, Expression, Name, call, lifted
from rlenvs.envs.codegen.syntax.logic import Logic
from rlenvs.envs.codegen.syntax.statements import Assign, Augment, If, Return, Statement, Together, While
from rlenvs.envs.procedural import between, pick

_A, _B, _I, _D, _C, _N, _P, _TOTAL = map(Name, ("a", "b", "i", "d", "c", "n", "p", "total"))


def integer(rng: np.random.Generator, level: int) -> Draft:
    """Numbers with loops. Mistake: a boundary is off by one, both sides change one after the other, or a number is
    divided by each prime once.
    """
    return (_below, _digits, _divisors, _common, _primes)[level - 1](rng)


def _draft(
    rng: np.random.Generator,
    gives: str,
    inputs: Sequence[tuple[int, ...]],
    right: tuple[Statement, ...],
    *wrong: tuple[Statement, ...],
) -> Draft:
    parameters = "n" if len(inputs[0]) == 1 else "a b"
    solve, *mistakes = (function("solve", parameters, *body) for body in (right, *wrong))
    return Draft(words=asked(rng, solve, gives), right=solve, mistakes=tuple(mistakes), inputs=tuple(inputs))


def _plus(value: Expression, number: int) -> Expression:
    return value + number if number > 0 else value - -number if number else value


def _said(number: int) -> str:
    return f", {'plus' if number > 0 else 'minus'} {abs(number)}" if number else ""


def _below(rng: np.random.Generator) -> Draft:
    """The sum or the number of the multiples up to n."""
    divisor, number, is_sum = between(rng, 2, 12), between(rng, -15, 15), bool(rng.integers(2))
    test = (_I % divisor).is_("==", 0)

    def body(stop: Expression, condition: Expression | None) -> tuple[Statement, ...]:
        total: Expression = call("sum", each(_I if is_sum else 1, "i", call("range", 1, stop), condition))
        return (Return(_plus(total, number)),)

    plus = _said(number)
    gives = f"the {'sum' if is_sum else 'number'} of the multiples of {divisor} from 1 to n, n included{plus}"
    near = [divisor, divisor - 1, divisor + 1, 3 * divisor, 2 * divisor + 1, 5 * divisor]
    inputs = [(n,) for n in (0, *near, 1, *(between(rng, 2, 60) for _ in range(15)))]
    return _draft(rng, gives, inputs, body(_N + 1, test), body(_N, test), body(_N + 1, None))


def _digits(rng: np.random.Generator) -> Draft:
    """Something about the digits of a number, from its text."""
    mark, factor = between(rng, 2, 8), between(rng, 1, 8)
    digit = call("int", _C)
    value: Expression = digit * factor if factor > 1 else digit
    sign, words = pick(rng, ((">=", "at least"), (">", "greater than"), ("<", "less than"), ("<=", "at most")))
    slip = {">=": ">", ">": ">=", "<": "<=", "<=": "<"}[sign]

    def body(item: Expression, by: str, source: Expression) -> tuple[Statement, ...]:
        return (Return(call("sum", each(item, "c", source, digit.is_(by, mark)))),)

    text = call("str", _N)
    times = f"{factor} times " if factor > 1 else ""
    what, item = pick(rng, ((f"{times}the sum", value), (f"{times}the number", lifted(factor))))
    gives = f"{what} of those digits of n that are {words} {mark}, where n is at least 0"
    shown = int("".join(str(d) for d in (mark, mark - 1, mark + 1)))
    inputs = [
        (n,) for n in (0, mark, mark - 1, mark + 1, shown, shown * 11, *(between(rng, 10, 99999) for _ in range(20)))
    ]
    return _draft(rng, gives, inputs, body(item, sign, text), body(item, slip, text), body(item, sign, text[1:]))


def _divisors(rng: np.random.Generator) -> Draft:
    """The divisors of a number that a condition holds for."""
    mark, what, factor = between(rng, 1, 9), pick(rng, ("sum", "number", "list")), between(rng, 1, 5)
    size, is_proper = between(rng, 2, 5), bool(rng.integers(2))
    divides, rest = (_N % _D).is_("==", 0), _D % size
    kind, chosen, slip = pick(
        rng,
        (
            (f"greater than {mark}", _D.is_(">", mark), _D.is_(">=", mark)),
            (f"less than {mark + 2}", _D.is_("<", mark + 2), _D.is_("<=", mark + 2)),
            ("even" if size == 2 else f"multiples of {size}", rest.is_("==", 0), rest.is_("!=", 0)),
            ("odd" if size == 2 else f"not multiples of {size}", rest.is_("!=", 0), rest.is_("==", 0)),
        ),
    )

    def body(stop: Expression, other: Expression) -> tuple[Statement, ...]:
        item = lifted(1) if what == "number" else _D
        found = each(item, "d", call("range", 1, stop), Logic(divides, "and", other))
        total: Expression = call("sum", found)
        return (Return(found if what == "list" else total * factor if factor > 1 else total),)

    times = f"{factor} times " if factor > 1 and what != "list" else ""
    ordered = ", smallest first" if what == "list" else ""
    itself = "where n does not count as a divisor of itself" if is_proper else "where n counts as a divisor of itself"
    gives = f"{times}the {what} of the divisors of n that are {kind}{ordered}, {itself}; n is at least 1"
    inputs = [
        (n,) for n in (1, 2, mark, mark + 1, 12, 2 * mark, 3 * mark, 30, *(between(rng, 2, 60) for _ in range(20)))
    ]
    stop, off = (_N, _N + 1) if is_proper else (_N + 1, _N)
    return _draft(rng, gives, inputs, body(stop, chosen), body(off, chosen), body(stop, slip))


def _common(rng: np.random.Generator) -> Draft:
    """The largest common divisor, or the smallest common multiple, and something more."""
    factor, number = between(rng, 1, 5), between(rng, -20, 20)
    ends: tuple[Statement, ...] = (While(_B.is_("!=", 0), (Together((_A, _B), (_B, _A % _B)),)),)
    slow: tuple[Statement, ...] = (While(_B.is_("!=", 0), (Assign(_A, _B), Assign(_B, _A % _B))),)
    is_multiple = bool(rng.integers(2))
    before: tuple[Statement, ...] = (Assign(_P, _A * _B),) if is_multiple else ()
    value: Expression = _P // _A if is_multiple else _A
    value = value * factor if factor > 1 else value
    value = _plus(value, number)
    wrong: Expression = _P if is_multiple else _A
    wrong = wrong * factor if factor > 1 else wrong
    wrong = _plus(wrong, number)
    times = f"{factor} times " if factor > 1 else ""
    kind = "smallest common multiple" if is_multiple else "largest common divisor"
    gives = f"{times}the {kind} of a and b{_said(number)}; both are at least 1"
    inputs = [(1, 1), (6, 4), (4, 6), (7, 5), (9, 3), (3, 9), (8, 8), *tuples(rng, 2, [12, 18, 24, 30], low=1, high=40)]
    skipped = (*before, If(_A.is_("<", _B), (Together((_A, _B), (_B, _A)),)), Return(wrong))
    return _draft(rng, gives, inputs, (*before, *ends, Return(value)), (*before, *slow, Return(value)), skipped)


def _primes(rng: np.random.Generator) -> Draft:
    """Prime factors or primes, with a loop that divides."""
    start, factor, is_once = between(rng, 0, 30), between(rng, 1, 5), bool(rng.integers(2))
    what = pick(rng, ("number", "sum"))
    grown: Expression = lifted(factor) if what == "number" else _P * factor if factor > 1 else _P
    add, divide, divides = Augment(_TOTAL, "+", grown), Assign(_N, Binary(_N, "//", _P)), (_N % _P).is_("==", 0)
    begin = Together((_P, _TOTAL), (lifted(2), lifted(start)))
    once: Statement = If(divides, (add, While(divides, (divide,))))
    always: Statement = While(divides, (add, divide))

    def body(found: Statement, sign: str) -> tuple[Statement, ...]:
        return begin, While(_P.is_(sign, _N), (found, Augment(_P, "+", lifted(1)))), Return(_TOTAL)

    plus, times = _said(start), f"{factor} times " if factor > 1 else ""
    which = "different prime factors of n" if is_once else "prime factors of n, each as often as it divides n"
    gives = f"{times}the {what} of the {which}{plus}; n is at least 1"
    inputs = [(n,) for n in (1, 2, 4, 12, 7, 9, 30, 8, 36, 25, *(between(rng, 2, 99) for _ in range(20)))]
    found, slip = (once, always) if is_once else (always, If(divides, (add, divide)))
    return _draft(rng, gives, inputs, body(found, "<="), body(slip, "<="), body(found, "<"))


FAMILIES = (
    Family(
        "integer",
        integer,
        ("multiples up to n", "digits", "divisors", "common divisors and multiples", "prime factors"),
    ),
)
