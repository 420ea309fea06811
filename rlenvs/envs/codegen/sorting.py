"""Sorting with keys."""

import numpy as np

from rlenvs.envs.codegen.inputs import lists, words
from rlenvs.envs.codegen.predicates import some_word_test
from rlenvs.envs.codegen.problem import Draft, Family, asked, function
from rlenvs.envs.codegen.syntax.comprehensions import Lambda, Pair, each
from rlenvs.envs.codegen.syntax.expressions import Expression, Name, call
from rlenvs.envs.codegen.syntax.logic import Logic
from rlenvs.envs.codegen.syntax.statements import Return
from rlenvs.envs.procedural import between, distinct, pick

_XS, _X, _WORDS, _W, _PAIRS, _P = map(Name, ("xs", "x", "words", "w", "pairs", "p"))
_PEOPLE = ("ann", "bob", "cleo", "dan", "eve")


def order(rng: np.random.Generator, level: int) -> Draft:
    """Lists in an order. Mistake: ties are left as they come, the order is turned round, or the key is another one."""
    return (_numbers, _words, _pairs, _frequency)[level - 1](rng)


def _numbers(rng: np.random.Generator) -> Draft:
    """Numbers by their distance from one, or by a remainder; ties stay as they come."""
    number, count = between(rng, 2, 12), between(rng, 2, 4)
    key, words_, slip = pick(
        rng,
        (
            (call("abs", _X - number), f"distance from {number}", _X - number),
            (_X % number, f"remainder after division by {number}", _X),
            (_X * (_X - number), f"value of x * (x - {number}), where x is the number", _X * _X),
        ),
    )
    largest, of = bool(rng.integers(2)), pick(rng, ("all", "first", "last"))
    # People differ about remainders of negative numbers.
    low = 0 if words_.startswith("remainder") else -9

    def made(by: Expression, *, turned: bool) -> Expression:
        key_of = Lambda("x", by)
        made_ = call("sorted", _XS, key=key_of, reverse=True) if turned else call("sorted", _XS, key=key_of)
        return made_ if of == "all" else made_[:count] if of == "first" else made_[-count:]

    results = [made(key, turned=largest), made(slip, turned=largest), made(key, turned=not largest)]
    right, *mistakes = (function("solve", "xs", Return(result)) for result in results)
    ends = "largest" if largest else "smallest"
    part = "the list" if of == "all" else f"the {of} {count} numbers of the list"
    gives = (
        f"{part} that you get if you sort xs by each number's {words_}, the {ends} first and equal ones in the order of"
        " xs"
    )
    inputs = tuple((items,) for items in lists(rng, [number], low=low))
    return Draft(words=asked(rng, right, gives), right=right, mistakes=tuple(mistakes), inputs=inputs)


def _words(rng: np.random.Generator) -> Draft:
    """Words by a property, then by the alphabet."""
    count, letter = between(rng, 2, 4), pick(rng, "aeilnort")
    occurrences, test = _W.method("count", letter), some_word_test(rng, _W)
    key, words_ = pick(
        rng,
        (
            (call("len", _W), "length, the shortest first"),
            (-call("len", _W), "length, the longest first"),
            (_W[-1], "last letter"),
            (occurrences, f'number of lower-case letters "{letter}", the fewest first'),
            (-occurrences, f'number of lower-case letters "{letter}", the most first'),
            (_W[1], "second letter"),
        ),
    )
    of, has_test = pick(rng, ("all", "first", "last")), bool(rng.integers(2))
    source = each(_W, "w", _WORDS, test.condition) if has_test else _WORDS

    def made(by: Expression) -> Expression:
        made_ = call("sorted", source, key=Lambda("w", by))
        return made_ if of == "all" else made_[:count] if of == "first" else made_[-count:]

    alphabet = _W.method("lower")
    results = [made(Pair((key, alphabet))), made(key), made(Pair((alphabet, key)))]
    right, *mistakes = (function("in_order", "words", Return(result)) for result in results)
    part = "the list" if of == "all" else f"the {of} {count} words of the list"
    which = f"those in words that {test.words}" if has_test else "words"
    gives = (
        f"{part} that you get if you sort {which} by their {words_}, and ties in alphabetical order, whatever the case"
        " of letters"
    )
    inputs = tuple((items,) for items in words(rng, ("ox", "ton", "Tom", "on")))
    return Draft(words=asked(rng, right, gives), right=right, mistakes=tuple(mistakes), inputs=inputs)


