"""Expressions that sympy made equal, or unequal, are so for the verifier, however they are written."""

import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

from rlenvs.verifiers import verify

X, Y = sympy.symbols("x y")
whole = st.integers(-6, 6).map(sympy.Integer)
rational = st.builds(sympy.Rational, st.integers(-9, 9), st.integers(1, 9))
leaves = st.sampled_from((X, Y)) | whole | rational


def _combined(parts):  # type: ignore[no-untyped-def]
    pairs = st.tuples(parts, parts)
    return (
        pairs.map(lambda pair: pair[0] + pair[1])
        | pairs.map(lambda pair: pair[0] * pair[1])
        | st.tuples(parts, st.integers(2, 3)).map(lambda pair: pair[0] ** pair[1])
    )


polynomials = st.recursive(leaves, _combined, max_leaves=6)
quotients = st.tuples(polynomials, polynomials).filter(lambda pair: pair[1] != 0).map(lambda pair: pair[0] / pair[1])
expressions = polynomials | quotients
rewritten = st.sampled_from((sympy.expand, sympy.factor, sympy.together, sympy.cancel, lambda value: value))
written = st.sampled_from(
    (sympy.latex, str, lambda value: f"${sympy.latex(value)}$", lambda value: rf"\boxed{{{sympy.latex(value)}}}")
)


@given(value=expressions, change=rewritten, write=written)
def test_what_is_rewritten_stays_equal(value, change, write):  # type: ignore[no-untyped-def]
    assume(not value.has(sympy.zoo, sympy.nan))
    gold, answer = sympy.latex(value), write(change(value))
    assert verify(gold, answer) == "equal"
    assert verify(answer, gold) == "equal"


@given(value=expressions, other=expressions, change=rewritten, write=written)
def test_what_differs_is_not_equal(value, other, change, write):  # type: ignore[no-untyped-def]
    assume(not (value - other).has(sympy.zoo, sympy.nan))
    assume(sympy.cancel(value - other) != 0)
    assert verify(sympy.latex(value), write(change(other))) == "not_equal"
    assert verify(sympy.latex(value), write(change(value + other)) if other != 0 else write(value + 1)) == "not_equal"


@given(value=rational, factor=st.sampled_from((2, 3, 5, 6, 7)))
def test_radicals_are_equal_however_they_are_simplified(value, factor):  # type: ignore[no-untyped-def]
    root = sympy.sqrt(factor)
    assume(value != 0)
    pairs = [
        (value / root, value * root / factor),
        (1 / (value + root), sympy.radsimp(1 / (value + root))),
        ((value + root) ** 2, sympy.expand((value + root) ** 2)),
    ]
    for one, same in pairs:
        assert verify(sympy.latex(one), sympy.latex(same)) == "equal"
        assert verify(sympy.latex(one), sympy.latex(same + sympy.Rational(1, 10**9))) == "not_equal"


@given(value=polynomials, angle=st.sampled_from((X, 2 * X, X + Y)))
def test_identities_of_functions_hold(value, angle):  # type: ignore[no-untyped-def]
    pairs = [
        (sympy.sin(angle) ** 2 * value, value - value * sympy.cos(angle) ** 2),
        (sympy.exp(angle + 1), sympy.E * sympy.exp(angle)),
        (sympy.sin(2 * angle), 2 * sympy.sin(angle) * sympy.cos(angle)),
    ]
    for one, same in pairs:
        assert verify(sympy.latex(one), sympy.latex(same)) == "equal"
        assert verify(sympy.latex(one), sympy.latex(same + 1)) == "not_equal"
