"""Every family and level against solvers that read the question's text and share no code with the generators."""

import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from statistics import mean
from typing import Any

import pytest
import sympy
from sympy.parsing.sympy_parser import implicit_multiplication, parse_expr, standard_transformations

from rlenvs.envs.arithmetic.answers import is_equal
from rlenvs.envs.arithmetic.problem import Problem
from rlenvs.envs.arithmetic.source import FAMILIES, Place, problem_at

SEEDS = 30
LEVELS = [(name, level) for name, family in FAMILIES.items() for level in range(1, len(family.levels) + 1)]
X = sympy.Symbol("x")
POWERS_TO_BASE: dict[str, int | Fraction] = {"m": 1, "km": 1000, "cm": Fraction(1, 100), "mm": Fraction(1, 1000)}
TO_BASE: dict[str, int | Fraction] = {
    **POWERS_TO_BASE,
    **{f"{unit}^{n}": Fraction(size) ** n for unit, size in POWERS_TO_BASE.items() for n in (2, 3)},
    **{"t": 10**6, "kg": 1000, "g": 1, "mg": Fraction(1, 1000), "l": 1, "ml": Fraction(1, 1000)},
    **{"h": 3600, "min": 60, "s": 1, "m/s": 1, "km/h": Fraction(1000, 3600)},
}


def value(expression: str) -> Fraction:
    """A calculation with + - * / ^ and brackets, in fractions."""
    assert re.fullmatch(r"[-+*/^(). 0-9]+", expression), expression
    text = re.sub(r"[0-9]+(?:\.[0-9]+)?", lambda found: f"Fraction('{found[0]}')", expression.replace("^", "**"))
    return Fraction(eval(text, {"Fraction": Fraction}))


def in_x(text: str) -> sympy.Expr:
    """One of our own expressions, for sympy."""
    return parse_expr(text.replace("^", "**"), transformations=(*standard_transformations, implicit_multiplication))


def numbers(text: str) -> list[int]:
    return [int(found) for found in re.findall(r"-?[0-9]+", text)]


def asked(question: str, pattern: str) -> re.Match[str]:
    found = re.fullmatch(pattern, question)
    assert found, f"{question!r} is not of the form {pattern!r}"
    return found


Truth = Any  # a Fraction, a list or set of numbers, values by unknown, or an expression of sympy


def calculation(question: str) -> Truth:
    return value(asked(question, r"What is (.*)\?")[1])


