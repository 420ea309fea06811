"""An environment of one question each."""

from rlenvs import RewardFunction, Rubric, Task, TextEnv, user


def is_right(task, transcript):
    return transcript[-1].content.strip() == task.target


class OneShot(TextEnv):
    rubric = Rubric((RewardFunction("accuracy", is_right),))
    num_tasks = 4

    def task_at(self, index):
        return Task(id=f"double/{index}", prompt=(user(f"Twice {index}?"),), target=str(2 * index))

    def answer_message(self, task):
        return task.target
