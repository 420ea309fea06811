"""Expressions by their values: exact where they are rational, and never beyond what a computer can hold."""

import threading
import time

import pytest

from rlenvs.verifiers.notation.parser import parse
from rlenvs.verifiers.values import evaluate
from rlenvs.verifiers.values.rational import UndecidedError


def are_equal(one: str, other: str) -> bool:
    return evaluate.are_equal(parse(one), parse(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0.1+0.2", "0.3"),
        ("x(x-1)", "x^2-x"),
        (r"\frac{1}{x(y-z)}", r"\frac{1}{xy-xz}"),
        (r"(x-1)(x-2)(x-3)", "x^3-6x^2+11x-6"),
        (r"\sqrt{12}", r"2\sqrt{3}"),
        (r"\sqrt{2}\sqrt{3}-\sqrt{6}", "0"),
        (r"\frac{1}{\sqrt{2}}", r"\frac{\sqrt{2}}{2}"),
        (r"e^{i\pi}", "-1"),
        (r"\frac{1}{i}", "-i"),
        (r"\sqrt{-4}", "2i"),
        (r"\sqrt[3]{-8}", "-2"),
        (r"\cos(60^\circ)", r"\frac{1}{2}"),
        (r"\sin^2 x", r"1-\cos^2 x"),
        (r"\frac{\ln 2}{\ln 10}", r"\log_{10} 2"),
        (r"\binom{n}{2}", r"\frac{n(n-1)}{2}"),
        (r"\lfloor 2.5 \rfloor", "2"),
        ("gcd(12, 18)", "6"),
        ("f(x)+f(y)", "f(y)+f(x)"),
        ("2^{100000000}", "4^{50000000}"),
        ("x^{6000}", "(x^{3000})^2"),
        ("5!", "120"),
    ],
)
def test_these_are_equal(one: str, other: str) -> None:
    assert are_equal(one, other)
    assert are_equal(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("123456789012345678901", "123456789012345678902"),
        (r"\pi", "3.14159265358979323846264338327950288"),
        (r"\frac{1}{2004!}", r"\frac{1}{2006!}"),
        ("x^{6000}", "x^{6001}"),
        ("10^{10^{10}}", "10^{10^{9}}"),
        ("x", "y"),
        ("-x^2", "(-x)^2"),
        (r"\ln 6", r"\ln 2 \cdot \ln 3"),
        (r"e^{-500}", "0"),
        (r"e^{-500}", "e^{-600}"),
        (r"\sqrt{x^2}", "x"),
        ("f(x)", "f(y)"),
        ("f(x)", "g(x)"),
        (r"e^{\pi\sqrt{163}}", "262537412640768744"),
    ],
)
def test_these_are_not(one: str, other: str) -> None:
    assert not are_equal(one, other)
    assert not are_equal(other, one)


@pytest.mark.parametrize(
    "huge",
    [
        "2^{2^{2^{2^{2^{2^2}}}}}+e",
        "(10^{30})!+e",
        r"\sin(10^{10^{10}})",
        r"\binom{10^{40}}{10^{20}}+e",
        "e^{e^{e^{e^e}}}",
        r"\frac{1}{0}+e",
        r"\infty - \infty + e",
        r"\gcd(10^{100}+e, 7)",
    ],
)
def test_what_is_too_large_or_has_no_value_is_undecided_at_once(huge: str) -> None:
    started = time.perf_counter()
    with pytest.raises(UndecidedError):
        are_equal(huge, "7")
    assert time.perf_counter() - started < 0.5


def test_threads_do_not_disturb_each_others_precision() -> None:
    wrong: list[int] = []

    def compare(number: int) -> None:
        for _ in range(20):
            if not are_equal(r"\sqrt{2}\sqrt{3}-\sqrt{6}", "0") or are_equal(rf"\sqrt{{{number}}}", "1.5"):
                wrong.append(number)

    threads = [threading.Thread(target=compare, args=(number,)) for number in range(3, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
