"""A plug-in for tests: environments that a policy of thirty thousand weights can play, some of them broken."""

import time

from rlenvs import RewardFunction, Rubric, Task, TextEnv, user
from rlenvs.hooks import RegisterEnvironment, hookimpl

RIGHT = "7"


class FaultError(Exception):
    """What a broken environment raises."""


class Digit(TextEnv):
    """Say a digit: bigger is better, and one of them is right.

    `fault` breaks every `every`-th task: "step" and "reset" raise, "raise" raises in the grader, "hang" sleeps in it,
    "none", "nan" and "text" are what it gives. `tasks` bounds their number, `prompt` is its length in characters.
    """

    def __init__(self, size=1.0, tasks=None, fault="", every=1, prompt=1, render_mode=None):
        super().__init__(render_mode=render_mode)
        self.num_tasks, self.fault, self.every, self.prompt = tasks, fault, every, prompt
        functions = [RewardFunction("right", self._right)]
        if size:
            functions.append(RewardFunction("size", _size, weight=size))
        self.rubric = Rubric(tuple(functions))

    def task_at(self, index):
        return Task(id=f"digit/{index}", prompt=(user("?" * self.prompt + str(index % 10)),), target=index)

    def answer_message(self, task):
        return RIGHT

    def demonstrate(self, rng):
        return str(rng.integers(10))

    def begin(self):
        if self._is_broken("reset"):
            raise FaultError(f"no task {self.task.target}")

    def respond(self, action):
        if self._is_broken("step"):
            raise FaultError(f"the world ended in task {self.task.target}")
        return super().respond(action)

    def _right(self, task, transcript):
        answer = {"none": None, "nan": float("nan"), "text": "good"}
        if self._is_broken(*answer):
            return answer[self.fault]
        if self._is_broken("hang"):
            time.sleep(600)
        if self._is_broken("raise"):
            raise FaultError("the grader fell over")
        return transcript[-1].content.strip() == RIGHT

    def _is_broken(self, *faults):
        return self.fault in faults and self.task.target % self.every == 0


def _size(task, transcript):
    said = transcript[-1].content.strip()
    return int(said) / 9 if transcript[-1].role == "assistant" and said in set("0123456789") else 0.0


@hookimpl
def register_environments(register: RegisterEnvironment) -> None:
    register("test/Digit-v0", Digit)
