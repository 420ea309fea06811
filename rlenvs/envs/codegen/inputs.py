"""Arguments that tests are chosen from: what every test needs first, then drawn ones around the marks of a program.

Marks are the numbers at which a program's behaviour changes; off-by-one mistakes show on them and beside them.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from rlenvs.envs.procedural import between, pick

Numbers = list[int]
WORDS = ("tree", "map", "Sun", "river", "ant", "Oak", "stone", "ink", "level", "moon", "egg", "Rain", "kite", "noon")


def numbers(rng: np.random.Generator, marks: Iterable[int] = (), *, low: int = -20, high: int = 20) -> Numbers:
    """Marks and their neighbours, 0, 1 and -1, then drawn ones; each once, within the bounds."""
    near = [mark + step for mark in marks for step in (0, 1, -1)]
    drawn = [between(rng, low, high) for _ in range(20)]
    return list(dict.fromkeys(value for value in (*near, 0, 1, -1, *drawn) if low <= value <= high))


def tuples(
    rng: np.random.Generator, count: int, marks: Iterable[int] = (), *, low: int = -9, high: int = 9
) -> list[tuple[int, ...]]:
    """`count` numbers each: alike, one of them 0, then drawn ones, marks among them."""
    pool = numbers(rng, marks, low=low, high=high)
    first = [tuple(pick(rng, pool) for _ in range(count)) for _ in range(4)]
    alike = [(value,) * count for value in (pick(rng, pool), 0, 1) if low <= value <= high]
    drawn = [
        tuple(pick(rng, pool) if rng.integers(3) == 0 else between(rng, low, high) for _ in range(count))
        for _ in range(30)
    ]
    return [*first, *alike, *drawn]


def lists(
    rng: np.random.Generator, marks: Sequence[int] = (), *, least: int = 0, low: int = -9, high: int = 12
) -> list[Numbers]:
    """Lists of numbers: empty, of one, with duplicates, all alike, in order, then drawn ones."""
    pool = numbers(rng, marks, low=low, high=high)
    near = [value for mark in marks for value in (mark - 1, mark, mark + 1) if low <= value <= high] or pool

    def drawn(length: int) -> Numbers:
        return [pick(rng, near) if rng.integers(2) else between(rng, low, high) for _ in range(length)]

    value = pick(rng, pool)
    fixed: list[Numbers] = [[], [pick(rng, near)], near[:6], [value] * 3, drawn(5), sorted(drawn(5)), drawn(4)]
    twice = drawn(3)
    others = [twice + twice[::-1], sorted(drawn(4), reverse=True), [max(0, low)], [near[0]], [near[-1]]]
    more = [drawn(between(rng, 2, 7)) for _ in range(20)]
    return [items for items in (*fixed, *others, *more) if len(items) >= least]


def words(rng: np.random.Generator, extra: Sequence[str] = (), *, least: int = 0) -> list[list[str]]:
    """Lists of words: empty, of one, with duplicates, then drawn ones, the extra words among them."""
    pool = (*WORDS, *extra, *extra)

    def drawn(length: int) -> list[str]:
        return [pick(rng, pool) for _ in range(length)]

    twice = drawn(2)
    fixed = [[], drawn(1), drawn(4), twice + twice, [*twice, *drawn(2), twice[0]], drawn(5), list(extra) or drawn(3)]
    return [items for items in (*fixed, *(drawn(between(rng, 1, 6)) for _ in range(25))) if len(items) >= least]


def texts(rng: np.random.Generator, letters: str = "", *, extra: Sequence[str] = ()) -> list[str]:
    """Texts: empty, one sign, a palindrome, upper case, blanks at the ends, digits, then drawn ones of words."""

    def drawn() -> str:
        chosen = [pick(rng, WORDS) for _ in range(between(rng, 1, 3))]
        spot = "".join(pick(rng, letters) for _ in range(2)) if letters else ""
        return " ".join(chosen) + spot

    fixed = ["", pick(rng, letters or "abc"), drawn(), "level", drawn(), f" {drawn()} ", drawn().upper(), "a1b22"]
    return [*fixed, *extra, letters, letters.upper(), "  ", *(drawn() for _ in range(20))]
