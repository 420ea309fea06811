"""Dictionaries: made from words, grouped, turned round, and totals by name."""

import numpy as np

from rlenvs.envs.codegen.inputs import WORDS, words
from rlenvs.envs.codegen.predicates import some_word_test
from rlenvs.envs.codegen.problem import Draft, Family, asked, function, literal
from rlenvs.envs.codegen.syntax.comprehensions import DictComprehension, EmptyDict, ListOf, each
from rlenvs.envs.codegen.syntax.expressions import Expression, Item, Name, call, lifted
from rlenvs.envs.codegen.syntax.statements import Assign, Do, For, Function, Return, Statement
from rlenvs.envs.procedural import between, pick

_WORDS, _W, _TABLE, _KEY, _VALUE, _PAIRS = map(Name, ("words", "w", "table", "key", "value", "pairs"))
_COLOURS = ("red", "green", "blue", "grey", "pink", "tan", "white", "orange", "violet")


def table(rng: np.random.Generator, level: int) -> Draft:
    """Dictionaries from lists and from each other. Mistake: a boundary is off by one, the last one counts instead of
    all, or nothing is left out.
    """
    return (_by_word, _grouped, _inverted, _totals)[level - 1](rng)


def _by_word(rng: np.random.Generator) -> Draft:
    """A value for every word that is long enough."""
    number, factor, has_test = between(rng, 1, 9), between(rng, 2, 9), rng.integers(4) > 0
    word_test, mark = some_word_test(rng, _W), pick(rng, "!?*#")
    length, times = call("len", _W), _WORDS.method("count", _W)
    held, meaning, slip = pick(
        rng,
        (
            (length + number, f"its length plus {number}", length),
            (length * factor, f"{factor} times its length", length + factor),
            (times, "how often it is in the list", lifted(1)),
            (times * factor, f"{factor} times how often it is in the list", lifted(factor)),
            (times + number, f"how often it is in the list, plus {number}", lifted(number)),
            (_W[::-1] + mark, f'the word backwards, followed by "{mark}"', _W + mark),
            (_W[0], "its first letter", _W[-1]),
            (_W.method("upper") + mark, f'the word in upper case, followed by "{mark}"', _W.method("title") + mark),
        ),
    )
    test = word_test.condition if has_test else None
    off = word_test.slip if has_test else None

    def made(value: Expression, condition: Expression | None) -> tuple[Statement, ...]:
        return (Return(DictComprehension(_W, value, ("w",), _WORDS, condition)),)

    bodies = [made(held, test), made(held, off), made(slip, test)]
    right, *mistakes = (function("solve", "words", *body) for body in bodies)
    of = f" that {word_test.singular}" if has_test else ""
    gives = f"a dictionary from each word in the list words{of} to {meaning}"
    least = word_test.length
    near = [["abcdefg"[:least], "gfedcba"[: least - 1], "bcdefgh"[: least + 1]]]
    inputs = tuple((items,) for items in (*near, *words(rng)))
    return Draft(words=asked(rng, right, gives), right=right, mistakes=tuple(mistakes), inputs=inputs)


def _grouped(rng: np.random.Generator) -> Draft:
    """Lists of words by something they have in common."""
    test, has_test = some_word_test(rng, _W), rng.integers(4) > 0
    key, meaning, slip = pick(
        rng,
        (
            (_W[0], "first letter", _W[-1]),
            (_W[-1], "last letter", _W[0]),
            (call("str", call("len", _W)), "length, written as a text", call("str", call("len", _W) - 1)),
            (_W[:2], "first two letters", _W[0]),
            (_W[-2:], "last two letters", _W[-1]),
            (_W[1], "second letter", _W[2]),
            (_W[0].method("lower"), "first letter in lower case", _W[0]),
        ),
    )
    item, form = pick(
        rng,
        (
            (_W, "words"),
            (_W.method("upper"), "words in upper case"),
            (_W.method("lower"), "words in lower case"),
            (_W[::-1], "words, each written backwards"),
            (call("len", _W), "lengths of the words"),
        ),
    )
    source = each(_W, "w", _WORDS, test.condition) if has_test else _WORDS
    chosen = f" that {test.words}" if has_test else ""

    def made(by: Expression) -> tuple[Statement, ...]:
        kept = Do(_TABLE.method("setdefault", by, ListOf()).method("append", item))
        return Assign(_TABLE, EmptyDict()), For(("w",), source, (kept,)), Return(_TABLE)

    last = DictComprehension(key, ListOf((item,)), ("w",), source)
    bodies = [made(key), (Return(last),), made(slip)]
    right, *mistakes = (function("group_words", "words", *body) for body in bodies)
    gives = (
        f"a dictionary that groups those in the list words{chosen} by their {meaning}; each group is a list of the"
        f" {form}, in the order of the list words"
    )
    inputs = tuple((items,) for items in words(rng, ("ton", "Top", "rat", "rim", "moss")))
    return Draft(words=asked(rng, right, gives), right=right, mistakes=tuple(mistakes), inputs=inputs)


