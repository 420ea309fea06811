"""What families ask of a number or do to it: in Python, in words, and how it is typically got wrong."""

from dataclasses import dataclass

import numpy as np

from rlenvs.envs.codegen.syntax.expressions import Expression, Name, call, lifted
from rlenvs.envs.codegen.syntax.logic import Logic
from rlenvs.envs.procedural import between, pick

X = Name("x")


@dataclass(frozen=True, slots=True)
class Test:
    """A condition on x."""

    condition: Expression
    words: str  # after "that are"
    slip: Expression  # what is typically written instead
    mark: int  # where it changes

    @property
    def singular(self) -> str:
        """The words, after "that is"."""
        return self.words.replace("multiples", "a multiple")


def some_test(rng: np.random.Generator, *, with_divisors: bool = True) -> Test:
    """A comparison with a number or two, or a question of divisibility."""
    kinds = (">", ">=", "<", "<=", "between", "between")
    kind = pick(rng, (*kinds, pick(rng, ("even", "odd")), "multiple") if with_divisors else kinds)
    mark = between(rng, -3, 9)
    match kind:
        case "between":
            return _between(mark, mark + between(rng, 1, 5))
        case ">":
            return Test(X.is_(">", mark), f"greater than {mark}", X.is_(">=", mark), mark)
        case ">=":
            return Test(X.is_(">=", mark), f"at least {mark}", X.is_(">", mark), mark)
        case "<":
            return Test(X.is_("<", mark), f"less than {mark}", X.is_("<=", mark), mark)
        case "<=":
            return Test(X.is_("<=", mark), f"at most {mark}", X.is_("<", mark), mark)
        case "even":
            return Test((X % 2).is_("==", 0), "even", (X % 2).is_("==", 1), 0)
        case "odd":
            return Test((X % 2).is_("==", 1), "odd", (X % 2).is_("==", 0), 1)
    divisor = between(rng, 3, 6)
    test, other = (X % divisor).is_("==", 0), (X % divisor).is_("!=", 0)
    if rng.integers(2):
        return Test(other, f"not multiples of {divisor}", test, divisor)
    return Test(test, f"multiples of {divisor}", (X // divisor).is_("==", 0), divisor)


def _between(low: int, high: int) -> Test:
    inside = Logic(X.is_(">=", low), "and", X.is_("<=", high))
    slip = Logic(X.is_(">=", low), "and", X.is_("<", high))
    return Test(inside, f"from {low} to {high} inclusive", slip, high)


@dataclass(frozen=True, slots=True)
class WordTest:
    """A condition on a word."""

    condition: Expression
    words: str  # after "words that"
    singular: str  # after "word that"
    slip: Expression  # what is typically written instead
    length: int  # words of this length, and one shorter or longer, show the slip


def some_word_test(rng: np.random.Generator, word: Expression) -> WordTest:
    """A comparison of a word's length with a number, or a question for a letter."""
    if rng.integers(2):
        letter = lifted(pick(rng, "aeilnorst"))
        said = f"a lower-case {letter.text}"
        inside, outside = letter.is_("in", word), letter.is_("not in", word)
        if rng.integers(2):
            return WordTest(outside, f"do not contain {said}", f"does not contain {said}", inside, 4)
        return WordTest(inside, f"contain {said}", f"contains {said}", word.method("startswith", letter), 4)
    length = between(rng, 3, 5)
    sign, said, slipped = pick(rng, ((">=", "at least", ">"), ("<=", "at most", "<")))
    condition, slip = (call("len", word).is_(each, length) for each in (sign, slipped))
    return WordTest(condition, f"have {said} {length} characters", f"has {said} {length} characters", slip, length)


@dataclass(frozen=True, slots=True)
class Change:
    """What is done to x."""

    expression: Expression
    words: str  # an order, with "it" for the number

    @property
    def plural(self) -> str:
        """The order for all numbers of a list."""
        return self.words.replace("change its", "change each number's").replace(" it", " each number", 1)


_TIMES = {2: "double it", 3: "triple it", 4: "multiply it by 4"}


def some_change(rng: np.random.Generator) -> Change:
    """An operation with a number, or a square."""
    number, factor = between(rng, 2, 9), between(rng, 2, 4)
    return pick(
        rng,
        (
            Change(X + number, f"add {number} to it"),
            Change(X - number, f"subtract {number} from it"),
            Change(X * number, f"multiply it by {number}"),
            Change(X * X, "square it"),
            Change(-X, "change its sign"),
            Change(X * factor + number, f"{_TIMES[factor]} and then add {number}"),
            Change(X * factor - number, f"{_TIMES[factor]} and then subtract {number}"),
        ),
    )
