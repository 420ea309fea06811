"""Environments with three seats: one in which all end together, and one in which they leave one by one."""

from rlenvs import Part, RewardFunction, Rubric, Task, user
from rlenvs.move import Move
from rlenvs.multi import MultiTextEnv
from rlenvs_sandbox import SandboxError


class Haggling(MultiTextEnv):
    """Three seats name prices until one says "deal" or turns run out; "skip" gives the floor back to the first."""

    seats = ("ann", "bob", "cid")
    max_turns = 5

    def __init__(self, graders=None):
        super().__init__()
        graders = {seat: lambda task, transcript: float(len(transcript)) for seat in self.seats} | (graders or {})
        self.rubrics = {seat: Rubric((RewardFunction("length", grade),)) for seat, grade in graders.items()}

    def task_at(self, index):
        return Task(id=f"haggle/{index}", prompt=(user(f"Sell {index} apples."),))

    def respond(self, seat, action):
        if action == "crash":
            raise KeyError("till")
        if action == "lost":
            raise SandboxError("gone")
        if action == "fire":
            return Move(ending="timeout")
        if action == "deal":
            return Move(ending="completed", rewards={seat: (Part(name="bonus", value=2.0, weight=0.5),)})
        messages = {other: (user(f"{seat}: {action}"),) for other in self.seats if other != seat}
        return Move(messages=messages, next_seat="ann" if action == "skip" else None)


class Auction(MultiTextEnv):
    """Seats bid in turn until one is left, who pays; the last bid is lost if somebody shouts.

    "pass" leaves; "gift X" earns X 1.0 and the giver 0.25; "sulk" leaves as a failure; "shout" raises.
    """

    seats = ("ann", "bob", "cid")
    max_turns = 8

    def __init__(self, grader=lambda task, transcript: float(len(transcript))):
        super().__init__()
        self.rubrics = {seat: Rubric((RewardFunction("heard", grader),)) for seat in self.seats}

    def task_at(self, index):
        return Task(id=f"auction/{index}", prompt=(user("A vase."),))

    def respond(self, seat, action):
        if action == "shout":
            raise KeyError("hammer")
        verb, _, other = action.partition(" ")
        told = {each: (user(f"{seat}: {action}"),) for each in self.seats if each != seat}
        if verb == "gift":
            value = (Part(name="gift", value=1.0),)
            return Move(messages=told, rewards={other: value, seat: (Part(name="thanks", value=0.25),)})
        if verb == "call":
            return Move(messages=told, next_seat=other)
        if verb == "expel":
            return Move(messages=told, endings={other: "malformed_action"}, next_seat=seat)
        if verb == "sold":
            return Move(messages=told, ending="completed", endings={other: "unscored"})
        leaving = {"pass": "completed", "sulk": "timeout"}.get(verb)
        return Move(messages=told, endings={seat: leaving} if leaving else {})