def _inverted(rng: np.random.Generator) -> Draft:
    """What each value's keys come to, for some of the values."""
    people = pick(rng, ("animals", "towns"))
    of = Name("colours")
    names = each(_KEY, "key", of, _VALUE.is_("==", of[_KEY]))
    factor, kind = between(rng, 2, 9), pick(rng, ("count", "times", "letters", "list", "sorted", "first", "last"))
    listed = ListOf((_KEY,))
    held, meaning, wrong = {
        "count": (call("len", names), f"how many {people} have it", lifted(1)),
        "times": (call("len", names) * factor, f"{factor} times how many {people} have it", lifted(factor)),
        "letters": (
            call("sum", each(call("len", _KEY), "key", of, _VALUE.is_("==", of[_KEY]))),
            f"how many letters the {people} that have it have altogether",
            call("len", _KEY),
        ),
        "list": (names, f"the list of the {people} that have it, in the order in which they are in colours", listed),
        "sorted": (call("sorted", names), f"the list of the {people} that have it, in alphabetical order", listed),
        "first": (call("min", names), f"the first in alphabetical order of the {people} that have it", _KEY),
        "last": (call("max", names), f"the last in alphabetical order of the {people} that have it", _KEY),
    }[kind]
    test = some_word_test(rng, _VALUE)

    def made(condition: Expression | None) -> Function:
        result = DictComprehension(_VALUE, held, ("value",), of.method("values"), condition)
        return function("by_colour", "colours", Return(result))

    one = DictComprehension(_VALUE, wrong, ("key", "value"), of.method("items"), test.condition)
    mistakes = (function("by_colour", "colours", Return(one)), made(None), made(test.slip))
    gives = (
        f"a dictionary from each colour that {test.singular} to {meaning}, where colours is a dictionary from"
        f" {people} to their colours"
    )
    right = made(test.condition)
    inputs = tuple((_coloured(rng, between(rng, 2, 6)),) for _ in range(30))
    fixed: tuple[tuple[dict[str, str]], ...] = (
        ({},),
        ({"tree": "red"},),
        ({"sun": "blue", "ant": "blue", "map": "pink"},),
    )
    return Draft(words=asked(rng, right, gives), right=right, mistakes=mistakes, inputs=(*fixed, *inputs))


def _coloured(rng: np.random.Generator, size: int) -> dict[str, str]:
    """Names and their colours, which are few, so that some are alike."""
    colours = [pick(rng, _COLOURS) for _ in range(3)]
    return {pick(rng, WORDS).lower(): pick(rng, colours) for _ in range(size)}


def _totals(rng: np.random.Generator) -> Draft:
    """Amounts added up by name, and what is not enough left out."""
    least, bonus, factor = between(rng, 3, 20), between(rng, 0, 5), between(rng, 1, 3)
    sign, words_, slip = pick(rng, ((">=", "at least", ">"), ("<=", "at most", "<")))
    amount = _VALUE * factor if factor > 1 else _VALUE

    def made(amount: Expression, sign: str) -> tuple[Statement, ...]:
        kept = DictComprehension(_KEY, _VALUE, ("key", "value"), _TABLE.method("items"), _VALUE.is_(sign, least))
        loop = For(("key", "value"), _PAIRS, (Assign(Item(_TABLE, _KEY), amount),))
        return Assign(_TABLE, EmptyDict()), loop, Return(kept)

    added = _TABLE.method("get", _KEY, bonus) + amount
    bodies = [
        made(added, sign),
        made(amount, sign),
        made(added, slip),
        made(_TABLE.method("get", _KEY, 0) + amount, sign),
    ]
    right, *mistakes = (function("add_up", "pairs", *body) for body in bodies)
    begins = f"; each total begins at {bonus}" if bonus else ""
    times = {
        1: "the total of its amounts",
        2: "the total of twice its amounts",
        3: "the total of three times its amounts",
    }
    gives = (
        f"a dictionary from each name in pairs to {times[factor]}, with only those names whose total is"
        f" {words_} {least}{begins}; pairs is a list of lists, each a name and an amount, such as {literal(['ant', 3])}"
    )
    left = max(0, least - bonus) // factor
    exact = [["ant", left], ["oak", left + 1], ["egg", 1], ["egg", left], ["ink", max(0, left - 1)]]
    drawn = [
        [[pick(rng, ("ant", "oak", "egg", "ink")), between(rng, 0, least)] for _ in range(between(rng, 1, 5))]
        for _ in range(30)
    ]
    inputs = tuple((pairs,) for pairs in (exact, exact[:1], exact[1:3], [], exact[2:4], *drawn))
    return Draft(words=asked(rng, right, gives), right=right, mistakes=tuple(mistakes), inputs=inputs)


FAMILIES = (Family("table", table, ("a value for each word", "words in groups", "names by colour", "totals by name")),)
