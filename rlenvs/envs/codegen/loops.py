"""Loops that keep a state: what is repeated, running totals, pairs that go on together, runs, and steps to an end."""

import numpy as np

from rlenvs.envs.codegen.inputs import lists
from rlenvs.envs.codegen.predicates import X, some_test
from rlenvs.envs.codegen.problem import Draft, Family, asked, function
from rlenvs.envs.codegen.syntax.comprehensions import ListOf
from rlenvs.envs.codegen.syntax.expressions import Expression, Name, call, lifted
from rlenvs.envs.codegen.syntax.statements import Assign, Augment, Do, For, If, Return, Statement, Together, While
from rlenvs.envs.procedural import between, pick

_A, _B, _N, _XS, _TOTAL, _TOTALS = map(Name, ("a", "b", "n", "xs", "total", "totals"))
_RUN, _BEST, _STEPS = map(Name, ("run", "best", "steps"))


def loop(rng: np.random.Generator, level: int) -> Draft:
    """Loops with a state. Mistake: one round too few, the state is not set back, or it changes too early."""
    return (_repeated, _running, _together, _longest, _until)[level - 1](rng)


def _repeated(rng: np.random.Generator) -> Draft:
    """A step that is done n times."""
    factor, number = between(rng, 1, 5), between(rng, 1, 25)
    sign, is_last = pick(rng, "+-"), bool(rng.integers(2))  # whether the number comes last
    times = [f"multiply it by {factor}"] if factor > 1 else []
    added = f"{'add' if sign == '+' else 'subtract'} {number} {'to' if sign == '+' else 'from'} {{}}"
    changed = _A * factor if factor > 1 and is_last else _A
    step = changed + number if sign == "+" else changed - number
    if is_last:
        words = " and then ".join([*times, added.format("the result" if times else "it")])
    else:
        step = step * factor if factor > 1 else step
        words = " and then ".join([added.format("it"), *(f"multiply the result by {factor}" for _ in times)])

    def body(rounds: Expression) -> tuple[Statement, ...]:
        return For(("_",), rounds, (Assign(_A, step),)), Return(_A)

    right = function("solve", "a n", *body(call("range", _N)))
    once_less = function("solve", "a n", *body(call("range", 1, _N)))
    once_more = function("solve", "a n", *body(call("range", _N + 1)))
    gives = f"what a becomes after n rounds, in each of which you {words}"
    inputs = ((5, 0), (0, 1), (1, 2), (-2, 3), (3, 1), *((between(rng, -6, 9), between(rng, 0, 5)) for _ in range(25)))
    return Draft(words=asked(rng, right, gives), right=right, mistakes=(once_less, once_more), inputs=inputs)


def _running(rng: np.random.Generator) -> Draft:
    """The totals so far of a list, from a start, or without some numbers."""
    start, test = between(rng, 0, 15), some_test(rng)
    has_test = bool(rng.integers(8))

    def body(first: int, condition: Expression | None, *, late: bool = False) -> tuple[Statement, ...]:
        add: Statement = Augment(_TOTAL, "+", X)
        if condition is not None:
            add = If(condition, (add,))
        keep = Do(_TOTALS.method("append", _TOTAL))
        inner = (keep, add) if late else (add, keep)
        return Assign(_TOTALS, ListOf()), Assign(_TOTAL, lifted(first)), For(("x",), _XS, inner), Return(_TOTALS)

    condition = test.condition if has_test else None
    bodies = [body(start, condition), body(start, condition, late=True), body(start + 1, condition)]
    right, *mistakes = (function("running_totals", "xs", *each) for each in bodies)
    added = f"only numbers that are {test.words} are added to it" if has_test else "every number is added to it"
    gives = f"the list that has the total after each of the numbers in xs; the total starts at {start}, and {added}"
    inputs = tuple((items,) for items in lists(rng, [test.mark] if has_test else []))
    return Draft(words=asked(rng, right, gives), right=right, mistakes=tuple(mistakes), inputs=inputs)