def _pairs(rng: np.random.Generator) -> Draft:
    """The names of the best, ties by the alphabet."""
    count, least = between(rng, 2, 4), between(rng, 2, 20)
    name, points = _P[0], _P[1]
    sign, limit = pick(rng, ((">=", "at least"), ("<=", "at most")))
    has_limit = rng.integers(8) > 0
    source: Expression = each(_P, "p", _PAIRS, points.is_(sign, least)) if has_limit else _PAIRS
    most, by_name = bool(rng.integers(2)), bool(rng.integers(2))
    key = -points if most else points
    by, slip = (Pair((key, name)), key) if by_name else (key, Pair((key, name)))

    def made(key: Expression, **keywords: bool) -> Expression:
        return each(name, "p", call("sorted", source, key=Lambda("p", key), **keywords)[:count])

    turned = made(Pair((points, name)), reverse=True) if most else made(slip)
    results = [made(by), turned, made(slip), made(-key)]
    right, *mistakes = (function("best", "pairs", Return(result)) for result in results)
    of = f" of those who have {limit} {least} points" if has_limit else ""
    ends, equals = "most" if most else "fewest", "alphabetical order" if by_name else "the order of pairs"
    gives = (
        f"a list of the names of the {count} people with the {ends} points{of}, or of all if they are fewer; the {ends}"
        f" points come first, and people with equal points in {equals};"
        " pairs is a list of [name, points]"
    )
    drawn = [
        [[_PEOPLE[i], between(rng, least - 2, least + 3)] for i in distinct(rng, size, 0, len(_PEOPLE) - 1)]
        for size in (0, 1, 3, 5, *(between(rng, 2, 5) for _ in range(30)))
    ]
    ties = [["dan", least], ["ann", least], ["eve", least + 1], ["bob", least - 1], ["cleo", least]]
    inputs = tuple((pairs,) for pairs in (ties, *drawn))
    return Draft(words=asked(rng, right, gives), right=right, mistakes=tuple(mistakes), inputs=inputs)


def _frequency(rng: np.random.Generator) -> Draft:
    """What is most, or least, frequent in a list."""
    count, most = between(rng, 2, 4), bool(rng.integers(2))
    count_of = _XS.method("count", _X)
    times, turned = (-count_of, count_of) if most else (count_of, -count_of)
    tie, other_tie, words_ = pick(rng, ((_X, -_X, "smaller"), (-_X, _X, "larger")))
    least, mark = between(rng, 1, 2), between(rng, 1, 5)
    test, said = pick(
        rng,
        (
            (None, ""),
            (_X.is_(">=", mark), f" that are at least {mark}"),
            (_X.is_("<=", mark), f" that are at most {mark}"),
            (_X.is_("!=", mark), f" that are not {mark}"),
            pick(rng, (((_X % 2).is_("==", 0), " that are even"), ((_X % 2).is_("==", 1), " that are odd"))),
        ),
    )
    often = count_of.is_(">=", least) if least > 1 else None
    condition = Logic(test, "and", often) if test and often else test or often
    chosen: Expression = call("set", _XS)
    limited = each(_X, "x", chosen, condition) if condition else chosen

    def made(by: Expression) -> Expression:
        return call("sorted", limited, key=Lambda("x", by))[:count]

    results = [made(Pair((times, tie))), made(Pair((times, other_tie))), made(Pair((turned, tie)))]
    right, *mistakes = (function("most_frequent" if most else "rarest", "xs", Return(result)) for result in results)
    of = f"different numbers in xs{said}"
    repeated = f"{' and' if said else ' that'} occur at least {least} times" if least > 1 else ""
    ends = "most" if most else "least"
    gives = (
        f"a list of the {count} {ends} frequent of the {of}{repeated}, or of all if they are fewer, the {ends} frequent"
        f" first and of equally frequent ones the {words_} first"
    )
    inputs = tuple((items,) for items in lists(rng, [mark], low=0, high=6))
    return Draft(words=asked(rng, right, gives), right=right, mistakes=tuple(mistakes), inputs=inputs)


FAMILIES = (
    Family("order", order, ("numbers by a key", "words, then the alphabet", "the best of a table", "by frequency")),
)
