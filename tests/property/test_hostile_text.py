"""No text that a policy writes keeps our own extraction, format checks or comparisons busy.

They run where a deadline cannot stop them, so each has to be about linear in the text: 100,000 characters of whatever
repeats badly take a moment, not minutes. What goes to a worker process has limits of its own.
"""

import time

from hypothesis import example, given, settings
from hypothesis import strategies as st

from rlenvs.rewards import TEMPLATES
from rlenvs.verifiers import extract
from rlenvs.verifiers.compare import Judgement, compare
from rlenvs.verifiers.notation.text import MAX_CHARS

LENGTH = 100_000
LIMIT_S = 1.5  # of processor time; a loop in a loop over the text takes ten times as long

PIECES = (
    "<think>", "</think>", "<answer>", "</answer>", "\\boxed{", "\\boxed", "\\fbox ", "{", "}", "####", "#", " ", "\n",
    "\t", "answer is", "answer:", "answer", "*", "\\", "$", "1", "11", "1,", "0.", ".", "(", ")", "[", "]", "a", "abc ",
    "\\frac", "\\frac{", "\\frac{1}", "\\text{", "\\text{a}", "^", "^{", "**", "^\\circ", "e", "-", "=", ":", "; ", ",",
    " and ", "\\begin{align}", "\\end{align}", "\\{", "\\}", "\\{x:", "<", "\\le ", "\\approx", "!", "\\pm", "_", "_{",
    "\\overline{", "²", "½", "×", "\\cup", "\\$", "%", "percent", "\\sqrt", "\\sqrt(", "/", "x", "'", "I would", "...",
    "```", '{"answer": ', "</s>", "Option C is correct, ", "A: ", "or ", "\\text{Answer",
)  # fmt: skip

pieces = st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map("".join)
ends = st.sampled_from(("", *PIECES))


def hostile(start: str, repeated: str, end: str, length: int) -> str:
    return (start + repeated * length)[: length - len(end)] + end


def no_algebra(gold: str, answer: str) -> Judgement:
    return Judgement("not_equal")


def assert_quick(function: object, *arguments: object) -> None:
    started = time.thread_time()
    function(*arguments)  # type: ignore[operator]
    assert time.thread_time() - started < LIMIT_S


@settings(max_examples=60)
@given(start=ends, repeated=pieces, end=ends)
@example(start="<think>", repeated="</think><answer>", end="")
@example(start="<think>", repeated="</think><answer></answer>", end="x")
@example(start="", repeated="{", end="")
@example(start="", repeated="answer is", end="")
@example(start="```", repeated="```", end="")
@example(start="answer: 5", repeated="\n", end="")
def test_finding_the_answer_in_a_reply_and_checking_its_format_are_quick(start: str, repeated: str, end: str) -> None:
    reply = hostile(start, repeated, end, LENGTH)
    assert_quick(extract, reply)
    for template in TEMPLATES.values():
        assert_quick(template.extract, reply)
        assert_quick(template.is_well_formed, reply)


@settings(max_examples=300)
@given(start=ends, repeated=pieces, end=ends, gold=st.sampled_from(("17", "x+y", "(1,2),(3,4)", "\\text{yes}", "3:4")))
@example(start="", repeated="1", end="", gold="x+y")
@example(start="", repeated="1", end=")", gold="x+y")
@example(start="x", repeated="\\text{a}", end="", gold="x+y")
@example(start="", repeated="(", end="", gold="x+y")
def test_comparing_an_answer_of_any_length_is_quick(start: str, repeated: str, end: str, gold: str) -> None:
    for length in (MAX_CHARS, LENGTH):
        assert_quick(compare, gold, hostile(start, repeated, end, length), "How many percent?", no_algebra)
