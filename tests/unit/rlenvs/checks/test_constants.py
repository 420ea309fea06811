"""Graders and questions for which one and the same answer is right nearly everywhere, and others for which none is."""

import pytest

from rlenvs import RewardFunction, Rubric, Task, TextEnv, user
from rlenvs.checks.constants import one_answer_is_not_enough
from rlenvs.checks.subject import Subject


class Asked(TextEnv):
    """Forty questions whose answers stand between marks."""

    num_tasks = 40
    tolerance = 0.0

    def __init__(self):
        super().__init__()
        self.rubric = Rubric((RewardFunction("accuracy", self.is_right),))

    def target_of(self, index):
        return str(index + 2)

    def is_right(self, task, transcript):
        given = transcript[-1].content.removeprefix("Answer: [").removesuffix("].")
        if self.tolerance:
            return float(abs(float(given or "nan") - float(task.target)) <= self.tolerance) if given != "yes" else 0.0
        return float(given == task.target)

    def task_at(self, index):
        return Task(id=f"asked/{index}", prompt=(user(f"Question {index}?"),), target=self.target_of(index))

    def answer_message(self, task):
        return f"Answer: [{task.target}]."


def noted(env, num_tasks=20):
    subject = Subject.of(env, num_tasks, 0)
    assert list(one_answer_is_not_enough(subject)) == []
    return subject.notes


def test_answers_that_differ_give_no_note():
    assert noted(Asked()) == []


def test_a_constant_within_the_graders_tolerance_is_noted_with_how_often_it_is_right():
    class Small(Asked):
        tolerance = 0.001

        def target_of(self, index):
            return "0.00001" if index % 4 else "0.5"

    [note] = noted(Small(), 40)
    assert note.startswith("'0' scores full marks on 30 of 40 tasks: if it is not right there, the grader accepts")


@pytest.mark.parametrize(("num_equal", "is_noted"), [(21, True), (20, False)])
def test_the_most_frequent_answer_is_noted_where_it_is_right_for_more_than_half(num_equal, is_noted):
    class Often(Asked):
        def target_of(self, index):
            return "violet" if index < num_equal else str(index)

    notes = noted(Often(), 40)
    assert [note.partition(":")[0] for note in notes] == ["the most frequent answer, 'Answer"] * is_noted
    assert all("'Answer: [violet].', scores full marks on 21 of 40 tasks" in note for note in notes)


def test_of_few_tasks_nothing_is_said():
    class Same(Asked):
        def target_of(self, index):
            return "yes"

    assert noted(Same(), 19) == []
    assert len(noted(Same(), 20)) == 1


def test_an_environment_that_does_not_say_its_answers_is_not_tried():
    class Silent(Asked):
        def answer_message(self, task):
            raise NotImplementedError

    assert noted(Silent()) == []
