"""What a text has to be before a scorer of reasoning_gym reads it. Works on text alone, in a worker process.

Some of the scorers evaluate what they are given (`eval`, sympy's `parse_expr`), some accept what is no answer. So a
text is first read here, by rules that can only make scoring stricter: what passes is the task's own answer, or a text
of the form that its scorer can read without harm, written anew from what was understood of it.
"""

import ast
import math
import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

Entry = Mapping[str, Any]
Guard = Callable[[str, Entry], str | None]

MAX_CHARACTERS = 20_000  # or twice as many as the task's own answer has
EMPTY = '""'  # how an answer that is the empty text is written

_MAX_NODES = 4_000  # of an expression
_MAX_BITS = 20_000  # of any number that an expression could come to
_NAME_BITS = 4  # as what a name counts in that: polynomials of degree 16 in it are small
_NOT_FINITE = re.compile(r"\b[+-]?(?:nan|inf|infinity)\b|\d[eE][+-]?\d{5}", re.IGNORECASE)
_WITHOUT_CALLS = re.compile(r"[0-9A-Z_ \n]*")  # as Python: numbers, names and nothing that does something with them
_CIRCULAR = ("sin", "cos", "tan", "cot", "sec", "csc", "asin", "acos", "atan")
_FUNCTIONS = {*_CIRCULAR, "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "log", "ln", "sqrt", "Abs", "abs"}


def admitted(generator: str, text: str, entry: Entry) -> str | None:
    """The text as the generator's scorer may read it; None for what is wrong whatever the scorer would say.

    Args:
        generator: its name.
        text: what the policy gave as its answer.
        entry: the task as reasoning_gym made it.
    """
    own = entry["answer"] if isinstance(entry["answer"], str) else None
    if own is not None and not own.strip():
        return own if text.strip() == EMPTY else None
    if own is not None and text.strip() == own.strip():
        return own
    if len(text) > max(MAX_CHARACTERS, 2 * len(own or "")):
        return None
    if _NOT_FINITE.search(text) and not _NOT_FINITE.search(own or ""):
        return None
    try:
        return text if generator not in GUARDS else GUARDS[generator](text, entry)
    except RecursionError:
        return None


def literal(text: str, entry: Entry) -> str | None:  # noqa: ARG001
    """Lists of numbers and text, or what calls nothing whoever evaluates it (a board of letters and digits)."""
    if _WITHOUT_CALLS.fullmatch(text):
        return text
    try:
        return repr(ast.literal_eval(text.strip()))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def expression(text: str, entry: Entry, *, names: Callable[[Entry], Iterable[str]]) -> str | None:
    """Numbers, `+ - * / **`, the task's own names and known functions; nothing that could become huge."""
    allowed = {*names(entry), "E", "pi"}
    tree = _parsed(text)
    return None if tree is None or _bits(tree, allowed) is None else ast.unparse(tree)


def arithmetic(text: str, entry: Entry) -> str | None:  # noqa: ARG001
    """Whole numbers and `+ - * /`."""
    tree = _arithmetic(text)
    return None if tree is None else ast.unparse(tree)


def from_own_numbers(text: str, entry: Entry) -> str | None:
    """The same with the task's numbers, each once, and without a rest: its scorer asks for any numbers, and rounds."""
    tree = _arithmetic(text)
    if tree is None or sorted(_numbers(tree)) != sorted(entry["metadata"]["numbers"]):
        return None
    try:
        return ast.unparse(tree) if _value(tree).denominator == 1 else None
    except ZeroDivisionError:
        return None


def own_word(text: str, entry: Entry) -> str | None:
    """The task's own answer in other capitals; its scorer takes any text for it."""
    return entry["answer"] if text.strip().lower() == str(entry["answer"]).lower() else None


def _variable(entry: Entry) -> tuple[str, ...]:
    return (entry["metadata"]["variable"], "C")


def _variables(entry: Entry) -> tuple[str, ...]:
    return tuple(entry["metadata"]["variables"])


GUARDS: dict[str, Guard] = {
    "binary_matrix": literal,
    "countdown": arithmetic,
    "game_of_life_halting": own_word,
    "intermediate_integration": partial(expression, names=_variable),
    "n_queens": literal,
    "number_sorting": literal,
    "polynomial_multiplication": partial(expression, names=_variables),
    "puzzle24": from_own_numbers,
    "simple_integration": partial(expression, names=_variable),
    "spiral_matrix": literal,
    "string_insertion": literal,
}
"""The guards of the scorers that evaluate text, or accept what is no answer; the others read text as text."""

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
_ARITHMETIC = (ast.BinOp, ast.UnaryOp, ast.Constant, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.UAdd, ast.USub)


def _parsed(text: str) -> ast.expr | None:
    """The tree of an expression of Python, if it is one and not large."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    return tree if sum(1 for _ in ast.walk(tree)) <= _MAX_NODES else None


def _arithmetic(text: str) -> ast.expr | None:
    tree = _parsed(text)
    if tree is None or not all(isinstance(node, _ARITHMETIC) for node in ast.walk(tree)):
        return None
    return tree if all(type(number) is int for number in _numbers(tree)) else None


def _numbers(tree: ast.expr) -> list[Any]:
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]


def _bits(node: ast.AST, names: set[str]) -> int | None:
    """How many bits the value has at most, each name standing for a number of a few; None for what is not admitted."""
    match node:
        case ast.Constant(value=int() | float() as value) if type(value) is not bool and math.isfinite(value):
            bits: int | None = int(value).bit_length() + 1
        case ast.Name(id=name):
            bits = _NAME_BITS if name in names else None
        case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=operand):
            bits = _bits(operand, names)
        case ast.Call(func=ast.Name(id=function), args=[argument], keywords=[]) if function in _FUNCTIONS:
            bits = _bits(argument, names)
        case ast.BinOp(left=ast.Name(id="E"), op=ast.Pow(), right=exponent):  # as exp() of it, which stays as it is
            bits = _bits(exponent, names)
        case ast.BinOp(left=left, op=operator, right=right) if isinstance(operator, _OPERATORS):
            bits = _bits_of_both(_bits(left, names), operator, _bits(right, names))
        case _:
            bits = None
    return bits if bits is not None and bits <= _MAX_BITS else None


def _bits_of_both(left: int | None, operator: ast.operator, right: int | None) -> int | None:
    if left is None or right is None:
        return None
    if isinstance(operator, ast.Pow):
        return left << right if right <= _MAX_BITS.bit_length() else None
    return max(left, right) + 1 if isinstance(operator, ast.Add | ast.Sub) else left + right


def _value(node: ast.AST) -> Fraction:
    """The value of an expression of whole numbers.

    Raises:
        ZeroDivisionError: it divides by zero.
    """
    match node:
        case ast.Constant(value=int() as value):
            return Fraction(value)
        case ast.UnaryOp(op=operator, operand=operand):
            return -_value(operand) if isinstance(operator, ast.USub) else _value(operand)
        case ast.BinOp(left=left, op=operator, right=right):
            a, b = _value(left), _value(right)
            match operator:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
            return a / b
    raise AssertionError(ast.dump(node))
