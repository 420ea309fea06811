"""`Play` is one episode being played in tokens: who acts, what each seat has read and written, how it ended.

Rendering, deadlines and turns are kept here, so that a new way to explore is a few lines that decide. What becomes of
it as a record is `lived.py`'s; what a group of plays shares, and what becomes of failures, `rollout.py`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from rlenvs.episode import Effect, Episode, failed
from rlenvs.errors import EpisodeOverError, NoAnswerError
from rlenvs.policies.base import Sampling
from rlenvs.records import Ending
from rlenvs_trainers.grouping import RETRIED
from rlenvs_trainers.lived import trajectory_of
from rlenvs_trainers.preflight import check_distribution
from rlenvs_trainers.records import Completion, Numbers, Trajectory, Turn
from rlenvs_trainers.samplers.base import Monitor, SampleRequest
from rlenvs_trainers.seat_log import SeatLog, action_rewards, ask_answer

if TYPE_CHECKING:
    import numpy as np

    from rlenvs_trainers.rollout import Rollouts

T = TypeVar("T")


class Play:
    """One episode: who acts, what each seat has read and written, how it ended."""

    def __init__(
        self,
        rollouts: Rollouts,
        episode: Episode,
        *,
        attempt: int,
        retry: int,
        tree: int | None,
        answers: Mapping[str, str | None],
        forks: tuple[int, ...] = (),
    ) -> None:
        self.rollouts, self.episode = rollouts, episode
        self.forks = forks  # the way to it from its trunk: which fork of which fork
        self._num_forks = 0
        self.is_closed = episode.seat is None
        self._answers = dict(answers)  # by seat that has acted, how a right one would look
        self.attempt, self.retry, self.tree = attempt, retry, tree
        self.log_weight = 0.0  # of this leaf under the exploration's target; for explorers to set
        self._logs: dict[str, SeatLog] = {}
        self._num_draws = 0

    @property
    def name(self) -> str:
        """Of the episode, unique within a run."""
        return f"{self.rollouts.name}/{self.attempt}.{self.retry}" + "".join(f"-{number}" for number in self.forks)

    @property
    def seat(self) -> str | None:
        """Whose action it is; None once the episode is over."""
        return self.episode.seat

    @property
    def has_failed(self) -> bool:
        """Whether it is over for a reason that says nothing of the policy."""
        return self.seat is None and any(self.episode.outcome(seat).ending in RETRIED for seat in self.episode.seats)

    @property
    def num_turns(self) -> int:
        """How many actions the acting seat has made."""
        return len(self._log().turns)

    async def demonstration(self, rng: np.random.Generator) -> str | None:
        """What the environment would have the acting seat say now; None where it raises or hangs: the play is over.

        Raises:
            NoAnswerError: it demonstrates nothing, ever.
        """
        self.prompt_ids()

        def demonstrated() -> str | None:
            try:
                return self.episode.demonstrate(rng)
            except NoAnswerError:
                raise
            except Exception as error:  # foreign code
                end = failed(error)
                self.episode.stop(end.ending, end.error)
                return None

        return await self._guarded(demonstrated)

    def prompt_ids(self) -> tuple[int, ...]:
        """What the acting seat reads before it writes: for a sampler, or as the prefix of a belief."""
        log = self._log()
        if not log.is_reading:
            log.read(self.rollouts.session.renderer, self.episode.unread())
        assert log.context is not None
        return log.context.ids

    async def write(self, *, params: Sampling | None = None, monitor: Monitor | None = None) -> Completion | None:
        """Let the acting seat write an action, which nobody has read yet. Every call draws afresh.

        Args:
            params: other limits than the run's (`max_tokens`, `stop`); None: the run's.

        Returns:
            None where the prompt leaves no room in the context: the play is over, as "context_overflow".

        Raises:
            RlenvsError: the seat is trained, and `params` would draw from another distribution than the run's.
        """
        session, seat, prompt_ids = self.rollouts.session, self.seat, self.prompt_ids()
        params = params or session.params
        if self.rollouts.player(seat or "").is_learner:
            check_distribution(params, session.params)
        room = self._room(prompt_ids)
        if room < 1:
            await self.stop("context_overflow")
            return None
        player = self.rollouts.player(seat or "")
        place = (seat or "", len(self._log().turns), self._num_draws)
        self._num_draws += 1
        return await session.barrier.sample(
            SampleRequest(
                key=f"{self.name}/{place[0]}/{place[1]}.{place[2]}",
                prompt_ids=prompt_ids,
                params=replace(params, max_tokens=min(room, params.max_tokens)),
                seed=self.rollouts.draw_seed(self.attempt, self.retry, *place, forks=self.forks),
                policy=player.policy,
                version=player.version,
                max_staleness=session.config.max_staleness,
                monitor=monitor,
            )
        )

    async def act(self, completion: Completion, *, discarded: Sequence[Completion] = ()) -> None:
        """Deliver an action to the environment; one that its token limit cut off before it was whole ends the play.

        One for which the context has no room ends it too, as "context_overflow", and is not delivered.

        Args:
            completion: what `write` gave, or another's words.
            discarded: completions for the same prompt that were thrown away; they count in the budget.
        """
        seat, log, prompt_ids = self.seat, self._log(), self.prompt_ids()
        room = self._room(prompt_ids)
        if len(completion.token_ids) > room:
            await self.stop("context_overflow")
            return
        effect = await self._deliver(completion)
        is_cut_off = effect is None and completion.finish_reason == "length"
        if effect is not None:
            completion = completion.cut(self.rollouts.session.renderer.cut(completion.token_ids, effect.consumed))
        log.turns.append(
            Turn(
                id=f"{self.name}/{seat}/{len(log.turns)}",
                prompt_ids=prompt_ids,
                completion=completion,
                discarded=tuple(discarded),
                rewards=(*log.early, *(action_rewards(effect.rewards) if effect is not None else ())),
            )
        )
        log.early = ()
        for earner, parts in effect.others.items() if effect is not None else ():
            self._logs.setdefault(earner, SeatLog()).earn(action_rewards(parts))
        assert log.context is not None
        log.context = self.rollouts.session.renderer.write(log.context, completion.token_ids)
        log.is_reading = False
        if is_cut_off and self.seat is not None:
            await self.stop("context_overflow" if len(completion.token_ids) == room else "max_tokens")

    def note(
        self,
        seat: str,
        *,
        belief: float | None = None,
        signals: Mapping[str, float] = MappingProxyType({}),
        token_signals: Mapping[str, Numbers] = MappingProxyType({}),
    ) -> None:
        """Keep what a model says of the last turn of `seat` with it, see `Turn`. Forks made before do not have it."""
        self._log_of(seat).note(belief=belief, signals=signals, token_signals=token_signals)

    def turns(self, seat: str) -> tuple[Turn, ...]:
        """What the seat has done so far, with what was noted of it."""
        return tuple(self._log_of(seat).turns)

    def ids_in_the_end(self, seat: str) -> tuple[int, ...]:
        """What the seat would read were it to write once more, now that the play is over: prefix of a final belief."""
        log = self._log_of(seat)
        if self.seat is not None:
            raise ValueError(f"{self.name} is not over: {self.seat!r} acts")
        assert log.context is not None
        if log.is_reading:
            return log.context.ids
        return self.rollouts.session.renderer.read(log.context, self.episode.last_words(seat)).ids

    def note_in_the_end(self, seat: str, belief: float) -> None:
        """Keep the belief of the right answer in the state after the seat's last action."""
        self._log_of(seat).final_belief = belief

    async def stop(self, ending: Ending) -> None:
        """End the episode from here: out of tokens, out of context, pruned."""
        await self._guarded(lambda: self.episode.stop(ending))

    async def fork(self) -> Play:
        """An independent play in the same state and of the same tree; both share the turns so far, by id.

        Which numbers and seeds it gets depends on how this play was forked before, not on when.
        """
        self.tree = self.attempt if self.tree is None else self.tree
        forks = (*self.forks, self._num_forks)
        self._num_forks += 1
        episode = await self.rollouts.copied(self.episode)
        numbers = {"attempt": self.attempt, "retry": self.retry}
        play = Play(self.rollouts, episode, **numbers, tree=self.tree, answers=self._answers, forks=forks)
        play._logs = {seat: log.copy() for seat, log in self._logs.items()}
        return self.rollouts.keep(play)

    async def close(self) -> None:
        """Free what the episode holds, wherever it is. Plays that come to their end do so themselves."""
        session, self.is_closed = self.rollouts.session, True
        with suppress(TimeoutError):  # closing hangs: it is left behind
            await session.workers.call(self.episode.close, session.config.action_timeout_s, what=f"closing {self.name}")

    def trajectories(self) -> tuple[Trajectory, ...]:
        """One per seat, once the play is over."""
        return tuple(
            trajectory_of(self, seat, self._logs.get(seat, SeatLog()), answer=self._answers.get(seat))
            for seat in self.episode.seats
        )

    def _room(self, prompt_ids: Sequence[int]) -> int:
        """How many tokens may follow the prompt."""
        return self.rollouts.session.barrier.sampler.context_length - len(prompt_ids)

    def _log(self) -> SeatLog:
        if self.seat is None:
            raise EpisodeOverError(f"{self.name} is over: nobody acts any more")
        return self._logs.setdefault(self.seat, SeatLog())

    def _log_of(self, seat: str) -> SeatLog:
        if seat not in self._logs:
            raise ValueError(f"{self.name}: {seat!r} has not acted, only {sorted(self._logs)}")
        return self._logs[seat]

    async def _deliver(self, completion: Completion) -> Effect | None:
        """What the action did; None where it was not whole, or past the deadline."""
        text = self.rollouts.session.renderer.decode(completion.token_ids)
        is_whole = completion.finish_reason != "length"

        def act() -> Effect | None:
            length = len(text) if is_whole else self.episode.complete(text)
            if length is None:
                return None
            effect = self.episode.act(text[:length])
            ask_answer(self.episode, self._answers)
            return effect

        effect = await self._guarded(act)
        self.rollouts.session.counts["actions"] += effect is not None
        return effect

    async def _guarded(self, move: Callable[[], T]) -> T | None:
        """Make a move in a thread. Past its deadline the episode is over as "timeout", and None is returned."""
        session, timeout_s = self.rollouts.session, self.rollouts.session.config.action_timeout_s

        def move_and_close() -> T:
            moved = move()
            if self.episode.seat is None:
                self.is_closed = True
                self.episode.close()
            return moved

        try:
            return await session.workers.call(move_and_close, timeout_s, what=f"a step of {self.name}")
        except TimeoutError:
            if self.episode.seat is not None:
                self.episode.stop("timeout", f"the environment gave no answer within {timeout_s:g} s")
            self.is_closed = True
            self.episode.close()  # at once, since a call hangs
            return None
