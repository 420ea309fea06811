import time

import pytest

from rlenvs.verifiers.extract import after_marker, boxes, extract, last_box, outside_thinking


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
    assert last_box(r"\boxed{1} \boxed{2}") == "2"
    assert after_marker("#### 1\n#### 2 \nbye") == "2"
    assert after_marker("#### 1\n####") is None


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (r"so \boxed{5}. The answer is 7.", "5"),
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


@pytest.mark.parametrize("bad", ["\\boxed{", "\\boxed{}", "<think>", "</think>", "{", "}", "answer is ", "#### ", "$"])
def test_a_long_repetition_is_read_in_linear_time(bad: str) -> None:
    started = time.perf_counter()
    extract(bad * 50_000)
    extract(bad * 50_000 + "}" * 50_000)
    assert time.perf_counter() - started < 5
