"""A plug-in for tests: environments that a policy of thirty thousand weights can play, some of them broken."""

import time

from rlenvs import RewardFunction, Rubric, Task, TextEnv, user
from rlenvs.hooks import RegisterEnvironment, hookimpl


class FaultError(Exception):
    """What a broken environment raises."""


class Digit(TextEnv):
    """Say a digit: bigger is better by `size`, and those in `right` are right ("*": whatever it is).

    Only every `every`-th task can be solved; of those, `fault` breaks all: "step" and "reset" raise, "raise" raises in
    the grader, "hang" sleeps in it, "none", "nan" and "text" are what it gives, "other" starts another task. There are
    `tasks` of them, and `prompt` characters in each prompt.
    """

    def __init__(self, right="7", worth=1.0, size=1.0, tasks=None, fault="", every=1, prompt=2, render_mode=None):
        super().__init__(render_mode=render_mode)
        self.right, self.num_tasks, self.fault, self.every, self.prompt = right, tasks, fault, every, prompt
        functions = [RewardFunction("right", self._right, weight=worth)]
        if size:
            functions.append(RewardFunction("size", _size, weight=size))
        self.rubric = Rubric(tuple(functions))

    def task_at(self, index):
        return Task(id=f"digit/{index}", prompt=(user("?" * (self.prompt - 1) + str(index % 10)),), target=index)

    def answer_message(self, task):
        return self.right[0]

    def demonstrate(self, rng):
        return str(rng.integers(10))

    def begin(self):
        if self._is_broken("reset"):
            raise FaultError(f"no task {self.task.target}")
        if self._is_broken("other"):
            self.task = self.task_at(self.task.target + 1)

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
        said = transcript[-1].content.strip()
        return self._is_chosen and ("*" in self.right or (said != "" and said in self.right))

    @property
    def _is_chosen(self):
        return self.task.target % self.every == 0

    def _is_broken(self, *faults):
        return self.fault in faults and self._is_chosen


def _size(task, transcript):
    said = transcript[-1].content.strip()
    return int(said) / 9 if transcript[-1].role == "assistant" and said in set("0123456789") else 0.0


@hookimpl
def register_environments(register: RegisterEnvironment) -> None:
    register("test/Digit-v0", Digit)
