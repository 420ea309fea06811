"""Word problems from templates: a story with numbers, and the steps that lead to its answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rlenvs.envs.arithmetic.integers import OPERATIONS
from rlenvs.envs.arithmetic.problem import Family, Form, Problem, Worked, between, pick

NAMES = ("Ada", "Ben", "Chloe", "Dan", "Eva", "Finn", "Grace", "Hugo", "Iris", "Jon", "Kim", "Lea")
ITEMS = ("apples", "books", "cards", "coins", "eggs", "marbles", "pens", "shells", "stamps", "stones")

Step = tuple[str, str, str]
"""(number, operation, number); a number is a letter of the story, or the place of an earlier step: "1", "2" …"""


@dataclass(frozen=True, slots=True)
class Story:
    """A template. `ranges` gives the limits of each number, `steps` the way to the answer, `unit` what is counted."""

    text: str
    ranges: Mapping[str, tuple[int, int]]
    steps: tuple[Step, ...]
    unit: str = "{items}"


STORIES: tuple[tuple[Story, ...], ...] = (
    (
        Story(
            "{name} has {a} {items} and finds {b} more. How many {items} does {name} have now?",
            {"a": (10, 99), "b": (10, 99)},
            (("a", "+", "b"),),
        ),
        Story(
            "{name} has {a} {items} and gives {b} of them away. How many {items} are left?",
            {"a": (50, 199), "b": (10, 49)},
            (("a", "-", "b"),),
        ),
        Story(
            "{name} fills {a} boxes with {b} {items} each. How many {items} are in the boxes?",
            {"a": (3, 20), "b": (3, 20)},
            (("a", "*", "b"),),
        ),
    ),
    (
        Story(
            "{name} buys {a} bags of {b} {items} and gives {c} {items} away. How many {items} are left?",
            {"a": (3, 20), "b": (5, 20), "c": (2, 14)},
            (("a", "*", "b"), ("1", "-", "c")),
        ),
        Story(
            "{name} has {a} {items}, {other} has {b}. They share them equally among {c} friends."
            " How many {items} does each friend get?",
            {"a": (10, 99), "b": (10, 99), "c": (2, 9)},
            (("a", "+", "b"), ("1", "/", "c")),
        ),
        Story(
            "{name} has {a} {items}. {other} has {b} times as many. How many {items} do they have together?",
            {"a": (5, 60), "b": (2, 9)},
            (("a", "*", "b"), ("a", "+", "1")),
        ),
    ),
    (
        Story(
            "A shop sells {a} {items} on Monday, {b} times as many on Tuesday, and {c} fewer on Wednesday than on"
            " Tuesday. How many {items} does it sell on Wednesday and Monday together?",
            {"a": (10, 60), "b": (2, 6), "c": (3, 19)},
            (("a", "*", "b"), ("1", "-", "c"), ("2", "+", "a")),
        ),
        Story(
            "{name} works {a} hours a day for {b} days and earns {c} dollars an hour. {name} spends {d} dollars."
            " How many dollars are left?",
            {"a": (2, 9), "b": (2, 12), "c": (8, 25), "d": (5, 30)},
            (("a", "*", "b"), ("1", "*", "c"), ("2", "-", "d")),
            "dollars",
        ),
        Story(
            "{name} has {a} boxes of {b} {items} and {c} loose ones. {d} children share them all equally."
            " How many {items} does each child get?",
            {"a": (2, 12), "b": (4, 20), "c": (2, 40), "d": (2, 9)},
            (("a", "*", "b"), ("1", "+", "c"), ("2", "/", "d")),
        ),
    ),
    (
        Story(
            "{name} buys {a} {items} at {b} dollars each and {c} bags at {d} dollars each, and pays with {e} dollars."
            " How many dollars come back?",
            {"a": (2, 12), "b": (2, 9), "c": (2, 9), "d": (2, 12), "e": (250, 400)},
            (("a", "*", "b"), ("c", "*", "d"), ("1", "+", "2"), ("e", "-", "3")),
            "dollars",
        ),
        Story(
            "{name} collects {a} {items} a day for {b} days, {other} collects {c} a day for {d} days."
            " They put them together and fill {e} equal boxes. How many {items} are in each box?",
            {"a": (3, 20), "b": (2, 9), "c": (3, 20), "d": (2, 9), "e": (2, 9)},
            (("a", "*", "b"), ("c", "*", "d"), ("1", "+", "2"), ("3", "/", "e")),
        ),
        Story(
            "{name} has {a} {items}, {other} has {b} more than {name}. They sell {c} of theirs together and divide"
            " the rest equally between the two. How many {items} does each get?",
            {"a": (20, 99), "b": (3, 40), "c": (4, 30)},
            (("a", "+", "b"), ("a", "+", "1"), ("2", "-", "c"), ("3", "/", "two")),
        ),
    ),
)
"""The stories of each level; level n has n steps."""

CONFUSED = {"+": "-", "-": "+", "*": "+", "/": "-"}


def word_problem(rng: np.random.Generator, level: int) -> Problem:
    """A story told in words. Mistake: the last step uses another operation."""
    story = pick(rng, STORIES[level - 1])
    values = _values(rng, story)
    name, items = pick(rng, NAMES), pick(rng, ITEMS)
    other = pick(rng, [each for each in NAMES if each != name])
    question = story.text.format(name=name, other=other, items=items, **values)
    a, operation, b = story.steps[-1]
    right = _followed(values, story.steps)
    wrong = _followed(values, (*story.steps[:-1], (a, CONFUSED[operation], b)))
    form = Form(kind="integer", unit=story.unit.format(items=items))
    assert right is not None
    assert wrong is not None
    return Problem(question=question, right=right, wrong=wrong, form=form)


def _values(rng: np.random.Generator, story: Story) -> dict[str, int]:
    """Numbers for which every division comes out even."""
    while True:
        values = {letter: between(rng, low, high) for letter, (low, high) in story.ranges.items()}
        if _followed(values, story.steps) is not None:
            return values


def _followed(values: Mapping[str, int], steps: Sequence[Step]) -> Worked | None:
    """The steps one by one; None where a division leaves a remainder."""
    known, lines = {"two": 2, **values}, list[str]()
    for place, (first, operation, second) in enumerate(steps, start=1):
        a, b = known[first], known[second]
        if operation == "/" and a % b:
            return None
        known[str(place)] = OPERATIONS[operation](a, b)
        lines.append(f"{a}{operation}{b}={known[str(place)]}")
    return Worked(tuple(lines), str(known[str(len(steps))]))


FAMILIES = (Family("word_problem", word_problem, ("one step", "two steps", "three steps", "four steps")),)
