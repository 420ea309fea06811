import time

import pytest

from rlenvs.verifiers.replies.extract import after_marker, boxes, extract, last_box, outside_thinking


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        ("a <think>b</think> c", "a  c"),
        ("<think>b", ""),
        ("b</think>c", "c"),
        ("<think>a<think>b</think>c</think>d", "d"),
        ("a<think>b</think>c<think>d", "ac"),
        ("a</think>b</think>c", "c"),
        ("plain", "plain"),
    ],
)
def test_only_text_outside_thinking_is_kept(reply: str, kept: str) -> None:
    assert outside_thinking(reply) == kept


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r"\boxed{1} and \fbox{2}", ["1", "2"]),
        (r"\boxed{\frac{1}{2}}", [r"\frac{1}{2}"]),
        (r"\boxed{\{1, 2\}}", [r"\{1, 2\}"]),
        (r"\boxed{ \boxed{7} }", ["7"]),
        (r"\boxed{\boxed{3}, \boxed{5}}", [r"\boxed{3}, \boxed{5}"]),
        (r"\boxed{} \boxed{ } \boxed{8}", ["8"]),
        (r"\boxed 7.", ["7"]),
        (r"\boxed{1} \boxed{2", None),
        (r"\boxed{\{}", [r"\{"]),
        ("{ stray \\boxed{4}", ["4"]),
        ("no box", []),
        (r"\boxedly{5}", []),
    ],
)
def test_boxes_give_what_stands_in_them(text: str, found: list[str] | None) -> None:
    assert boxes(text) == found


def test_of_several_boxes_and_markers_the_last_counts() -> None:
    assert last_box(r"\boxed{1}. So \boxed{2}") == "2"
    assert last_box("\\boxed{1}\n\n\\boxed{2}") == "2"
    assert after_marker("#### Step 1\n#### 2 \nbye") == "2"
    assert after_marker("#### 1\n####") is None


def test_of_two_marked_numbers_the_last_counts_only_where_it_corrects_the_other() -> None:
    assert after_marker("#### 1\n#### 2 \nbye") is None
    assert after_marker("#### 1\nWait, that is wrong.\n#### 2") == "2"
    assert after_marker("#### 0.5\n#### 1/2") == "1/2"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (r"\boxed{1}\boxed{2}", "1, 2"),
        (r"The roots are $\boxed{3}$ and $\boxed{5}$.", "3, 5"),
        (r"\boxed{1} papers and \boxed{2} bins", "1, 2"),
        (r"$\boxed{2}, \boxed{3}, \boxed{5}$", "2, 3, 5"),
        (r"\boxed{A} or \boxed{B}", "A, B"),
        (r"it is \boxed{1}, again \boxed{1}", "1"),
        (r"I get \boxed{3}, but that forgets a case. So it is \boxed{5}.", "5"),
        (r"\boxed{C} ... after checking again \boxed{E}", "E"),
    ],
)
def test_boxes_that_one_sentence_joins_are_one_answer(text: str, answer: str) -> None:
    assert last_box(text) == answer


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (r"Thus $x <= 2$ is our answer.", "x <= 2"),
        ("<think>no</think> <answer> 42 </answer>", "42"),
        ("The answer is 42, because 6*7 = 42.", "42"),
        ("#### Step 1\nfoo\nThe answer is 42.", "42"),
        ("I don't think the answer is 5.", None),
        ("A common wrong answer is 5.", None),
        ("**Final Answer**\n\n42", "42"),
        ("It is\n\\[ 9 \\]", "9"),
        ("Answer $$\n 9 \n$$", "9"),
        ("Final Answer: The largest $n$ is 34.", "34"),
        ("The answer is $18.", "$18"),
        ("The answer is $18$.", "18"),
        ("I paid $5 and $7 in all.\nThen nothing.", None),
        ("因此，最终答案为 42。", "42"),
        ("解得 x＝3。", "x＝3"),
        (r"so \boxed{5}. The answer is 7.", None),
        ("work\n#### 5\n", "5"),
        ("The answer is 4. No, the answer is 5. Done.", "5"),
        ("**Final Answer:** 5", "5"),
        ("Answer: **5**", "5"),
        ("<think>answer: 5</think>", None),
        (r"\boxed{}", None),
        ("5", "5"),
        ("first line\nsecond line", None),
    ],
)
def test_a_whole_reply_states_its_answer_in_one_of_the_usual_forms(reply: str, answer: str | None) -> None:
    assert extract(reply) == answer


LONG = [
    "> a\n",
    "\n",
    "```\n",
    "wait, ",
    "or 5 ",
    "\\boxed{1} or ",
    "The answer is 5. ",
    "So x = 5. ",
    "x = 1, ",
    "答案是",
    r"\boxed{\sqrt{2}} naive ",
    r"The answer is \boxed{1}. If \boxed{2} would ",
    r", or $\sqrt{3}$",
    "\n\nQ: ",
    "<|im_end|>",
]


@pytest.mark.parametrize(
    "bad", ["\\boxed{", "\\boxed{}", "<think>", "</think>", "{", "}", "answer is ", "#### ", "$", *LONG]
)
def test_a_long_repetition_is_read_in_linear_time(bad: str) -> None:
    started = time.perf_counter()
    extract(bad * 50_000)
    extract(bad * 50_000 + "}" * 50_000)
    assert time.perf_counter() - started < 5
