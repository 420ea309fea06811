"""`SeatView`: one seat of a `MultiTextEnv` as an ordinary Gymnasium environment, with scripted partners.

How partners play is here too. Episodes of any number of seats are in `rlenvs.seats_episode`.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping

import numpy as np

from rlenvs.env import Response, TextEnv
from rlenvs.errors import unknown
from rlenvs.multi import MultiTextEnv
from rlenvs.records import Message, Part, Task, Verdict, as_text

Partner = Callable[[MultiTextEnv, str, np.random.Generator], str]
"""(the environment, whose turn it is, randomness) -> that seat's message."""

Earned = defaultdict[str, tuple[Part, ...]]
"""By seat, the named rewards since somebody last asked, whoever's actions they are for."""


def demonstrating(env: MultiTextEnv, seat: str, rng: np.random.Generator) -> str:
    """The partner that does what the environment itself would show."""
    return as_text(env.demonstrate(seat, rng), "demonstrate")


class SeatView(TextEnv):
    """One seat of a multi-seat environment as a Gymnasium environment; scripted partners play the others.

    The rewards of an action are all that the seat earned until it acts again, by its partners' actions too. It is over
    when the seat leaves, though others may go on.
    """

    def __init__(
        self,
        multi: MultiTextEnv,
        seat: str | None = None,
        partners: Mapping[str, Partner] | None = None,
        *,
        render_mode: str | None = None,
    ) -> None:
        """Look at `multi` from one seat.

        Args:
            multi: the environment; the view owns it.
            seat: whose view. None: the first seat's, and an `Episode` plays all of them.
            partners: by seat, who plays the others; `demonstrating` where none is given.

        Raises:
            ValueError: there is no such seat.
        """
        super().__init__(render_mode=render_mode)
        for name in (*(partners or {}), *([seat] if seat is not None else [])):
            if name not in multi.seats:
                raise ValueError(unknown("seat", name, multi.seats))
        self.multi = multi
        self.chosen_seat = seat
        self.seat = seat or multi.seats[0]
        self.partners = dict(partners or {})
        self.num_tasks = multi.num_tasks
        self.max_turns = multi.max_turns  # of all seats together: the environment's own limit is met by then
        self._earned: Earned = defaultdict(tuple)

    def task_at(self, index: int) -> Task:
        """The environment's."""
        return self.multi.task_at(index)

    def begin(self) -> None:
        """Start the environment on the task, and let the partners who come first speak."""
        seed = int(self.np_random.integers(2**31))
        self.multi.reset(seed=seed, options={"task": self.task})
        self.task = self.multi.task
        self._earned.clear()
        self._play_partners()
        if self.seat in self.multi.endings:
            raise ValueError(f"task {self._task_id}: the episode was over before {self.seat} could act")

    def opening(self) -> tuple[Message, ...]:
        """What the seat reads before it first acts."""
        return self.multi.unread(self.seat)

    def respond(self, action: str) -> Response:
        """The seat's action, and the partners' after it until it is the seat's turn again."""
        consumed = take_step(self.multi, action, self._earned)
        self._play_partners()
        if self.seat in self.multi.errors:
            raise self.multi.errors[self.seat]
        return Response(
            messages=self.multi.unread(self.seat),
            ending=self.multi.endings.get(self.seat),
            consumed=consumed,
            rewards=self._earned.pop(self.seat, ()),
        )

    def complete(self, text: str) -> int | None:
        """The environment's, for the seat."""
        return self.multi.complete(self.seat, text)

    def answer_message(self, task: Task) -> str:
        """The seat's answer."""
        return self.multi.answer_message(task, self.seat)

    def demonstrate(self, rng: np.random.Generator) -> str:
        """What the seat would well say next."""
        return self.multi.demonstrate(self.seat, rng)

    def judge(self) -> Verdict | None:
        """The seat's verdict."""
        has_left = self.seat in self.multi.endings
        return self.multi.verdicts[self.seat] if has_left else self.multi.judge(self.seat)

    def close(self) -> None:
        """Close the environment."""
        self.multi.close()

    def _play_partners(self) -> None:
        play_partners(self.multi, {self.seat}, self.partners, self.np_random, self._earned)

    @property
    def _task_id(self) -> str:
        return self.task.id if self.task is not None else "none"


def take_step(env: MultiTextEnv, action: str, earned: Earned) -> int:
    """Let the acting seat say `action`, add what everybody earned by it to `earned`, and give the characters used."""
    seat = env.agent_selection
    env.step(action)
    for earner, info in env.infos.items():
        earned[earner] += info["rewards"]
    return int(env.infos[seat]["consumed"])


def play_partners(
    env: MultiTextEnv, seats: Collection[str], partners: Mapping[str, Partner], rng: np.random.Generator, earned: Earned
) -> None:
    """Let scripted partners act until it is the turn of one of `seats`, or all of `seats` have left."""
    while any(seat not in env.endings for seat in seats):
        seat = env.agent_selection
        if seat in env.endings:
            env.step(None)  # PettingZoo takes it away
        elif seat in seats:
            return
        else:
            take_step(env, partners.get(seat, demonstrating)(env, seat, rng), earned)
