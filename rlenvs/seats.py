"""Some seats of a `MultiTextEnv` for the learner, the others for scripted partners: `SeatView` and `SeatsEpisode`.

`SeatView` is one seat as an ordinary Gymnasium environment. `SeatsEpisode` is one play by any number of seats.
"""

import copy
from collections.abc import Callable, Container, Mapping, Sequence

import numpy as np

from rlenvs.env import Response, TextEnv
from rlenvs.episode import Effect, Outcome, failed
from rlenvs.errors import EpisodeOverError, described, unknown
from rlenvs.multi import MultiTextEnv
from rlenvs.records import FAILURES, Ending, Message, Task, Verdict

Partner = Callable[[MultiTextEnv, str, np.random.Generator], str]
"""(the environment, whose turn it is, randomness) -> that seat's message."""


def demonstrating(env: MultiTextEnv, seat: str, rng: np.random.Generator) -> str:
    """The partner that does what the environment itself would show."""
    return env.demonstrate(seat, rng)


class SeatView(TextEnv):
    """One seat of a multi-seat environment as a Gymnasium environment; scripted partners play the others."""

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
        self.max_turns = multi.max_turns + 1  # the environment's own limit is met first

    def task_at(self, index: int) -> Task:
        """The environment's."""
        return self.multi.task_at(index)

    def begin(self) -> None:
        """Start the environment on the task, and let the partners who come first speak."""
        seed = int(self.np_random.integers(2**31))
        self.multi.reset(seed=seed, options={"task": self.task})
        self.task = self.multi.task
        self._play_partners()
        if self.multi.endings:
            raise ValueError(f"task {self._task_id}: the episode was over before {self.seat} could act")

    def opening(self) -> tuple[Message, ...]:
        """What the seat reads before it first acts."""
        return self.multi.unread(self.seat)

    def respond(self, action: str) -> Response:
        """The seat's action, and the partners' after it until it is the seat's turn again."""
        self.multi.step(action)
        info = self.multi.infos[self.seat]
        self._play_partners()
        return Response(
            messages=self.multi.unread(self.seat),
            ending=self.multi.endings.get(self.seat),
            consumed=info["consumed"],
            rewards=info["rewards"],
        )

    def answer_message(self, task: Task) -> str:
        """The seat's answer."""
        return self.multi.answer_message(task, self.seat)

    def demonstrate(self, rng: np.random.Generator) -> str:
        """What the seat would well say next."""
        return self.multi.demonstrate(self.seat, rng)

    def judge(self) -> Verdict | None:
        """The seat's verdict."""
        return self.multi.verdicts[self.seat] if self.multi.endings else self.multi.judge(self.seat)

    def _play_partners(self) -> None:
        play_partners(self.multi, {self.seat}, self.partners, self.np_random)

    @property
    def _task_id(self) -> str:
        return self.task.id if self.task is not None else "none"


def play_partners(
    env: MultiTextEnv, seats: Container[str], partners: Mapping[str, Partner], rng: np.random.Generator
) -> None:
    """Let scripted partners act until it is the turn of one of `seats`, or the episode is over."""
    while not env.endings and env.agent_selection not in seats:
        seat = env.agent_selection
        env.step(partners.get(seat, demonstrating)(env, seat, rng))


class SeatsEpisode:
    """An episode of an environment with several seats, of which the driver acts for some or all."""

    def __init__(
        self,
        env: MultiTextEnv,
        task: Task,
        seats: tuple[str, ...],
        partners: Mapping[str, Partner],
        rng: np.random.Generator,
    ) -> None:
        self.env, self.task, self.seats = env, task, seats
        self._partners, self._rng = partners, rng
        self._failure: Outcome | None = None  # of the whole episode, from outside or before it began
        self._error = ""  # what the environment raised when it ended itself

    @classmethod
    def start(cls, view: SeatView, task: Task, seats: Sequence[str] | None, seed: int) -> "SeatsEpisode":
        """Reset a copy of the view's environment to `task`, and let the partners who come first speak."""
        if seats is None:
            seats = view.multi.seats if view.chosen_seat is None else (view.chosen_seat,)
        for seat in seats:
            if seat not in view.multi.seats:
                raise ValueError(unknown("seat", seat, view.multi.seats))
        if not seats:
            raise ValueError(f"an episode needs at least one seat to act for, of {', '.join(view.multi.seats)}")
        view = view.clone()
        episode = cls(view.multi, task, tuple(seats), view.partners, np.random.default_rng(seed))
        episode._guarded(lambda: episode._reset(seed))
        return episode

    def _reset(self, seed: int) -> None:
        self.env.reset(seed=seed, options={"task": self.task})
        if self.env.task is None:
            raise ValueError(f"{type(self.env).__name__}.reset() left no task")
        self.task = self.env.task

    @property
    def seat(self) -> str | None:
        """Whose action it is, one of the driver's seats; None once it is over."""
        return None if self._is_over else self.env.agent_selection

    def unread(self) -> tuple[Message, ...]:
        """What the acting seat was told since it last acted."""
        return () if self._is_over else self.env.unread(self.env.agent_selection)

    def act(self, text: str) -> Effect:
        """The acting seat's message, then the partners' until it is one of the driver's seats' turn."""
        seat, effect = self._acting_seat(), Effect(consumed=len(text))

        def move() -> None:
            nonlocal effect
            self.env.step(text)
            info = self.env.infos[seat]  # before a partner's action replaces it
            effect = Effect(consumed=info["consumed"], rewards=info["rewards"])

        self._guarded(move)
        return effect

    def answer_message(self) -> str:
        """The acting seat's right answer, given now."""
        return self.env.answer_message(self.task, self._acting_seat())

    def demonstrate(self, rng: np.random.Generator) -> str:
        """A good next message of the acting seat."""
        return self.env.demonstrate(self._acting_seat(), rng)

    def stop(self, ending: Ending, error: str = "") -> None:
        """End it from outside for every seat. A failure does not touch the environment, which may be hanging."""
        self._acting_seat()
        if ending in FAILURES:
            self._failure = Outcome(ending=ending, verdict=None, error=error)
            return
        self._error = error
        self._guarded(lambda: self.env.stop(ending))

    def outcome(self, seat: str) -> Outcome:
        """How it ended for `seat`."""
        if seat not in self.env.seats:
            raise ValueError(unknown("seat", seat, self.env.seats))
        if self._failure is not None:
            return self._failure
        if not self.env.endings:
            raise ValueError(f"the episode of task {self.task.id} is not over yet")
        ending = self.env.endings[seat]
        return Outcome(ending=ending, verdict=self.env.verdicts[seat], error=self._error if ending in FAILURES else "")

    def fork(self) -> "SeatsEpisode":
        """A copy that goes its own way."""
        fork = type(self)(self.env.clone(), self.task, self.seats, self._partners, copy.deepcopy(self._rng))
        fork._failure, fork._error = self._failure, self._error
        return fork

    @property
    def _is_over(self) -> bool:
        return self._failure is not None or bool(self.env.endings)

    def _acting_seat(self) -> str:
        if self._is_over:
            raise EpisodeOverError(f"the episode of task {self.task.id} is over")
        return self.env.agent_selection

    def _guarded(self, move: Callable[[], None]) -> None:
        """Make a move and the partners' after it; what is raised is an ending."""
        try:
            move()
            play_partners(self.env, self.seats, self._partners, self._rng)
        except Exception as error:  # whatever an environment or a partner raises
            if self._failure is not None:
                return  # it was stopped from outside meanwhile
            if self.env.endings:
                self._error = described(error)
            else:
                self._failure = failed(error)
