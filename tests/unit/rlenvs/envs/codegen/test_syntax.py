"""The small Python: how it is written, what it does, and that it ends."""

from typing import Any

import pytest

from rlenvs.envs.codegen.problem import function
from rlenvs.envs.codegen.syntax.builtin import LimitError
from rlenvs.envs.codegen.syntax.comprehensions import DictComprehension, EmptyDict, Lambda, ListOf, Pair, each
from rlenvs.envs.codegen.syntax.expressions import Call, Expression, Item, Name, call, lifted
from rlenvs.envs.codegen.syntax.logic import Choice, Logic
from rlenvs.envs.codegen.syntax.mutants import RAISED, result_of
from rlenvs.envs.codegen.syntax.statements import (
    Assign,
    Augment,
    Do,
    For,
    If,
    Return,
    Script,
    Statement,
    Together,
    While,
)

A, B, C, X, XS = map(Name, ("a", "b", "c", "x", "xs"))

WRITTEN: list[tuple[Expression, str, Any]] = [
    ((A + B) * 2, "(a + b) * 2", 16),
    (A + B * 2, "a + b * 2", 11),
    (A - (B - C), "a - (b - c)", 9),
    (A - B - C, "a - b - c", -5),
    (A // (B * 2), "a // (b * 2)", 0),
    ((A * B) % C, "a * b % c", 1),
    (A * -1, "a * -1", -5),
    (-(A + B), "-(a + b)", -8),
    (-A * B, "-a * b", -15),
    (lifted("ab") * 2, '"ab" * 2', "abab"),
    (lifted('a"b') + "'", '\'a"b\' + "\'"', "a\"b'"),
    (A.is_("<", B + C), "a < b + c", True),
    (Logic(A.is_("<", 6), "or", Logic(A.is_(">", 9), "and", B.is_("==", 0))), "a < 6 or a > 9 and b == 0", True),
    (Logic(Logic(A.is_("<", 6), "or", A.is_(">", 9)), "and", B.is_("==", 0)), "(a < 6 or a > 9) and b == 0", False),
    (Choice(A, A.is_(">", B), B) + 1, "(a if a > b else b) + 1", 6),
    (Choice(A, A.is_(">", 9), Choice(B, B.is_(">", 9), C)), "a if a > 9 else b if b > 9 else c", 7),
    (XS[1:], "xs[1:]", [2, 3, 4]),
    (XS[:-1:2], "xs[:-1:2]", [1, 3]),
    (XS[::-1], "xs[::-1]", [4, 3, 2, 1]),
    (XS[A - B], "xs[a - b]", 3),
    (call("sum", each(X * 2, "x", XS, X.is_(">", 1))), "sum(x * 2 for x in xs if x > 1)", 18),
    (call("len", each(X, "x", XS)), "len([x for x in xs])", 4),
    (call("max", each(X, "x", XS), default=0), "max([x for x in xs], default=0)", 4),
    (each(Choice(X, X.is_(">", 2), lifted(0)), "x", XS), "[x if x > 2 else 0 for x in xs]", [0, 0, 3, 4]),
    (lifted("-").method("join", each(call("str", X), "x", XS)), '"-".join(str(x) for x in xs)', "1-2-3-4"),
    (call("sorted", XS, key=Lambda("x", Pair((X % 2, -X)))), "sorted(xs, key=lambda x: (x % 2, -x))", [4, 2, 3, 1]),
    (DictComprehension(call("str", X), X * X, ("x",), XS[:2]), "{str(x): x * x for x in xs[:2]}", {"1": 1, "2": 4}),
    (lifted("Ab").method("lower").method("count", "a"), '"Ab".lower().count("a")', 1),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "text", "value"), WRITTEN)
