"""Texts: steps that change them, counts of their letters, and their words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rlenvs.envs.codegen.inputs import texts
from rlenvs.envs.codegen.predicates import some_word_test
from rlenvs.envs.codegen.problem import Draft, Family, asked, function, literal
from rlenvs.envs.codegen.syntax.comprehensions import each
from rlenvs.envs.codegen.syntax.expressions import Expression, Name, call, lifted
from rlenvs.envs.codegen.syntax.logic import Choice
from rlenvs.envs.codegen.syntax.statements import Assign, Function, Return
from rlenvs.envs.procedural import between, distinct, pick

_S, _C, _W = Name("s"), Name("c"), Name("w")
_LETTERS = "aeionrstm"


@dataclass(frozen=True, slots=True)
class Step:
    """What is done to a text `s`."""

    expression: Expression
    words: str  # an order
    slip: Expression | None = None  # what is typically written instead


def text(rng: np.random.Generator, level: int) -> Draft:
    """Changes of a text, or what is counted in it. Mistake: the cut is off by one, the case of letters is forgotten,
    two steps are swapped, or one is left out.
    """
    if level == 1:
        return _draft(rng, [_simple(rng)])
    if level == 4:
        return _counted(rng)
    if level == 5:
        return _of_words(rng)
    kinds = distinct(rng, level, 0, len(_KINDS) - 1)
    return _draft(rng, [_KINDS[kind](rng) for kind in kinds])


def _simple(rng: np.random.Generator) -> Step:
    """One change, and a text put before or after it."""
    mark = _made_up(rng)
    inner, words, slip = pick(
        rng,
        (
            (_S, "s", _S.method("strip")),
            (_S.method("upper"), "s in upper case", _S.method("title")),
            (_S.method("lower"), "s in lower case", _S),
            (_S[::-1], "s backwards", _S),
            (_S * 2, "s written twice", _S),
        ),
    )
    if rng.integers(2):
        return Step(inner + mark, f"{words}, followed by {literal(mark)}", slip + mark)
    return Step(lifted(mark) + inner, f"{literal(mark)}, followed by {words}", lifted(mark) + slip)


def _made_up(rng: np.random.Generator) -> str:
    return "".join(pick(rng, _LETTERS + "!?-#") for _ in range(between(rng, 1, 2)))


def _case(rng: np.random.Generator) -> Step:
    name, words, slip = pick(rng, (("upper", "upper case", "title"), ("lower", "lower case", "upper")))
    return Step(_S.method(name), f"change it to {words}", _S.method(slip))


def _cut(rng: np.random.Generator) -> Step:
    count = between(rng, 2, 5)
    return pick(
        rng,
        (
            Step(_S[:count], f"keep its first {count} characters", _S[: count - 1]),
            Step(_S[count:], f"drop its first {count} characters", _S[count - 1 :]),
            Step(_S[-count:], f"keep its last {count} characters", _S[count:]),
            Step(_S[:-count], f"drop its last {count} characters", _S[:count]),
        ),
    )


def _replace(rng: np.random.Generator) -> Step:
    old, new = pick(rng, _LETTERS), pick(rng, "xyz_*")
    words = pick(rng, (f'replace every "{old}" with "{new}"', f'write "{new}" in place of each "{old}"'))
    return Step(_S.method("replace", old, new), words, _S.method("replace", new, old))


def _leave_out(rng: np.random.Generator) -> Step:
    old = pick(rng, _LETTERS)
    return Step(_S.method("replace", old, ""), f'leave out every "{old}"', _S.method("replace", old, " "))


def _reverse(_: np.random.Generator) -> Step:
    return Step(_S[::-1], "reverse it")


def _append(rng: np.random.Generator) -> Step:
    mark = _made_up(rng)
    if rng.integers(2):
        return Step(_S + mark, f"put {literal(mark)} after it", lifted(mark) + _S)
    return Step(lifted(mark) + _S, f"put {literal(mark)} before it", _S + mark)


_KINDS: tuple[Callable[[np.random.Generator], Step], ...] = (_case, _cut, _replace, _leave_out, _reverse, _append)


def _draft(rng: np.random.Generator, steps: Sequence[Step]) -> Draft:
    right = _program([step.expression for step in steps])
    slipped = [
        _program([step.slip if step is other and step.slip else step.expression for step in steps])
        for other in steps
        if other.slip is not None
    ]
    swapped = [_program([step.expression for step in (steps[1], steps[0], *steps[2:])])] if len(steps) > 1 else []
    words = ", then ".join(step.words for step in steps)
    if len(steps) > 1:
        words = f"the text s after this: {words}"
    inputs = tuple((each_text,) for each_text in texts(rng, _LETTERS))
    return Draft(words=asked(rng, right, words), right=right, mistakes=(*swapped, *slipped), inputs=inputs)


def _program(steps: Sequence[Expression]) -> Function:
    return function("solve", "s", *(Assign(_S, step) for step in steps[:-1]), Return(steps[-1]))


def _counted(rng: np.random.Generator) -> Draft:
    """How many signs of some kind there are, whatever their case or only as they are."""
    letters = "".join(sorted({_LETTERS[i] for i in distinct(rng, between(rng, 2, 4), 0, len(_LETTERS) - 1)}))
    factor = between(rng, 1, 3)
    lower = _S.method("lower")

    def counted(source: Expression) -> Function:
        count: Expression = call("sum", each(1, "c", source, _C.is_("in", letters)))
        return function("count_letters", "s", Return(count * factor if factor > 1 else count))

    quoted = [f'"{letter}"' for letter in letters]
    listed = f"{', '.join(quoted[:-1])} or {quoted[-1]}"
    times = {1: "the number", 2: "twice the number", 3: "three times the number"}[factor]
    if rng.integers(2):
        right, wrong, words = counted(lower), counted(_S), "in upper or lower case"
    else:
        right, wrong, words = counted(_S), counted(lower), "in lower case only"
    gives = f"{times} of characters in the text s that are {listed}, {words}"
    inputs = tuple((each_text,) for each_text in texts(rng, letters + letters[0].upper(), extra=[letters.title()]))
    return Draft(words=asked(rng, right, gives), right=right, mistakes=(wrong,), inputs=inputs)


def _of_words(rng: np.random.Generator) -> Draft:
    """The words of a text, some of them changed, put together again."""
    test, glue = some_word_test(rng, _W), pick(rng, ("-", "_", ", ", "/", "+", "|", "; "))
    least, count, mark = test.length, between(rng, 1, 2), pick(rng, "!?*#")
    characters = "character" if count == 1 else f"{count} characters"
    change, words = pick(
        rng,
        (
            (_W.method("upper"), "put in upper case"),
            (_W[::-1], "written backwards"),
            (_W[:count], f"cut to its first {characters}"),
            (_W[-count:], f"cut to its last {characters}"),
            (_W[count:], f"written without its first {characters}"),
            (_W * 2, "written twice"),
            (_W + mark, f'followed by "{mark}"'),
        ),
    )

    def joined(condition: Expression, between_words: str) -> Function:
        changed = each(Choice(change, condition, _W), "w", _S.method("split"))
        return function("join_words", "s", Return(lifted(between_words).method("join", changed)))

    right = joined(test.condition, glue)
    mistakes = (joined(test.slip, glue), joined(test.condition, " "))
    gives = (
        f"the words of the text s, which blanks separate, joined by {literal(glue)}, with each word that"
        f" {test.singular} {words}"
    )
    near = ("ab " * 2 + "abcdefg"[:least], "abcdefg"[: least - 1] + " " + "abcdefg"[: least + 1], "hgfed"[:least])
    inputs = tuple((each_text,) for each_text in (*near, *texts(rng)))
    return Draft(words=asked(rng, right, gives), right=right, mistakes=mistakes, inputs=inputs)


FAMILIES = (
    Family(
        "text", text, ("one change and an addition", "two steps", "three steps", "letters counted", "words changed")
    ),
)
