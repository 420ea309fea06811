"""Environments with two and three seats, scripted partners, and episodes of them."""

from rlenvs import Part, RewardFunction, Rubric, Task, user
from rlenvs.episode import start
from rlenvs.move import Move
from rlenvs.multi import MultiTextEnv
from rlenvs.seats import SeatView


def hello(env, seat, rng):
    return "hello"


def crashing(env, seat, rng):
    raise ConnectionError("the partner hung up")


class Duel(MultiTextEnv):
    """Two seats; "shoot" ends it. The grader of the second seat breaks if asked to."""

    seats = ("first", "second")
    max_turns = 4

    def __init__(self, is_broken=False):
        super().__init__()
        broken = (lambda task, transcript: 1 / 0) if is_broken else (lambda task, transcript: 0.0)
        self.rubrics = {
            "first": Rubric((RewardFunction("won", lambda task, transcript: 1.0),)),
            "second": Rubric((RewardFunction("won", broken),)),
        }

    def task_at(self, index):
        return Task(id=f"duel/{index}", prompt=(user("Draw!"),))

    def begin(self):
        self.luck = self.np_random.random()

    def respond(self, seat, action):
        if action == "crash":
            raise OSError("no pistol")
        return Move(ending="completed" if action == "shoot" else None)

    def demonstrate(self, seat, rng):
        return f"wait {rng.integers(1000)}"


def said(task, transcript):
    return float(sum(message.role == "assistant" for message in transcript))


class Table(MultiTextEnv):
    """Three seats; "quit" leaves, "tip X" earns X 1.0, "all" earns everybody 0.5, "end" ends it, "crash" raises."""

    seats = ("ann", "bob", "cid")
    max_turns = 12

    def __init__(self):
        super().__init__()
        self.rubrics = {seat: Rubric((RewardFunction("said", said),)) for seat in self.seats}

    def task_at(self, index):
        return Task(id=f"table/{index}", prompt=(user("Sit."),))

    def respond(self, seat, action):
        verb, _, other = action.partition(" ")
        if verb == "crash":
            raise OSError("no table")
        rewards = {}
        if verb == "tip":
            rewards = {other: (Part(name="tip", value=1.0),)}
        if verb == "all":
            rewards = {each: (Part(name="all", value=0.5),) for each in self.seats if each not in self.endings}
        return Move(
            rewards=rewards,
            endings={seat: "completed"} if verb == "quit" else {},
            ending="completed" if verb == "end" else None,
            consumed=len(verb),
        )


def saying(*texts):
    """A partner that says these, then waits."""
    return lambda env, seat, rng: (*texts, *["wait"] * 20)[
        sum(message.role == "assistant" for message in env.transcripts[seat])
    ]


def table(seats, **partners):
    return start(SeatView(Table(), None, partners), Table().task_at(0), seats=seats)
