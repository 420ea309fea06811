"""How alike two questions are, on small texts worked out by hand."""

import pytest

from rlenvs.checks.likeness import alike, numbers_of, resemblance, shingles_of, without_numbers, words_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is  2 + 3?", "what is 2+3"),
        (r"Compute \(\dfrac{1}{2}\).", r"Compute $\frac{1}{2}$."),
        (r"Find $x\,$ in $\left( 0, 1 \right)$.", "Find $x$ in $(0,1)$."),
        ("１２ apples", "12 apples"),
        ("He paid 1,200 dollars", "He paid $1200 dollars"),
        ("Natalia’s “clips”", 'Natalia\'s "clips"'),
        ("5 − 3", "5 - 3"),
        ("x² + 1", "x^2 + 1"),
        ("$x^{2}$", "$x^2$"),
    ],
)
def test_what_makes_no_difference_is_left_out(one, other):
    assert words_of(one) == words_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("5!", "5"), ("10²", "102"), ("x^{2y}", "x^2y"), ("2.5 kg", "25 kg"), ("$f'(2)$", "$f(2)$"), ("-5", "5")],
)
def test_what_makes_another_question_of_it_is_kept(one, other):
    assert words_of(one) != words_of(other)


def test_a_question_is_taken_apart_into_words_numbers_commands_and_signs():
    words = words_of(r"Sam has 3 bags of 2.5 kg: $\sqrt{x} \le 1,000$?")
    assert words == ("sam", "has", "3", "bags", "of", "2.5", "kg", r"\sqrt", "x", r"\le", "1000")
    assert numbers_of(words) == ("1000", "2.5", "3")
    assert without_numbers(words)[:4] == ("sam", "has", "#", "bags")


def test_resemblance_is_the_share_of_rows_of_three_words_in_both():
    one, other = shingles_of(tuple("abcde")), shingles_of(tuple("abcdx"))
    assert len(one) == 3
    assert resemblance(one, other) == 2 / 4
    assert resemblance(one, one) == 1.0
    assert resemblance(one, shingles_of(("a", "b"))) == 0.0
    assert resemblance(frozenset(), frozenset()) == 0.0


def pairs(*questions, num_own=2, at_least=0.5):
    return [(one, other) for one, other, _ in alike([words_of(each) for each in questions], num_own, at_least)]


def test_only_questions_with_the_same_numbers_are_alike():
    first = "Josie received 50 dollars and buys 2 tapes that cost 9 dollars each"
    assert pairs(first, first.replace("Josie", "Amanda")) == [(0, 1)]
    assert pairs(first, first.replace("9", "8")) == []
    assert pairs(first, "Of 50 dollars, 9 go to each of 2 shops") == []


def test_questions_from_elsewhere_are_not_compared_with_each_other():
    text = "the number of ways to arrange the letters of a word that has seven of them"
    assert pairs(text, f"{text} please", f"{text} now", num_own=1) == [(0, 1), (0, 2)]


def test_what_every_prompt_says_does_not_make_questions_alike():
    rules = "think first and then put the final answer in a box at the very end of your reply"
    names = ("ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen", "ibis", "jay", "koi", "lynx")
    asked = [f"What does a {name} eat? {rules}" for name in names]
    assert pairs(*asked, num_own=len(asked)) == []
    assert len(pairs(*asked[:2])) == 1, "two prompts do not show what every prompt says"
