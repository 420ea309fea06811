"""Lists of digits and small numbers: sums, order, counts, comparisons.

Every step of the working copies one item and updates one value, so that small models can learn these.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from rlenvs.envs.arithmetic.problem import Family, Form, Problem, Worked, between, distinct, pick, with_digits


def running_sum(rng: np.random.Generator, level: int) -> Problem:
    """Add up digits from 1 to 9. Mistake: the last one is dropped."""
    items = [between(rng, 1, 9) for _ in range(level + 2)]
    question = f"Add up {_spaced(items)}."
    return Problem(question=question, right=_added(items), wrong=_added(items[:-1]))


def _added(items: Sequence[int]) -> Worked:
    total, lines = items[0], []
    for item in items[1:]:
        lines.append(f"{total}+{item}={total + item}")
        total += item
    return Worked(tuple(lines), str(total))


def sort(rng: np.random.Generator, level: int) -> Problem:
    """Put digits, or numbers of two digits, in order. Mistake: they are copied as they come, or backwards."""
    is_digits = level < 4
    items = [between(rng, 0, 9) for _ in range(level + 2)] if is_digits else distinct(rng, 5, 10, 99)
    descending = not is_digits and pick(rng, (False, True))
    join = "" if is_digits else " "
    right, copied = _inserted(items, descending, join), join.join(map(str, items))
    wrong = Worked((), copied if copied != right.answer else join.join(map(str, reversed(items))))
    question = f"Sort {_spaced(items)} in {'descending' if descending else 'ascending'} order."
    return Problem(question=question, right=right, wrong=wrong, form=Form(kind="digits" if is_digits else "sequence"))


def _inserted(items: Sequence[int], reverse: bool, join: str) -> Worked:
    sorted_so_far = [sorted(items[: i + 1], reverse=reverse) for i in range(len(items))]
    texts = [join.join(map(str, done)) for done in sorted_so_far]
    return Worked(tuple(f"{item}:{text}" for item, text in zip(items, texts, strict=True)), texts[-1])


def count(rng: np.random.Generator, level: int) -> Problem:
    """Count a digit, or a letter, that makes up about two fifths of a list. Mistake: all are counted."""
    signs = "0123456789" if level < 4 else "abcdefghij"
    wanted = pick(rng, signs)
    items = [wanted if rng.integers(3) == 0 else pick(rng, signs) for _ in range(2 + 2 * level)]
    counts = [items[: i + 1].count(wanted) for i in range(len(items))]
    lines = [f"{item}={wanted}?{'y' if item == wanted else 'n'}{n}" for item, n in zip(items, counts, strict=True)]
    right, wrong = Worked(tuple(lines), str(counts[-1])), Worked((), str(len(items)))
    return Problem(question=f"How many {wanted}s are in {' '.join(items)}?", right=right, wrong=wrong)


def reverse(rng: np.random.Generator, level: int) -> Problem:
    """Write digits in reverse. Mistake: the last one to write is dropped."""
    digits = [str(between(rng, 0, 9)) for _ in range(level + 2)]
    backwards = digits[::-1]
    right, wrong = (Worked(tuple(part), "".join(part)) for part in (backwards, backwards[:-1]))
    return Problem(question=f"Reverse {' '.join(digits)}.", right=right, wrong=wrong, form=Form(kind="digits"))


def largest(rng: np.random.Generator, level: int) -> Problem:
    """The largest of different numbers. Mistake: the last one is given; where that is right, the first."""
    return _extreme(rng, level, "largest", max)


def smallest(rng: np.random.Generator, level: int) -> Problem:
    """The smallest of different numbers. Mistake: the last one is given; where that is right, the first."""
    return _extreme(rng, level, "smallest", min)


def _extreme(rng: np.random.Generator, level: int, word: str, best: Callable[[Sequence[int]], int]) -> Problem:
    items = distinct(rng, level + 2, 10, 99) if level < 4 else distinct(rng, 6, 100, 999)
    best_so_far = [best(items[: i + 1]) for i in range(len(items))]
    lines = tuple(f"{item}:{value}" for item, value in zip(items, best_so_far, strict=True))
    right = Worked(lines, str(best_so_far[-1]))
    wrong = Worked((), str(items[-1] if items[-1] != best_so_far[-1] else items[0]))
    return Problem(question=f"Which is the {word} of {_spaced(items)}?", right=right, wrong=wrong)


def compare(rng: np.random.Generator, level: int) -> Problem:
    """The larger of two numbers that begin alike. Mistake: the deciding comparison is misread."""
    first, second = _fraction_pair(rng) if level == 4 else _decimal_pair(rng, level)
    while Fraction(first) == Fraction(second):
        first, second = _fraction_pair(rng) if level == 4 else _decimal_pair(rng, level)
    lines = _cross_multiplied(first, second) if level == 4 else _digit_by_digit(first, second)
    smaller, larger = sorted((first, second), key=Fraction)
    misread = (*lines[:-1], lines[-1].translate(str.maketrans("<>", "><")))
    question = f"Which is larger, {first} or {second}?"
    form = Form(kind="number" if level > 2 else "integer")
    return Problem(question=question, right=Worked(lines, larger), wrong=Worked(misread, smaller), form=form)


def _decimal_pair(rng: np.random.Generator, level: int) -> tuple[str, str]:
    if level == 3:  # 9.11 and 9.9: the longer number is not always the larger
        whole, tenth, short = between(rng, 0, 99), between(rng, 1, 9), between(rng, 1, 9)
        pair = f"{whole}.{tenth}{between(rng, 1, 9)}", f"{whole}.{short}"
        return pair if rng.integers(2) else pair[::-1]
    shared = with_digits(rng, level)
    length = level + 1
    first, second = (str(shared) + "".join(str(between(rng, 0, 9)) for _ in range(length)) for _ in range(2))
    return first, second


def _fraction_pair(rng: np.random.Generator) -> tuple[str, str]:
    denominators = distinct(rng, 2, 3, 19)
    first, second = (f"{between(rng, 1, denominator - 1)}/{denominator}" for denominator in denominators)
    return first, second


def _digit_by_digit(first: str, second: str) -> tuple[str, ...]:
    length = max(len(first), len(second))
    lines = []
    for a, b in zip(first.ljust(length, "0"), second.ljust(length, "0"), strict=True):
        if a != ".":
            lines.append(f"{a}{_sign(int(a), int(b))}{b}")
        if a != b:
            break
    return tuple(lines)


def _cross_multiplied(first: str, second: str) -> tuple[str, ...]:
    (a, b), (c, d) = (map(int, text.split("/")) for text in (first, second))
    return f"{a}*{d}={a * d}", f"{c}*{b}={c * b}", f"{a * d}{_sign(a * d, c * b)}{c * b}"


def _sign(first: int, second: int) -> str:
    return "<" if first < second else ">" if first > second else "="


def _spaced(items: Sequence[int]) -> str:
    return " ".join(map(str, items))


FAMILIES = (
    Family("running_sum", running_sum, ("3 digits", "4 digits", "5 digits", "6 digits")),
    Family("sort", sort, ("3 digits", "4 digits", "5 digits", "5 two-digit numbers, either direction")),
    Family("count", count, ("4 digits", "6 digits", "8 digits", "10 letters")),
    Family("reverse", reverse, ("3 digits", "4 digits", "5 digits", "6 digits")),
    Family("largest", largest, ("3 two-digit numbers", "4", "5", "6 three-digit numbers")),
    Family("smallest", smallest, ("3 two-digit numbers", "4", "5", "6 three-digit numbers")),
    Family(
        "compare",
        compare,
        ("3 digits, first alike", "5 digits, first two alike", "decimals of unequal length", "fractions"),
    ),
)
