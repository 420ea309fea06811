"""A game of guesses with one seat, which may break in several ways."""

from rlenvs import Response, RewardFunction, Rubric, Task, TextEnv, user


class Guessing(TextEnv):
    """Three guesses at a number between 0 and 9 that the world draws; it may break in several ways."""

    max_turns = 3

    def __init__(self, breaks=None, grade=lambda task, transcript: transcript[-2].content == transcript[-1].content):
        super().__init__()
        self.breaks = breaks
        self.rubric = Rubric((RewardFunction("accuracy", grade),))

    def task_at(self, index):
        return Task(id=f"guess/{index}", prompt=(user("Guess."),), target=index)

    def begin(self):
        self.drawn = str(self.np_random.integers(10))

    def respond(self, action):
        if self.breaks is not None:
            raise self.breaks
        return Response(messages=(user(self.drawn),), ending="completed" if action == self.drawn else None)

    def demonstrate(self, rng):
        return self.drawn

    def answer_message(self, task):
        return "42"


TASK = Guessing().task_at(5)
