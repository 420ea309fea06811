"""Elementary number theory: remainders, common divisors and multiples."""

import math

import numpy as np

from rlenvs.envs.arithmetic.problem import Family, Problem, Worked, between


def modular(rng: np.random.Generator, level: int) -> Problem:
    """Remainders of numbers, products and powers, and linear congruences.

    Mistake: the quotient is given, the last reduction is forgotten, the base is multiplied by the exponent, or the
    factor is multiplied instead of inverted.
    """
    return (_remainder, _product, _power, _congruence)[level - 1](rng)


def _remainder(rng: np.random.Generator) -> Problem:
    number, modulus = between(rng, 20, 999), between(rng, 3, 19)
    quotient, remainder = divmod(number, modulus)
    lines = (f"{number}/{modulus}={quotient} r {remainder}",)
    right, wrong = Worked(lines, str(remainder)), Worked(lines, str(quotient))
    return Problem(question=f"What is {number} mod {modulus}?", right=right, wrong=wrong)


def _product(rng: np.random.Generator) -> Problem:
    first, second, modulus = between(rng, 11, 99), between(rng, 11, 99), between(rng, 5, 30)
    a, b = first % modulus, second % modulus
    lines = (f"{first} mod {modulus}={a}", f"{second} mod {modulus}={b}", f"{a}*{b}={a * b}")
    last = f"{a * b} mod {modulus}={a * b % modulus}"
    right, wrong = Worked((*lines, last), str(a * b % modulus)), Worked(lines, str(a * b))
    return Problem(question=f"What is {first} * {second} mod {modulus}?", right=right, wrong=wrong)


def _power(rng: np.random.Generator) -> Problem:
    base, exponent, modulus = between(rng, 2, 19), between(rng, 3, 9), between(rng, 5, 30)
    power, lines = base % modulus, list[str]()
    for _ in range(exponent - 1):
        lines += _reduced_product(power, base, modulus)
        power = power * base % modulus
    right = Worked(tuple(lines), str(power))
    wrong = Worked(_reduced_product(base, exponent, modulus), str(base * exponent % modulus))
    return Problem(question=f"What is {base}^{exponent} mod {modulus}?", right=right, wrong=wrong)


def _congruence(rng: np.random.Generator) -> Problem:
    modulus = between(rng, 7, 60)
    factor, value = between(rng, 2, modulus - 1), between(rng, 1, modulus - 1)
    while math.gcd(factor, modulus) > 1:
        factor = between(rng, 2, modulus - 1)
    inverse = pow(factor, -1, modulus)
    lines = (*_reduced_product(factor, inverse, modulus), *_reduced_product(inverse, value, modulus))
    right = Worked(lines, str(inverse * value % modulus))
    wrong = Worked(_reduced_product(factor, value, modulus), str(factor * value % modulus))
    question = f"Which x from 0 to {modulus - 1} has {factor}x = {value} (mod {modulus})?"
    return Problem(question=question, right=right, wrong=wrong)


def _reduced_product(first: int, second: int, modulus: int) -> tuple[str, str]:
    product = first * second
    return f"{first}*{second}={product}", f"{product} mod {modulus}={product % modulus}"


def gcd(rng: np.random.Generator, level: int) -> Problem:
    """The greatest common divisor, by Euclid. Mistake: one division too few."""
    first, second = _related(rng, level)
    right, wrong = _euclid(first, second)
    return Problem(question=f"What is the gcd of {first} and {second}?", right=right, wrong=wrong)


def lcm(rng: np.random.Generator, level: int) -> Problem:
    """The least common multiple of numbers with a common divisor. Mistake: the product is not divided by it."""
    first, second = _related(rng, level)
    shared, product = math.gcd(first, second), first * second
    lines = (*_euclid(first, second)[0].lines, f"{first}*{second}={product}")
    right = Worked((*lines, f"{product}/{shared}={product // shared}"), str(product // shared))
    wrong = Worked((lines[-1],), str(product))
    return Problem(question=f"What is the lcm of {first} and {second}?", right=right, wrong=wrong)


def _related(rng: np.random.Generator, level: int) -> tuple[int, int]:
    """Two different numbers with a common divisor above 1 and quotients of comparable size."""
    shared, largest = between(rng, 2, (9, 12, 30, 99)[level - 1]), (20, 50, 99, 300)[level - 1]
    first = between(rng, 2, largest)
    second = between(rng, 2, largest - 1)
    return first * shared, (second + (second >= first)) * shared


def _euclid(first: int, second: int) -> tuple[Worked, Worked]:
    """The derivation, and the one that stops a division earlier."""
    values, lines = [max(first, second), min(first, second)], []
    while values[-1]:
        a, b = values[-2:]
        lines.append(f"{a} mod {b}={a % b}")
        values.append(a % b)
    return Worked(tuple(lines), str(values[-2])), Worked(tuple(lines[:-1]), str(values[-3]))


FAMILIES = (
    Family(
        "modular",
        modular,
        ("a number to 999", "a product of two-digit numbers", "a power", "a linear congruence, modulus to 60"),
    ),
    Family("gcd", gcd, ("numbers to 180", "to 600", "to 2970", "to 29700")),
    Family("lcm", lcm, ("numbers to 180", "to 600", "to 2970", "to 29700")),
)
