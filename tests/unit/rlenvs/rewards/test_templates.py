import pytest

from rlenvs.rewards import TEMPLATES, template_named

R1 = TEMPLATES["r1_zero"]
BOXED = TEMPLATES["boxed"]
PLAIN = TEMPLATES["plain"]
DAPO = TEMPLATES["dapo"]
MARKED = TEMPLATES["marked"]


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("working", ["", "first\nthen"])
@pytest.mark.parametrize("answer", ["5", r"\frac{1}{2}", r"\{1, 2\}", "(0, 1]"])
def test_a_rendered_answer_is_well_formed_and_extracts_to_itself(name: str, working: str, answer: str) -> None:
    reply = TEMPLATES[name].render_answer(answer, working)
    assert TEMPLATES[name].extract(reply) == answer
    assert TEMPLATES[name].is_well_formed(reply)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_question_with_braces_goes_into_the_prompt_as_it_stands(name: str) -> None:
    question = r"What is $\{x : x > {0}\}$ {question}?"
    assert question in TEMPLATES[name].wrap(question)[0].content


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("<think>a</think><answer>3</answer> or <answer>5</answer>", "5"),
        ("<think>a</think><answer>3</answer> or <answer>5", None),  # cut off while changing its mind
        ("<think>a</think><answer>5", None),
        ("<think>a</think><answer> </answer>", None),
        ("<think>a</think>5", None),
        ("<think><answer>5</answer></think>", None),
        ("<think>a<answer>5</answer>", None),  # thinking was never closed
        ("<answer>5</answer><think>and now", "5"),
        ("<think><think>b</think><answer>3</answer></think><answer>5</answer>", "5"),
        ("<think><think>b</think><answer>3</answer></think>", None),
        ("thoughts <answer>3</answer></think><answer>5</answer>", "5"),  # the chat template opened the tag
        ("thoughts <answer>3</answer></think>", None),
        ("<answer>3<answer>5</answer>4</answer>", "5"),
        (r"<answer>so \boxed{3}, no: \boxed{5}</answer>", "5"),
        ("</answer>5<answer>", None),
    ],
)
def test_the_last_closed_answer_tag_outside_thinking_decides(reply: str, answer: str | None) -> None:
    assert R1.extract(reply) == answer


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "5",
        "<answer>5</answer>",
        "<think>a</think><answer></answer>",
        "<think>a</think><answer>5</answer> bye",
        "hello <think>a</think><answer>5</answer>",
        "<think>a</think> so <answer>5</answer>",
        "<think>a</think><answer>4</answer><answer>5</answer>",
        "<think><think>a</think></think><answer>5</answer>",
        "<think>a<answer>5</answer></think>",
        "<answer>5</answer><think>a</think>",
        "<think>a<answer>5</answer>",
    ],
)
def test_only_each_tag_once_and_in_order_is_well_formed(reply: str) -> None:
    assert not R1.is_well_formed(reply)


@pytest.mark.parametrize(
    ("reply", "answer", "well_formed"),
    [
        (r"\boxed{3} no \boxed{5}", "5", False),
        (r"\boxed{5} \boxed{3", None, False),
        (r"asked for \boxed{}, got \boxed{5}", "5", True),
        (r"\boxed{}", None, False),
        (r"<think>\boxed{3}</think> \boxed{5}", "5", True),
        (r"<think>\boxed{5}</think>", None, False),
        (r"\boxed{\boxed{5}}", "5", True),
        (r"\boxed 5.", "5", True),
        ("5", None, False),
    ],
)
def test_the_last_box_outside_thinking_decides(reply: str, answer: str | None, well_formed: bool) -> None:
    assert (BOXED.extract(reply), BOXED.is_well_formed(reply)) == (answer, well_formed)


@pytest.mark.parametrize(
    ("reply", "answer", "well_formed"),
    [
        ("5", "5", True),
        ("work\n#### 5", "5", True),
        ("work\n#### 5\nbye", "5", False),
        ("#### 3\n#### 5", None, False),
        ("#### 3\nWait, no.\n#### 5", "5", False),
        ("#### ", None, False),
        ("two\nlines", "two\nlines", False),
        ("", None, False),
        ("<think>5", None, False),
    ],
)
def test_a_plain_answer_follows_the_last_marker_or_is_the_whole_reply(
    reply: str, answer: str | None, well_formed: bool
) -> None:
    assert (PLAIN.extract(reply), PLAIN.is_well_formed(reply)) == (answer, well_formed)


@pytest.mark.parametrize(
    ("reply", "answer", "well_formed"),
    [
        ("so 5\n#### 5", "5", True),
        ("#### 5", "5", True),
        ("5", None, False),
        ("#### 3\nno\n#### 5", None, False),
        ("#### 5\nchecked\n#### 5", "5", False),
        ("#### 5\nbye", "5", False),
        ("<think>#### 5</think>", None, False),
    ],
)
def test_a_marked_answer_follows_the_last_marker_and_nothing_else_is_one(
    reply: str, answer: str | None, well_formed: bool
) -> None:
    assert (MARKED.extract(reply), MARKED.is_well_formed(reply)) == (answer, well_formed)


@pytest.mark.parametrize(
    ("reply", "answer", "well_formed"),
    [
        ("so\nAnswer: 5", "5", True),
        ("so\nanswer : $5$\n", "$5$", True),
        ("**Answer:** 5", "5", False),
        ("Answer: 3\nno\nAnswer: 5", None, False),
        ("Answer: 3\nActually, no.\nAnswer: 5", "5", False),
        ("Answer: 5\nbye", "5", False),
        ("Answer:\n5", None, False),
        ("The Answer: 5", "5", False),
        ("\\boxed{5}", None, False),
        ("<think>Answer: 5</think>", None, False),
        ("", None, False),
    ],
)
def test_the_last_answer_line_decides(reply: str, answer: str | None, well_formed: bool) -> None:
    assert (TEMPLATES["choice"].extract(reply), TEMPLATES["choice"].is_well_formed(reply)) == (answer, well_formed)


def test_dapo_looks_at_the_last_300_characters_alone() -> None:
    line = "Answer: 5\n"
    assert DAPO.extract(line + "x" * 290) == "5"
    assert DAPO.extract(line + "x" * 291) is None, "the line's first letter is the 301st"
    assert TEMPLATES["choice"].extract(line + "x" * 291) == "5"


def test_published_prompts_are_as_published() -> None:
    assert DAPO.wrap("1+1?")[0].content == (
        "Solve the following math problem step by step. The last line of your response should be of the form "
        "Answer: $Answer (without quotes) where $Answer is the answer to the problem.\n\n1+1?\n\n"
        'Remember to put your answer on its own line after "Answer:".'
    )
    assert TEMPLATES["qwen_boxed"].wrap("1+1?")[0].content == (
        "1+1?\nPlease reason step by step, and put your final answer within \\boxed{}."
    )


def test_an_unknown_template_names_the_near_miss() -> None:
    with pytest.raises(ValueError, match="Did you mean 'r1_zero'"):
        template_named("r1zero")
