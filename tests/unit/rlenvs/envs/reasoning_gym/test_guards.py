"""What passes to a scorer, and as what; worked out by hand."""

import pytest

from rlenvs.envs.reasoning_gym.guards import GUARDS, MAX_CHARACTERS, admitted

MATRIX = {"answer": "0 1\n1 0", "metadata": {}}
INTEGRAL = {"answer": "x**2 + C", "metadata": {"variable": "x"}}
PRODUCT = {"answer": "x*y", "metadata": {"variables": ["x", "y"]}}
NUMBERS = {"answer": "(2 + 4)*4*1", "metadata": {"numbers": [1, 2, 4, 4]}}
TEXT = {"answer": "seven", "metadata": {}}


@pytest.mark.parametrize(
    ("generator", "text", "entry", "read"),
    [
        ("binary_matrix", " 0 1\n1 0\n", MATRIX, "0 1\n1 0"),
        ("binary_matrix", "[[0, 1],[1,0]]", MATRIX, "[[0, 1], [1, 0]]"),
        ("string_insertion", "['A', 'B']", TEXT, "['A', 'B']"),
        ("n_queens", "_ Q\nQ _", TEXT, "_ Q\nQ _"),
        ("simple_integration", "x**2+C # done", INTEGRAL, "x ** 2 + C"),
        ("simple_integration", "(x - 1)/x + sin(2*x)*exp(-x)", INTEGRAL, "(x - 1) / x + sin(2 * x) * exp(-x)"),
        ("intermediate_integration", "E**(x**2/2) + 0.5*sqrt(x)", INTEGRAL, "E ** (x ** 2 / 2) + 0.5 * sqrt(x)"),
        ("polynomial_multiplication", "y * x", PRODUCT, "y * x"),
        ("countdown", "0x10 + 1_0", NUMBERS, "16 + 10"),
        ("puzzle24", "4*(4+2)/1", NUMBERS, "4 * (4 + 2) / 1"),
        ("game_of_life_halting", "TRUE", {"answer": "True", "metadata": {}}, "True"),
        ("leg_counting", "about seven", TEXT, "about seven"),
        ("leg_counting", "banana infinitely", TEXT, "banana infinitely"),
        ("needle_haystack", "Nan", {"answer": "Nan", "metadata": {}}, "Nan"),
        ("ab", '""', {"answer": "", "metadata": {}}, ""),
    ],
)  # fmt: skip
def test_what_a_scorer_can_read_passes_written_anew(generator, text, entry, read):
    assert admitted(generator, text, entry) == read


@pytest.mark.parametrize("text", ["x.diff()", "x[0]", "'x'", "f'{x}'", "lambda: x", "[x for x in y]", "x if x else x"])
@pytest.mark.parametrize("text_of", [str, "sin({})".format, "x + {}".format])
def test_nothing_but_arithmetic_is_an_expression(text, text_of):
    assert admitted("simple_integration", text_of(text), INTEGRAL) is None
    assert admitted("countdown", text_of(text), NUMBERS) is None


@pytest.mark.parametrize(
    "text", ["__import__('os')", "eval(x)", "z + 1", "S", "sin", "sin(x, x)", "Symbol('x')", "True"]
)
def test_only_the_tasks_own_names_and_known_functions_are_read(text):
    assert admitted("simple_integration", text, INTEGRAL) is None


@pytest.mark.parametrize(
    "text", ["9**9**9", "2**(x - x + 99999)", "((x**99)**99)**99", "exp(9**9**9)", "x**1e9", "1e400"]
)
def test_what_would_become_huge_is_refused(text):
    assert admitted("simple_integration", text, INTEGRAL) is None


@pytest.mark.parametrize("generator", ["binary_matrix", "spiral_matrix", "string_insertion", "n_queens"])
@pytest.mark.parametrize(
    "text", ["print(1)", "9**9**9", "[0] * 10**10", "().__class__", "(1).real", "[" * 5000, "-" * 5000 + "1"]
)
def test_what_is_evaluated_is_a_literal(generator, text):
    assert admitted(generator, text, MATRIX) is None


def test_the_numbers_of_24_are_the_tasks():
    for text in ("4*6*1*1", "24*1*1*1", "4*4*2*1/1", "4/0+4+2+1", "(4*4*2-1)/4"):
        assert admitted("puzzle24", text, NUMBERS) is None


@pytest.mark.parametrize("text", ["NaN", "[nan, 1]", "-inf", "Infinity + 1j", "1e99999", "3E-123456"])
def test_numbers_that_are_none_are_refused_unless_they_are_the_answer(text):
    assert admitted("leg_counting", text, TEXT) is None
    assert admitted("leg_counting", text, {"answer": text, "metadata": {}}) == text


def test_long_texts_are_refused_unless_the_answer_is_long():
    long = "x " * MAX_CHARACTERS
    assert admitted("leg_counting", long, TEXT) is None
    assert admitted("leg_counting", long + "y", {"answer": long, "metadata": {}}) == long + "y"


def test_where_the_right_answer_is_empty_only_the_empty_one_is_read():
    entry = {"answer": "", "metadata": {}}
    assert [admitted("polynomial_equations", text, entry) for text in ("none", "", '""')] == [None, None, ""]


def test_guards_are_of_generators_that_are_there():
    from rlenvs.envs.reasoning_gym.generators import GENERATORS

    assert GUARDS.keys() <= GENERATORS.keys()
