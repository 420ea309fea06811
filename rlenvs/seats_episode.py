"""`SeatsEpisode`: one play of an environment with several seats, of which the driver acts for some or all."""

import copy
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

import numpy as np

from rlenvs.closing import Closing
from rlenvs.env import complete_characters
from rlenvs.episode import Effect, Outcome, declared, failed
from rlenvs.errors import EpisodeOverError, described, foreign_code, unknown
from rlenvs.multi import MultiTextEnv
from rlenvs.records import FAILURES, Ending, Message, Task, as_text
from rlenvs.seats import Earned, Partner, SeatView, play_partners, take_step


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
        self._outcomes: dict[str, Outcome] = {}  # of the seats that have left; the first word stands
        self._last_words: dict[str, tuple[Message, ...]] = {}
        self._asked: tuple[str, int] | None = None  # whose turn it is, and how many messages it may have read for it
        self._earned: Earned = defaultdict(tuple)
        self._closing = Closing(env.close)

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
        rng = np.random.default_rng(seed)
        try:
            with foreign_code():
                copied = view.clone()
        except Exception as error:
            episode = cls(view.multi, task, tuple(seats), view.partners, rng)
            episode._closing = Closing(lambda: None)  # the original is not this episode's
            episode._end(failed(error))
            return episode
        episode = cls(copied.multi, task, tuple(seats), copied.partners, rng)
        episode._begin(seed)
        return episode

    def _begin(self, seed: int) -> None:
        try:
            with foreign_code():
                self._reset(seed)
        except Exception as error:
            self._end(failed(error))
        else:
            self._guarded(lambda: None)

    def _reset(self, seed: int) -> None:
        self.env.reset(seed=seed, options={"task": self.task})
        if self.env.task is None:
            raise ValueError(f"{type(self.env).__name__}.reset() left no task")
        self.task = self.env.task

    @property
    def seat(self) -> str | None:
        """Whose action it is, one of the driver's seats; None once all of these have left."""
        return None if self._is_over else self.env.agent_selection

    def unread(self) -> tuple[Message, ...]:
        """What the acting seat was told since it last acted."""
        return () if self._is_over else self.env.unread(self.env.agent_selection)

    def act(self, text: str) -> Effect:
        """The acting seat's message, then the partners' until it is one of the driver's seats' turn."""
        seat, consumed = self._acting_seat(), len(text)

        def move() -> None:
            nonlocal consumed
            consumed = take_step(self.env, text, self._earned)
            self._asked = None

        self._guarded(move)
        earned = {earner: self._earned.pop(earner) for earner in self.seats if self._earned[earner]}
        return Effect(consumed=consumed, rewards=earned.pop(seat, ()), others=earned)

    def complete(self, text: str) -> int | None:
        """What the environment says for the acting seat."""
        seat = self._acting_seat()
        try:
            with self._closing.inside():
                return complete_characters(self.env.complete(seat, text), text)
        except Exception as error:  # whatever an environment raises is an ending
            self._end(failed(error))
            return None

    def answer_message(self) -> str:
        """The acting seat's right answer, given now."""
        with self._closing.inside():
            return as_text(self.env.answer_message(self.task, self._acting_seat()), "answer_message")

    def demonstrate(self, rng: np.random.Generator) -> str:
        """A good next message of the acting seat."""
        with self._closing.inside():
            return as_text(self.env.demonstrate(self._acting_seat(), rng), "demonstrate")

    def stop(self, ending: Ending, error: str = "") -> None:
        """End it from outside for all who are still there. A failure leaves the environment alone: it may hang."""
        self._acting_seat()
        if ending in FAILURES:
            self._end(Outcome(ending=ending, verdict=None, error=error))
        else:
            self._guarded(lambda: self.env.stop(ending), error)

    def outcome(self, seat: str) -> Outcome:
        """How it ended for `seat`."""
        if seat not in self.env.seats:
            raise ValueError(unknown("seat", seat, self.env.seats))
        if seat not in self._outcomes:
            raise ValueError(f"the episode of task {self.task.id} is not over yet for {seat!r}")
        return self._outcomes[seat]

    def last_words(self, seat: str) -> tuple[Message, ...]:
        """What `seat` never had a turn to answer."""
        self.outcome(seat)
        return self._last_words.get(seat, ())

    def fork(self) -> "SeatsEpisode":
        """A copy that goes its own way."""
        with self._closing.inside():
            env = self.env.clone()
        fork = type(self)(env, self.task, self.seats, self._partners, copy.deepcopy(self._rng))
        fork._outcomes, fork._last_words = dict(self._outcomes), dict(self._last_words)
        fork._asked, fork._earned = self._asked, self._earned.copy()
        return fork

    def close(self) -> None:
        """Close the copy of the environment."""
        self._closing.close()

    @property
    def _is_over(self) -> bool:
        return all(seat in self._outcomes for seat in self.seats)

    def _acting_seat(self) -> str:
        if self._is_over:
            raise EpisodeOverError(f"the episode of task {self.task.id} is over")
        return self.env.agent_selection

    def _guarded(self, move: Callable[[], None], error: str = "") -> None:
        """Make a move and the partners' after it; what is raised is an ending for all who are still there."""
        try:
            with self._closing.inside():
                move()
                play_partners(self.env, self.seats, self._partners, self._rng, self._earned)
                self._record(error)
                self._ask()
        except Exception as raised:  # whatever an environment or a partner raises
            with suppress(Exception):  # an ending that contradicts itself
                self._record(error)
            self._end(failed(raised))

    def _record(self, error: str) -> None:
        """Keep how it ended for those whom the environment has let go."""
        for seat, ending in self.env.endings.items():
            if seat in self._outcomes:
                continue
            raised, words = self.env.errors.get(seat), self._untold(seat)
            why = error or (declared(ending, words) if raised is None else described(raised))
            self._last_words[seat] = words
            self._outcomes.setdefault(seat, Outcome(ending=ending, verdict=self.env.verdicts[seat], error=why))

    def _ask(self) -> None:
        if not self._is_over:
            seat = self.env.agent_selection
            if not self.env.transcripts[seat]:
                raise ValueError(
                    f"it is the turn of {seat!r}, which has nothing to reply to: opening({seat!r}) is empty"
                )
            self._asked = seat, len(self.env.unread(seat))

    def _untold(self, seat: str) -> tuple[Message, ...]:
        """What `seat` has not read, the messages left out that it had when its turn came."""
        num_read = self._asked[1] if self._asked is not None and self._asked[0] == seat else 0
        return self.env.unread(seat)[num_read:]

    def _end(self, outcome: Outcome) -> None:
        """Let it be over in this way for all who are still there."""
        for seat in self.env.seats:
            self._outcomes.setdefault(seat, outcome)