def division(question: str) -> Truth:
    found = asked(question, r"What is (\d+) / (\d+)\?( Give quotient r remainder\.)?")
    dividend, divisor = int(found[1]), int(found[2])
    return [dividend // divisor, dividend % divisor] if found[3] else Fraction(dividend, divisor)


def sorting(question: str) -> Truth:
    found = asked(question, r"Sort ([\d ]+) in (ascending|descending) order\.")
    return sorted(map(int, found[1].split()), reverse=found[2] == "descending")


def counting(question: str) -> Truth:
    found = asked(question, r"How many (\w)s are in ([\w ]+)\?")
    return Fraction(sum(item == found[1] for item in found[2].split()))


def extreme(question: str) -> Truth:
    found = asked(question, r"Which is the (largest|smallest) of ([\d ]+)\?")
    ordered = sorted(map(int, found[2].split()))
    return Fraction(ordered[-1] if found[1] == "largest" else ordered[0])


def comparison(question: str) -> Truth:
    found = asked(question, r"Which is larger, (\S+) or (\S+)\?")
    return max(Fraction(found[1]), Fraction(found[2]))


def percentage(question: str) -> Truth:
    if question.startswith("What"):
        found = asked(question, r"What is (\d+)% of (\d+)\?")
        return Fraction(int(found[1]) * int(found[2]), 100)
    if question.startswith("A price"):
        found = asked(question, r"A price of (\d+) (rises|falls) by (\d+)%\. What is it now\?")
        return int(found[1]) * (1 + Fraction(int(found[3]), 100) * (1 if found[2] == "rises" else -1))
    found = asked(question, r"After a (rise|fall) of (\d+)% a price is (\d+)\. What was it before\?")
    return int(found[3]) / (1 + Fraction(int(found[2]), 100) * (1 if found[1] == "rise" else -1))


def remainders(question: str) -> Truth:
    if question.startswith("Which"):
        found = asked(question, r"Which x from 0 to (\d+) has (\d+)x = (\d+) \(mod (\d+)\)\?")
        last, factor, wanted, modulus = map(int, found.groups())
        solutions = [x for x in range(last + 1) if (factor * x - wanted) % modulus == 0]
        assert len(solutions) == 1
        assert last == modulus - 1
        return Fraction(solutions[0])
    found = asked(question, r"What is (.*) mod (\d+)\?")
    return value(found[1]) % int(found[2])


def divisors(question: str) -> Truth:
    found = asked(question, r"What is the (gcd|lcm) of (\d+) and (\d+)\?")
    a, b = int(found[2]), int(found[3])
    if found[1] == "gcd":
        return Fraction(max(d for d in range(1, min(a, b) + 1) if a % d == b % d == 0))
    return Fraction(next(multiple for multiple in range(a, a * b + 1, a) if multiple % b == 0))


def equation(question: str) -> Truth:
    found = asked(question, r"Solve (.*) = (.*) for x\.")
    (solution,) = sympy.solve(in_x(found[1]) - in_x(found[2]), X)
    return Fraction(str(solution))


def system(question: str) -> Truth:
    found = asked(question, r"Solve for (.*): (.*)\.")
    sides = [each.split(" = ") for each in found[2].split(", ")]
    names = re.findall(r"\b[xyz]\b", found[1])
    (solution,) = sympy.linsolve([in_x(a) - in_x(b) for a, b in sides], *map(sympy.Symbol, names))
    return {name: Fraction(str(x)) for name, x in zip(names, solution, strict=True)}


def sequence(question: str) -> Truth:
    terms = [int(term) for term in re.findall(r"-?\d+(?=,|\s(?:is|are|each))", question)]
    place = re.search(r"term number (\d+)", question)
    if "arithmetic. What" in question and "differences" not in question:
        n = int(place[1]) if place else len(terms) + 1
        return Fraction(sympy.interpolate(list(enumerate(terms[:2], 1)), X).subs(X, n))
    if "geometric" in question:
        return Fraction(terms[-1] ** 2, terms[-2])
    if "differences" in question:
        return Fraction(int(sympy.interpolate(list(enumerate(terms[:3], 1)), X).subs(X, len(terms) + 1)))
    assert place
    assert int(place[1]) == 7
    return Fraction(2 * terms[-1] + terms[-2])


def conversion(question: str) -> Truth:
    found = asked(question, r"Convert (.*) to (\S+)\.")
    pairs = re.findall(r"([\d.]+) (\S+)", found[1])
    return sum(Fraction(number) * TO_BASE[unit] for number, unit in pairs) / TO_BASE[found[2]]


def evaluation(question: str) -> Truth:
    found = asked(question, r"What is (.*) at x = (-?\d+)\?")
    return Fraction(int(in_x(found[1]).subs(X, int(found[2]))))


def expansion(question: str) -> Truth:
    return sympy.expand(in_x(asked(question, r"Expand (.*)\.")[1]))


def unfactored(question: str) -> Truth:
    return in_x(asked(question, r"Factor (.*) (?:completely|into linear factors)\.")[1])


def real_roots(question: str) -> Truth:
    found = asked(question, r"Find all roots of (.*)\.")
    return {Fraction(str(root)) for root in sympy.real_roots(sympy.Poly(in_x(found[1]), X))}


def differentiation(question: str) -> Truth:
    return sympy.diff(in_x(asked(question, r"What is the derivative of (.*) with respect to x\?")[1]), X)


STORIES: dict[str, Callable[..., int | Fraction]] = {
    r"has (\d+) \w+ and finds (\d+) more": lambda a, b: a + b,
    r"has (\d+) \w+ and gives (\d+) of them": lambda a, b: a - b,
    r"fills (\d+) boxes with (\d+)": lambda a, b: a * b,
    r"buys (\d+) bags of (\d+) \w+ and gives (\d+)": lambda a, b, c: a * b - c,
    r"has (\d+) \w+, \w+ has (\d+)\. They share .* among (\d+) friends": lambda a, b, c: Fraction(a + b, c),
    r"has (\d+) \w+\. \w+ has (\d+) times as many": lambda a, b: a + a * b,
    r"sells (\d+) \w+ on Monday, (\d+) times .* and (\d+) fewer": lambda a, b, c: a + (a * b - c),
    r"works (\d+) hours a day for (\d+) days and earns (\d+) .* spends (\d+)": lambda a, b, c, d: a * b * c - d,
    r"has (\d+) boxes of (\d+) \w+ and (\d+) loose ones\. (\d+) chi": lambda a, b, c, d: Fraction(a * b + c, d),
    r"buys (\d+) \w+ at (\d+) .* and (\d+) bags at (\d+) .* pays with (\d+)": lambda a, b, c, d, e: e - (a * b + c * d),
    r"collects (\d+) \w+ a day for (\d+) days, \w+ collects (\d+) a day for (\d+) .* fill (\d+)": (
        lambda a, b, c, d, e: Fraction(a * b + c * d, e)
    ),
    r"has (\d+) \w+, \w+ has (\d+) more .* sell (\d+)": lambda a, b, c: Fraction(a + (a + b) - c, 2),
}


def story(question: str) -> Truth:
    told = [(found, solve) for pattern, solve in STORIES.items() if (found := re.search(pattern, question))]
    assert len(told) == 1, question
    found, solve = told[0]
    return Fraction(solve(*map(int, found.groups())))


SOLVERS: dict[str, Callable[[str], Truth]] = {
    "add": calculation,
    "subtract": calculation,
    "multiply": calculation,
    "divide": division,
    "chain": calculation,
    "running_sum": lambda question: Fraction(sum(numbers(question))),
    "sort": sorting,
    "count": counting,
    "reverse": lambda question: numbers(question)[::-1],
    "largest": extreme,
    "smallest": extreme,
    "compare": comparison,
    "fraction": calculation,
    "simplify": lambda question: Fraction(asked(question, r"Write (\S+) in lowest terms\.")[1]),
    "percent": percentage,
    "modular": remainders,
    "gcd": divisors,
    "lcm": divisors,
    "linear_equation": equation,
    "linear_system": system,
    "sequence": sequence,
    "units": conversion,
    "evaluate": evaluation,
    "expand": expansion,
    "factor": unfactored,
    "roots": real_roots,
    "derivative": differentiation,
    "word_problem": story,
}


def stated(problem: Problem) -> Truth:
    """What the problem's answer says, read without the checker's own code."""
    kind, answer = problem.form.kind, problem.answer
    if kind in ("integer", "number", "lowest"):
        return Fraction(answer)
    if kind == "digits":
        return [int(digit) for digit in answer]
    if kind == "sequence":
        return [int(item) for item in answer.split()]
    if kind == "set":
        return {Fraction(item) for item in answer.split(", ")}
    if kind == "assignment":
        return {name: Fraction(x) for name, x in (item.split(" = ") for item in answer.split(", "))}
    if kind == "remainder":
        return [int(part) for part in answer.split(" r ")]
    return in_x(answer)


@cache
def drawn(name: str, level: int, count: int = SEEDS) -> list[Problem]:
    return [problem_at(Place(name, level, index), "train" if index % 5 else "test") for index in range(count)]


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_the_answer_is_what_an_independent_solver_finds_in_the_question(name: str, level: int) -> None:
    for problem in drawn(name, level):
        truth, answer = SOLVERS[name](problem.question), stated(problem)
        if isinstance(truth, sympy.Expr):
            assert sympy.simplify(truth - answer) == 0, problem
        else:
            assert answer == truth, problem


def holds(line: str) -> bool | None:
    """Whether an equation is true; None where the line is none."""
    if found := re.fullmatch(r"([-+*/^(). 0-9]+)=([-0-9./]+)", line):
        return value(found[1]) == value(found[2])
    if found := re.fullmatch(r"(\d+)/(\d+)=(\d+) r (\d+)", line):
        return divmod(int(found[1]), int(found[2])) == (int(found[3]), int(found[4]))
    if found := re.fullmatch(r"(\d+) mod (\d+)=(\d+)", line):
        return int(found[1]) % int(found[2]) == int(found[3])
    if found := re.fullmatch(r"([-*()x^0-9]+\*[-*()x^0-9]+)=([-x^0-9]+)", line):
        return bool(sympy.expand(in_x(found[1]) - in_x(found[2])) == 0)
    return None


WITHOUT_EQUATIONS = {
    *("sort", "count", "reverse", "largest", "smallest", "compare", "linear_equation", "linear_system", "derivative"),
}


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_every_equation_of_the_working_holds(name: str, level: int) -> None:
    checked = [(holds(line), line) for problem in drawn(name, level) for line in problem.working]
    assert [line for held, line in checked if held is False] == []
    assert any(held for held, _ in checked) or name in WITHOUT_EQUATIONS


@pytest.mark.parametrize(("name", "level"), [pair for pair in LEVELS if pair[0] == "linear_system"])
def test_every_line_of_an_elimination_holds_for_the_solution(name: str, level: int) -> None:
    for problem in drawn(name, level):
        solution = stated(problem)
        assert isinstance(solution, dict)
        for line in problem.working:
            left, right = re.split(r"\s*=\s*", line)
            assert in_x(left).subs(solution) == in_x(right), (line, problem)


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_the_typical_mistake_ends_in_a_wrong_answer(name: str, level: int) -> None:
    for problem in drawn(name, level):
        truth, answer = SOLVERS[name](problem.question), problem.wrong.answer
        assert not is_equal(answer, problem.answer, problem.form)
        if problem.form.kind in ("integer", "number"):
            assert Fraction(answer) != truth, problem


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_an_answer_equals_itself_and_no_other_answer_of_the_level(name: str, level: int) -> None:
    problems = drawn(name, level, 20)
    for problem in problems:
        assert is_equal(problem.answer, problem.answer, problem.form)
        if problem.form.kind not in ("factored", "expression", "polynomial"):
            equal = [other.answer for other in problems if is_equal(other.answer, problem.answer, problem.form)]
            truths = [SOLVERS[name](other.question) for other in problems if other.answer in equal]
            assert all(truth == SOLVERS[name](problem.question) for truth in truths)


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_the_question_itself_is_no_answer(name: str, level: int) -> None:
    for problem in drawn(name, level):
        inner = re.sub(r"^(What is|Expand|Factor|Write|Convert) |[.?]$", "", problem.question)
        assert not is_equal(problem.question, problem.answer, problem.form)
        assert not is_equal(inner, problem.answer, problem.form)


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_a_level_has_room_for_questions_that_differ(name: str, level: int) -> None:
    questions = {problem_at(Place(name, level, index), "test").question for index in range(60)}
    assert len(questions) >= 36
    assert all(question.isascii() and "\n" not in question for question in questions)


def size(name: str, level: int) -> float:
    """Characters of question, working and answer, on average."""
    problems = [problem_at(Place(name, level, index), "train") for index in range(100)]
    return mean(len(p.question) + len("".join(p.working)) + len(p.answer) for p in problems)


GRADED = (
    *("add", "subtract", "multiply", "running_sum", "sort", "count", "reverse", "largest", "smallest", "simplify"),
    *("gcd", "lcm", "evaluate", "expand", "linear_equation", "linear_system", "word_problem"),
)


@pytest.mark.parametrize("name", GRADED)
def test_each_level_takes_longer_to_work_out_than_the_one_before(name: str) -> None:
    sizes = [size(name, level) for level in range(1, len(FAMILIES[name].levels) + 1)]
    assert sizes == sorted(sizes)
    assert len(set(sizes)) == len(sizes)


@pytest.mark.parametrize("name", sorted(set(FAMILIES) - set(GRADED)))
def test_the_last_level_takes_longer_to_work_out_than_the_first(name: str) -> None:
    assert size(name, len(FAMILIES[name].levels)) > 1.05 * size(name, 1)


def test_number_of_digits_is_what_the_level_says() -> None:
    for level in range(1, 5):
        for problem in drawn("add", level, 20):
            assert [len(str(n)) for n in numbers(problem.question)] == [level + 1, level + 1]
        for problem in drawn("reverse", level, 20):
            assert len(numbers(problem.question)) == level + 2


def test_forgotten_or_invented_carries_are_the_mistake_in_adding() -> None:
    for problem in drawn("add", 1):
        a, b = map(int, re.findall(r"\d+", problem.question))
        ones, tens = a % 10 + b % 10, a // 10 + b // 10
        expected = tens * 10 + ones % 10 if ones > 9 else (tens + 1) * 10 + ones
        assert problem.wrong.answer == str(expected)


def test_families_have_names_of_their_own_and_four_levels() -> None:
    assert len(FAMILIES) >= 10
    assert set(SOLVERS) == set(FAMILIES)
    assert all(len(family.levels) == 4 and family.draw.__doc__ for family in FAMILIES.values())
