"""What stands around an answer in a reply: units, end tokens, JSON; and what long replies cost."""

import time

import pytest

from rlenvs.verifiers import extract


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (r"\boxed{28}\%", r"28\%"),
        (r"\boxed{5}\text{ cm}^2", "5 cm^2"),
        (r"\boxed{5} square feet", "5 square feet"),
        (r"\boxed{5} in total", "5"),
        (r"\boxed{5} apples", "5"),
        (r"\boxed{7} million", "7 million"),
        (r"\boxed 10", None),
        (r"\boxed{-15}x^3", "-15"),
        (r"\boxed{5} or \boxed{6} inches", "5, 6"),
        ('{"answer": 7.50}', "7.50"),
        ('{"answer": 7, "answer": 7}', '{"answer": 7, "answer": 7}'),
        ("A: 7", "7"),
        ("A: 7 km", "A: 7 km"),
        ("The answer is 7.</s>\n", "7"),
    ],
)
def test_what_stands_around_an_answer_belongs_to_it_or_not(reply: str, answer: str | None) -> None:
    assert extract(reply) == answer


@pytest.mark.parametrize("start", [r"\boxed{5}", "The answer is 5", "A: 5", "So ", r"\text{Answer:", '{"answer": 5'])
@pytest.mark.parametrize(
    "bad", ["\n", "*", " ", ".", "</s>", "I think ", "Option C is correct, ", "boxed{", "5", "3 + ", "a x "]
)
def test_what_follows_a_statement_is_read_in_linear_time(start: str, bad: str) -> None:
    started = time.perf_counter()
    extract(start + bad * 20_000)
    assert time.perf_counter() - started < 2