def _together(rng: np.random.Generator) -> Draft:
    """Two numbers of which each step makes the next two."""
    first, second, factor = between(rng, 0, 4), between(rng, 1, 6), between(rng, 1, 3)
    modulus, has_modulus = between(rng, 7, 40), bool(rng.integers(2))
    sign = "+" if has_modulus else pick(rng, "+-")  # people differ about remainders of negative numbers
    scaled = _A * factor if factor > 1 else _A
    following = _B + scaled if sign == "+" else _B - scaled
    if has_modulus:
        following = following % modulus
    begin: Statement = Together((_A, _B), (lifted(first), lifted(second)))
    at_once = (Together((_A, _B), (_B, following)),)
    too_early = (Assign(_A, _B), Assign(_B, following))
    bodies = [
        (begin, For(("_",), call("range", _N), at_once), Return(_A)),
        (begin, For(("_",), call("range", _N), too_early), Return(_A)),
        (begin, For(("_",), call("range", _N), at_once), Return(_B)),
    ]
    right, *mistakes = (function("term", "n", *each) for each in bodies)
    before = f"{factor} times the one before that" if factor > 1 else "the one before that"
    rest = f", reduced to its remainder after division by {modulus}" if has_modulus else ""
    gives = (
        f"number n, counted from 0, of the sequence that begins {first}, {second}, and where each next number is the"
        f" one before it {'plus' if sign == '+' else 'minus'} {before}{rest}"
    )
    inputs = tuple((n,) for n in (0, 1, 2, 3, 5, 4, 7, 6, 10, 8, 12, 9, 11, 13, 15))
    return Draft(words=asked(rng, right, gives), right=right, mistakes=tuple(mistakes), inputs=inputs)


def _longest(rng: np.random.Generator) -> Draft:
    """The longest run of neighbours that a condition holds for."""
    test, what = some_test(rng), pick(rng, ("length", "sum", "squares"))
    grown: Expression = {"length": lifted(1), "sum": call("abs", X), "squares": X * X}[what]

    def body(condition: Expression, *, resets: bool) -> tuple[Statement, ...]:
        grow = (Augment(_RUN, "+", grown), Assign(_BEST, call("max", _BEST, _RUN)))
        inner = If(condition, grow, (Assign(_RUN, lifted(0)),) if resets else ())
        return Together((_RUN, _BEST), (lifted(0), lifted(0))), For(("x",), _XS, (inner,)), Return(_BEST)

    bodies = [body(test.condition, resets=True), body(test.condition, resets=False), body(test.slip, resets=True)]
    right, *mistakes = (function("longest_run", "xs", *each) for each in bodies)
    meaning = {
        "length": "length of the longest run",
        "sum": "largest sum of absolute values in a run",
        "squares": "largest sum of squares in a run",
    }[what]
    gives = f"the {meaning} of neighbours in xs that are all {test.words}, or 0 if there is none"
    inputs = tuple((items,) for items in lists(rng, [test.mark]))
    return Draft(words=asked(rng, right, gives), right=right, mistakes=tuple(mistakes), inputs=inputs)


def _until(rng: np.random.Generator) -> Draft:
    """How many steps a number takes to get below a mark."""
    divisor, number, mark = between(rng, 2, 5), between(rng, 1, 7), between(rng, 2, 20)

    def body(sign: str, *, first: int = 0) -> tuple[Statement, ...]:
        step = If((_N % divisor).is_("==", 0), (Assign(_N, _N // divisor),), (Augment(_N, "-", lifted(number)),))
        count = Augment(_STEPS, "+", lifted(1))
        return Assign(_STEPS, lifted(first)), While(_N.is_(sign, mark), (step, count)), Return(_STEPS)

    bodies = [body(">="), body(">"), body(">=", first=1)]
    right, *mistakes = (function("count_steps", "n", *each) for each in bodies)
    gives = (
        f"how many steps it takes until n is less than {mark}; a step divides n by {divisor} if that leaves no"
        f" remainder, and otherwise subtracts {number} from n"
    )
    near = [mark, mark - 1, mark + 1, divisor * mark, divisor * mark + 1, divisor * divisor * mark, 0, 1]
    inputs = tuple((n,) for n in (*near, *(between(rng, 2, 200) for _ in range(25))))
    return Draft(words=asked(rng, right, gives), right=right, mistakes=tuple(mistakes), inputs=inputs)


FAMILIES = (
    Family(
        "loop",
        loop,
        ("a step n times", "running totals", "two numbers together", "the longest run", "steps until a mark"),
    ),
)
