import pytest

from rlenvs.errors import GraderError
from rlenvs.records import Task, assistant, user
from rlenvs.rewards import TEMPLATES, accuracy, format_reward, policy_reply, r1_zero_rubric, template_named

R1 = TEMPLATES["r1_zero"]
BOXED = TEMPLATES["boxed"]
PLAIN = TEMPLATES["plain"]


def same_text(gold: object, answer: str, question: str) -> bool:
    return str(gold) == answer


def task(target: str = "5") -> Task:
    """A task whose prompt shows a worked example with an answer, as few-shot prompts do."""
    example = (user("1+1?"), assistant(R1.render_answer("5")), user("2+3?"))
    return Task(id="t", prompt=example, target=target)


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
        ("#### 3\n#### 5", "5", False),
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


def test_an_example_in_the_prompt_is_never_scored() -> None:
    assert policy_reply(task(), task().prompt) is None
    assert accuracy(R1, same_text)(task(), task().prompt) == 0.0
    assert format_reward(R1)(task(), task().prompt) == 0.0


def test_only_the_last_message_of_the_policy_is_scored() -> None:
    first, last = assistant(R1.render_answer("5")), assistant(R1.render_answer("6"))
    transcript = (*task().prompt, first, user("again"), last)
    assert accuracy(R1, same_text)(task(), transcript) == 0.0
    assert accuracy(R1, same_text)(task("6"), transcript) == 1.0


def test_the_reward_is_accuracy_plus_weighted_format() -> None:
    rubric = r1_zero_rubric(R1, same_text, format_weight=0.1)
    rewards = {}
    for reply in ("<answer>5</answer>", R1.render_answer("5"), R1.render_answer("6"), "nothing"):
        verdict = rubric.judge(task(), (*task().prompt, assistant(reply)))
        assert verdict is not None
        rewards[reply] = (verdict.reward, verdict.correct)
    assert list(rewards.values()) == [(1.0, 1.0), (1.1, 1.0), (0.1, 0.0), (0.0, 0.0)]


def test_an_equality_that_breaks_is_an_error_of_the_grader() -> None:
    def broken(gold: object, answer: str, question: str) -> bool:
        raise RuntimeError("lost")

    with pytest.raises(GraderError, match="task t: reward function 'accuracy' raised RuntimeError: lost"):
        r1_zero_rubric(R1, broken).judge(task(), (*task().prompt, assistant(R1.render_answer("5"))))


def test_the_question_reaches_the_equality_without_the_templates_words() -> None:
    seen = []

    def equal(gold: object, answer: str, question: str) -> bool:
        seen.append(question)
        return True

    for metadata in ({"question": "2+3?"}, {}):
        asked = Task(id="t", prompt=(user("Think. 2+3?"),), target="5", metadata=metadata)
        accuracy(PLAIN, equal)(asked, (*asked.prompt, assistant("5")))
    assert seen == ["2+3?", "Think. 2+3?"]


def test_an_unknown_template_names_the_near_miss() -> None:
    with pytest.raises(ValueError, match="Did you mean 'r1_zero'"):
        template_named("r1zero")