def test_an_expression_is_written_as_python_and_worth_what_python_says(
    expression: Expression, text: str, value: Any
) -> None:
    scope = {"a": 5, "b": 3, "c": 7, "xs": [1, 2, 3, 4]}
    assert expression.text == text
    assert expression.value(scope) == value
    assert eval(text, {}, scope) == value  # our own text above, not a program's


def test_statements_are_written_with_their_indentation_and_do_what_they_say() -> None:
    total, kept, i = Name("total"), Name("kept"), Name("i")
    one = If(
        X.is_(">", 2), (Augment(total, "+", X),), (If(X.is_("==", 2), (Do(kept.method("append", X)),), (Return(i),)),)
    )
    routine = function(
        "solve",
        "xs",
        Together((total, i), (lifted(0), lifted(9))),
        Assign(kept, ListOf()),
        For(("x",), XS, (one,)),
        Return(Pair((total, kept))),
    )
    assert routine.text == (
        "def solve(xs):\n    total, i = 0, 9\n    kept = []\n    for x in xs:\n        if x > 2:\n"
        "            total += x\n"
        "        elif x == 2:\n            kept.append(x)\n        else:\n            return i\n"
        "    return (total, kept)\n"
    )
    assert routine.run(([2, 3, 4, 2],)) == (7, [2, 2])
    assert routine.run(([2, 1],)) == 9


def test_both_sides_of_an_assignment_together_are_worked_out_first() -> None:
    swap = function("swap", "a b", Together((A, B), (B, A + B)), Return(ListOf((A, B))))
    assert swap.run((2, 5)) == [5, 7]


def test_a_program_cannot_change_the_arguments_that_tests_hold() -> None:
    arguments = ([1, 2],)
    function("solve", "xs", Do(XS.method("append", 3)), Return(XS)).run(arguments)
    assert arguments == ([1, 2],)


def test_a_script_reads_lines_and_prints_lines_as_python_does() -> None:
    n, name = Name("n"), Name("name")
    script = Script((
        Assign(n, call("int", call("input"))),
        For(("_",), call("range", n), (Assign(name, call("input")), Do(Call("print", (name, n))))),
    ))  # fmt: skip
    assert script.text == "n = int(input())\nfor _ in range(n):\n    name = input()\n    print(name, n)\n"
    assert script.run(("2\nab\n\n",)) == "ab 2\n 2\n"
    assert script.run(("0\n",)) == ""
    assert result_of(script, ("2\nab\n",)) is RAISED  # Python's input() finds no second name either
    assert result_of(script, ("",)) is RAISED


ENDLESS: list[tuple[Statement, ...]] = [
    (While(A.is_("==", A), (Augment(A, "+", lifted(1)),)),),
    (While(A.is_("==", A), (Assign(A, A * A),)),),
    (Assign(A, call("range", 10**12)),),
    (Assign(A, lifted("ab") * 10**9),),
    (Assign(XS, ListOf((A,))), While(A.is_("==", A), (Assign(XS, XS + XS),))),
]


@pytest.mark.parametrize("body", ENDLESS)
def test_a_program_that_never_ends_or_grows_without_end_is_stopped(body: tuple[Statement, ...]) -> None:
    routine = function("solve", "a", *body)
    with pytest.raises(LimitError):
        routine.run((3,))
    assert result_of(routine, (3,)) is RAISED


def test_only_listed_functions_and_methods_can_be_called() -> None:
    for reaching in (call("open", "x"), call("eval", "1"), lifted("{0.__class__}").method("format", 1)):
        with pytest.raises((KeyError, AttributeError)):
            reaching.value({})
    with pytest.raises(TypeError, match="not formatted"):
        (lifted("%d" * 3) % 4).value({})


def test_items_can_be_stored_and_a_new_dictionary_is_made_each_time() -> None:
    table = Name("table")
    routine = function("solve", "a", Assign(table, EmptyDict()), Assign(Item(table, A), lifted(1)), Return(table))
    assert routine.run(("x",)) == {"x": 1}
    assert routine.run(("y",)) == {"y": 1}
