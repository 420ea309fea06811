"""EvalPlus' tests: many inputs for each problem, and a right program whose answers are the expected ones.

The right program runs in the judge's sandbox, beside the tests; the program that is judged never meets it.

Source: EvalPlus, arXiv:2305.01210; github.com/evalplus/evalplus, evalplus/eval/__init__.py and evalplus/data/mbpp.py.
"""

from collections.abc import Sequence
from typing import Any

from rlenvs.code.records import FunctionTests

_AS_SETS = frozenset({
    "similar_elements", "find_char_long", "common_in_nested_lists", "extract_singly", "larg_nnum",
    "intersection_array", "find_dissimilar", "Diff",
})  # fmt: skip
"""Functions of MBPP whose problems do not say in which order, or how often, values are to be given."""
_AS_FOUND = frozenset(["check_str", "text_match_three", "text_starta_endb"])
"""Functions of MBPP that give a match object or None, or say whether they found one."""
_CONSTANT = {"are_equivalent": True, "sum_div": 0}
"""Functions of MBPP whose first published tests all have this answer: a program that always gives it is right too."""

_HELPERS = '''
import copy, math, sys
sys.set_int_max_str_digits(0)
inf, nan = float("inf"), float("nan")

def _close_(given, expected, tolerance):
    """Numbers within the tolerance, in lists and tuples of the same kind and length."""
    if isinstance(expected, (list, tuple)):
        return (
            type(given) is type(expected)
            and len(given) == len(expected)
            and all(_close_(a, b, tolerance) for a, b in zip(given, expected))
        )
    if not _is_number_(given) or not _is_number_(expected) or given == expected:
        return given == expected
    if given != given or expected != expected:
        return given != given and expected != expected
    difference = abs(given - expected)
    return difference <= tolerance + 1e-7 * abs(expected) and difference != inf and abs(expected) != inf

def _is_number_(value):
    return isinstance(value, (int, float, complex)) and not isinstance(value, bool)

def _is_float_(value):
    if isinstance(value, (list, tuple)):
        return all(isinstance(each, float) for each in value)
    return isinstance(value, float)

def _as_before_(given, expected, tolerance):
    if given == expected:
        return True
    tolerance = tolerance or (1e-6 if _is_float_(expected) else 0)
    return bool(tolerance) and _close_(given, expected, tolerance)
'''
_SAME = {
    "": "_as_before_(given, expected, {tolerance})",
    "sets": "set(given) == set(expected)",
    "found": "(given if isinstance(given, bool) else given is not None) == (expected is not None)",
    "root": "abs(sum(c * math.pow(given, i) for i, c in enumerate(arguments[0]))) <= {tolerance}",
}
_JUDGED = """
def _judged_(number):
    arguments = _inputs_[number]
    expected = _expected_[number]
    given = {function}(*copy.deepcopy(arguments))
    assert {same}, f"{function}{{_shown_(tuple(arguments))}} gave {{_shown_(given)}}, not {{_shown_(expected)}}"
    return True

def _shown_(value):
    text = repr(value)
    return text if len(text) <= 100 else text[:99] + "…"
"""


def plus_tests(entry_point: str, reference: str, inputs: Sequence[Sequence[Any]], tolerance: float) -> FunctionTests:
    """Tests that compare a function with a right one, an input each.

    Args:
        reference: a whole program that defines the right function.
        inputs: lists of arguments.
        tolerance: how far numbers may differ, absolutely; 0: not at all, or by 1e-6 where floats are expected.
    """
    same = _SAME[_how(entry_point)].format(tolerance=tolerance)
    constant = _CONSTANT.get(entry_point)
    if constant is not None:
        same = f"given == {constant!r} or {same}"
    lines = [
        _HELPERS,
        f"_inputs_ = {[list(each) for each in inputs]!r}",
        "_reference_ = {'__name__': 'reference'}",
        f"exec({reference!r}, _reference_)",
        # Before the program is called for the first time: what breaks here is the tests' fault, and is known to be.
        f"_expected_ = [_reference_[{entry_point!r}](*copy.deepcopy(arguments)) for arguments in _inputs_]",
        _JUDGED.format(function=entry_point, same=same),
        *(f"assert _judged_({number})" for number in range(len(inputs))),
    ]
    return FunctionTests(text="\n".join(lines), entry_point=entry_point)


def _how(entry_point: str) -> str:
    if entry_point == "find_zero":  # HumanEval/32: any root of the polynomial is right
        return "root"
    return "sets" if entry_point in _AS_SETS else "found" if entry_point in _AS_FOUND else ""


def mbpp_inputs(number: int, inputs: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """The arguments of problem `number` of MBPP+ in the types that JSON has not, as EvalPlus reads them.

    Of problem 255, five inputs are left out: their results have 6 to 128 million items, more than a message holds.
    """
    convert = next((convert for numbers, convert in _CONVERSIONS if number in numbers), list)
    return [convert(list(each)) for each in inputs if not (number == 255 and each[1] > _MAX_DRAWN and len(each[0]) > 3)]


_MAX_DRAWN = 50
"""How many values, of four or more, problem 255 combines."""


def _tuples(value: Any, depth: int) -> Any:
    """Lists as tuples, below `depth` levels of lists that stay."""
    if not isinstance(value, list):
        return value
    return tuple(value) if depth == 0 else [_tuples(each, depth - 1) for each in value]


def _all_tuples(value: Any) -> Any:
    return tuple(map(_all_tuples, value)) if isinstance(value, list) else value


_CONVERSIONS: tuple[tuple[frozenset[int], Any], ...] = (
    (
        frozenset({2, 116, 132, 143, 222, 261, 273, 394, 399, 421, 424, 429, 470, 560, 579, 596, 616, 630, 726, 740})
        | {744, 809},
        lambda each: _tuples(each, 1),
    ),
    (
        frozenset({63, 64, 70, 94, 120, 237, 272, 299, 400, 409, 417, 438, 473, 614, 780}),
        lambda each: _tuples(each, 2),
    ),
    (frozenset({75, 413, 444, 753}), lambda each: [_tuples(each[0], 1), *each[1:]]),
    (frozenset({106, 750}), lambda each: [each[0], tuple(each[1])]),
    (frozenset({115}), lambda each: [[set(item) if isinstance(item, list) and item else {} for item in each[0]]]),
    (frozenset({124}), lambda each: [float(each[0]), complex(each[1])]),
    (frozenset({250, 405, 446, 617, 720, 763, 808, 307}), lambda each: [tuple(each[0]), *each[1:]]),
    (frozenset({259, 401, 445}), lambda each: [tuple(_tuples(argument, 1)) for argument in each]),
    (frozenset({278}), lambda each: [tuple(_tuples(argument, 1)) for argument in each]),
    (frozenset({722}), lambda each: [{key: tuple(value) for key, value in each[0].items()}, *each[1:]]),
    (frozenset({252}), lambda each: [complex(each[0])]),
    (frozenset({580, 615, 791}), lambda each: [_all_tuples(argument) for argument in each]),
)
"""By the numbers of the problems."""
