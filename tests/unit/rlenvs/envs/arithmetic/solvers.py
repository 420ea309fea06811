"""Solvers that read a question's text, one per family. They share no code with the generators."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy
from sympy.parsing.sympy_parser import implicit_multiplication, parse_expr, standard_transformations

from rlenvs.envs.arithmetic.problem import Problem

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
