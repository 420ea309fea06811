"""References that cannot be read: the contract is checked on the others, and the environment is not blamed."""

import pytest

from rlenvs import RewardFunction, Rubric, Task, TaskList, TextEnv, check_env, user
from rlenvs.checks.readable import NothingReadableError, readable
from rlenvs.checks.subject import Subject


def is_right(task, transcript):
    if not task.target:
        raise ValueError("no reference")
    return float(transcript[-1].content == task.target)


class Sums(TextEnv):
    """Some sums lack their answer, and the grader raises at them."""

    rubric = Rubric((RewardFunction("accuracy", is_right),))

    def __init__(self, *targets):
        super().__init__()
        self.tasks = TaskList(
            Task(id=f"sum/{place}", prompt=(user(f"Which sum is number {place}?"),), target=target)
            for place, target in enumerate(targets)
        )
        self.num_tasks = len(targets)

    def task_at(self, index):
        return self.tasks[index]

    def answer_message(self, task):
        return task.target

    def why_unreadable(self, task):
        return "" if task.target else "it is empty"


@pytest.mark.parametrize("targets", [("", "12", "", "120", ""), ("", "7"), ("7", "", "")])
def test_the_contract_is_checked_on_tasks_whose_reference_can_be_read(targets):
    env = Sums(*targets)
    check_env(env)
    assert type(env) is Sums


def test_the_next_one_that_can_be_read_is_in_the_place_of_one_that_cannot():
    env = Sums("1", "", "3", "")
    with readable(Subject.of(env, 4, 0)) as subject:
        assert [task.id for task in subject.tasks] == ["sum/0", "sum/2"]
        assert [subject.env.task_at(index).id for index in range(4)] == ["sum/0", "sum/2", "sum/2", "sum/0"]
        assert subject.env.clone().task_at(1).id == "sum/2"
    assert env.task_at(1).id == "sum/1"


def test_where_none_can_be_read_that_is_the_one_thing_that_is_said():
    with pytest.raises(NothingReadableError, match=r"^not one of its references can be read; sum/0: it is empty$"):
        check_env(Sums("", "", ""))


def test_tasks_without_end_are_not_searched_without_end():
    class Endless(Sums):
        def __init__(self):
            super().__init__()
            self.num_tasks = None

        def task_at(self, index):
            return Task(id=f"sum/{index}", prompt=(user("Which?"),), target="")

    with pytest.raises(NothingReadableError):
        check_env(Endless())
