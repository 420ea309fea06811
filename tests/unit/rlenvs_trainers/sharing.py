"""An environment in which what somebody does earns the others something."""

from rlenvs.move import Move
from rlenvs.multi import MultiTextEnv
from rlenvs.records import Ending, Part, Task, user
from rlenvs.rubric import RewardFunction, Rubric

from .asking import says_yes


class Sharing(MultiTextEnv):
    """Whoever acts earns 1.0 for each of the others; the episode ends with the second action."""

    seats = ("ann", "bob", "cid")
    max_turns = 4

    def __init__(self) -> None:
        super().__init__()
        self.rubrics = {seat: Rubric((RewardFunction("yes", says_yes),)) for seat in self.seats}

    def task_at(self, index: int) -> Task:
        return Task(id=f"sharing/{index}", prompt=(user("Go."),))

    def respond(self, seat: str, action: str) -> Move:
        gift = (Part(name=f"from {seat}", value=1.0),)
        ending: Ending | None = "completed" if seat == "bob" else None
        return Move(rewards={other: gift for other in self.seats if other != seat}, ending=ending)
