import pytest

from rlenvs.errors import GraderError
from rlenvs.records import Task, assistant, user
from rlenvs.rewards import (
    TEMPLATES,
    accuracy,
    credit_reward,
    format_reward,
    policy_reply,
    r1_zero_rubric,
    signed_accuracy,
)

R1 = TEMPLATES["r1_zero"]
PLAIN = TEMPLATES["plain"]


def same_text(gold: object, answer: str, question: str) -> bool:
    return str(gold) == answer


def task(target: str = "5") -> Task:
    """A task whose prompt shows a worked example with an answer, as few-shot prompts do."""
    example = (user("1+1?"), assistant(R1.render_answer("5")), user("2+3?"))
    return Task(id="t", prompt=example, target=target)


def test_an_example_in_the_prompt_is_never_scored() -> None:
    assert policy_reply(task(), task().prompt) is None
    assert accuracy(R1, same_text)(task(), task().prompt) == 0.0
    assert format_reward(R1)(task(), task().prompt) == 0.0


def test_only_the_last_message_of_the_policy_is_scored() -> None:
    first, last = assistant(R1.render_answer("5")), assistant(R1.render_answer("6"))
    transcript = (*task().prompt, first, user("again"), last)
    assert accuracy(R1, same_text)(task(), transcript) == 0.0
    assert accuracy(R1, same_text)(task("6"), transcript) == 1.0


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


def test_a_right_answer_is_worth_one_and_any_other_costs_one() -> None:
    grade = signed_accuracy(R1, same_text)
    said = (R1.render_answer("5"), R1.render_answer("6"), "nothing")
    assert [grade(task(), (*task().prompt, assistant(reply))) for reply in said] == [1.0, -1.0, -1.0]


def test_credit_is_asked_about_the_answer_that_was_given_and_no_answer_earns_none() -> None:
    seen = []

    def half(gold: object, answer: str, question: str) -> float:
        seen.append((gold, answer, question))
        return 0.5

    grade = credit_reward(R1, half)
    assert grade(task(), (*task().prompt, assistant(R1.render_answer("6")))) == 0.5
    assert grade(task(), (*task().prompt, assistant("6"))) == 0.0
    assert seen == [("5", "6", "2+3?")]
