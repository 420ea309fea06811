"""An environment of one's own, in one file: counting the vowels of a word.

Train on it without installing anything:

    rlenvs envs check my/Vowels-v0 --plugin examples/my_env.py
    rlenvs train --plugin examples/my_env.py --env my/Vowels-v0
"""

import numpy as np

from rlenvs import RewardFunction, Rubric, Task, TextEnv, user
from rlenvs.hooks import RegisterEnvironment, hookimpl


def counted(task, transcript):
    """1 for the right number, 0 for anything else."""
    return transcript[-1].content.strip() == str(task.target)


class VowelsEnv(TextEnv):
    """How many vowels a made-up word has."""

    rubric = Rubric((RewardFunction("accuracy", counted),))

    def task_at(self, index):
        letters = np.random.default_rng(index).choice(list("abcdefghijklmnopqrstuvwxyz"), size=5 + index % 4)
        word = "".join(letters)
        prompt = (user(f"How many of a, e, i, o, u are in {word}? Answer with the number alone."),)
        return Task(id=f"vowels/{index}", prompt=prompt, target=sum(word.count(vowel) for vowel in "aeiou"))

    def answer_message(self, task):
        return str(task.target)


@hookimpl
def register_environments(register: RegisterEnvironment) -> None:
    register("my/Vowels-v0", VowelsEnv)
