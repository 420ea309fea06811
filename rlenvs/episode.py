"""`Episode`: one play of any of our environments, an action at a time, with failures as values.

Rollouts (in tokens) and evaluation (in words) both drive environments through this, so that a broken grader or a
raising environment is recorded in one place and in one way. Deadlines are whose who drive it: see `Episode.stop`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from rlenvs.closing import Closing
from rlenvs.env import TextEnv, check_ending, complete_characters, consumed_characters, joined
from rlenvs.errors import EpisodeOverError, RlenvsError, described, ending_of, foreign_code
from rlenvs.records import FAILURES, Ending, Message, Part, Task, Verdict, as_messages, as_parts, as_text, shown

POLICY_SEAT = "policy"  # the only seat of a single-agent environment


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What one action did."""

    consumed: int  # characters of the action that the environment used, from its start
    rewards: tuple[Part, ...] = ()  # named rewards of the acting seat, for this action alone
    # By seat, what the driver's other seats earned meanwhile: it belongs to the last action of that seat, or to its
    # first if it has not acted yet.
    others: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How an episode ended for one seat. The verdict is None exactly when nothing can be learned from it."""

    ending: Ending
    verdict: Verdict | None
    error: str = ""  # what a failure said: exception type, message, last lines of the traceback

    def __post_init__(self) -> None:
        check_ending(self.ending)
        if not isinstance(self.verdict, Verdict | None):
            raise ValueError(f"a verdict is a Verdict, or None: got {shown(self.verdict)}")
        if (self.verdict is None) != (self.ending in FAILURES):
            raise ValueError(f"ending {self.ending!r} does not go with verdict {self.verdict}")


class Episode(Protocol):
    """One play. Environments with one seat and with several look the same to who drives them."""

    task: Task  # the one that was started, which is not the one asked for where a reset ignores it: see `check_task`
    seats: tuple[str, ...]  # those that the driver acts for; scripted partners play the others

    @property
    def seat(self) -> str | None:
        """Whose action it is; None once the episode is over: all of the driver's seats have left."""

    def unread(self) -> tuple[Message, ...]:
        """The messages that the acting seat has not read yet: the prompt first, replies later."""

    def act(self, text: str) -> Effect:
        """Give the acting seat's message to the environment. What it raises becomes an ending, never a reward of 0."""

    def complete(self, text: str) -> int | None:
        """How many characters the acting seat's first whole action in `text` takes; None while there is none.

        For a policy that ran into its token limit: these characters can be acted on, and are not cut off. What the
        environment raises here is an ending: None is returned, and the episode is over.
        """

    def answer_message(self) -> str:
        """How the acting seat's answer would look if it were given now, and were right."""

    def demonstrate(self, rng: np.random.Generator) -> str:
        """A good next message of the acting seat: what warm start imitates and scripted partners say."""

    def stop(self, ending: Ending, error: str = "") -> None:
        """End the episode from outside: out of tokens, out of context, past a deadline.

        With an ending that is a failure ("timeout" …) this returns at once, even while `act` hangs in another thread;
        what that `act` does later changes nothing. Other endings are judged on what there is.
        """

    def outcome(self, seat: str) -> Outcome:
        """How it ended for `seat`; only once it is over for it. Others may still be going on."""

    def last_words(self, seat: str) -> tuple[Message, ...]:
        """What `seat` was told and never had a turn to answer: the world's last reply. Once it is over for `seat`.

        Empty where there was no reply to its last turn: the action was cut off, the world or a partner raised, or the
        episode was ended from outside as a failure.
        """

    def fork(self) -> "Episode":
        """An independent copy in the same state. It is closed on its own."""

    def close(self) -> None:
        """Free what this play holds. Whoever drives it does so at its end, however it ended.

        Again it does nothing, it raises nothing, and it returns at once while a call of the environment hangs. The
        outcomes stay; nothing else is asked of a closed episode.
        """


def start(env: TextEnv, task: Task, seats: Sequence[str] | None = None, *, seed: int | None = None) -> Episode:
    """Begin an episode of `task` in a copy of `env`, which itself stays as it is.

    Args:
        env: what `rlenvs.make` gives. Any number of episodes may be in flight from one.
        task: one of its tasks.
        seats: which seats the driver acts for. None: the one the environment was made for (`make(id, seat=…)`), or
            all of them if it was made for none in particular.
        seed: of the world's own randomness. By default it follows from the task, so that all attempts at a task meet
            the same world.

    Raises:
        ValueError: the environment has no such seat. (What the environment raises is in the outcome instead.)
    """
    from rlenvs.seats import SeatView  # with PettingZoo, which a single seat does not need
    from rlenvs.seats_episode import SeatsEpisode

    seed = int(task.fingerprint, 16) % 2**31 if seed is None else seed
    if isinstance(env, SeatView):
        return SeatsEpisode.start(env, task, seats, seed)
    if seats not in (None, (POLICY_SEAT,), [POLICY_SEAT]):
        raise ValueError(f"{type(env).__name__} has one seat, {POLICY_SEAT!r}: got {seats}")
    return PolicyEpisode.start(env, task, seed)


def check_task(episode: Episode, task: Task) -> None:
    """Raise RlenvsError if an episode that was started for `task` is of another one: siblings would not be siblings."""
    if episode.task.fingerprint != task.fingerprint:
        raise RlenvsError(
            f"the environment was given task {task.id} and started {episode.task.id}: attempts at one task would try "
            f"different ones. Its reset must respect options['task']."
        )


class PolicyEpisode:
    """An episode of an environment with one seat."""

    seats: tuple[str, ...] = (POLICY_SEAT,)

    def __init__(self, env: TextEnv, task: Task, unread: tuple[Message, ...], outcome: Outcome | None) -> None:
        self.env, self.task = env, task
        self._unread, self._outcome = unread, outcome
        self._last_words: tuple[Message, ...] = ()
        self._closing = Closing(env.close)

    @classmethod
    def start(cls, env: TextEnv, task: Task, seed: int) -> "PolicyEpisode":
        """Reset a copy of `env` to `task`."""
        try:
            with foreign_code():
                copied = env.clone()
        except Exception as error:
            episode = cls(env, task, (), failed(error))
            episode._closing = Closing(lambda: None)  # the original is not this episode's
            return episode
        try:
            with foreign_code():
                _, info = copied.reset(seed=seed, options={"task": task})
            if not isinstance(copied.task, Task):
                raise ValueError(f"{type(env).__name__}.reset() left no task: env.task is {shown(copied.task)}")
            return cls(copied, copied.task, as_messages(info["messages"], "info['messages']"), None)
        except Exception as error:
            return cls(copied, task, (), failed(error))

    @property
    def seat(self) -> str | None:
        """The policy's, until the end."""
        return POLICY_SEAT if self._outcome is None else None

    def unread(self) -> tuple[Message, ...]:
        """The prompt at first, then the replies to the last action."""
        return self._unread if self._outcome is None else ()

    def act(self, text: str) -> Effect:
        """Take one step."""
        self._check_going()
        try:
            with self._closing.inside():
                return self._stepped(text)
        except Exception as error:  # whatever an environment raises is an ending
            self._finish(failed(error))
            return Effect(consumed=len(text))

    def _stepped(self, text: str) -> Effect:
        _, _, terminated, truncated, info = self.env.step(text)
        self._unread = as_messages(info["messages"], "info['messages']")
        effect = Effect(
            consumed=consumed_characters(info["consumed"], text), rewards=as_parts(info["rewards"], "info['rewards']")
        )
        if terminated or truncated:
            error = declared(info["ending"], self._unread)
            outcome = Outcome(ending=info["ending"], verdict=info["verdict"], error=error)
            self._finish(outcome, self._unread)
        return effect

    def complete(self, text: str) -> int | None:
        """What the environment says."""
        self._check_going()
        try:
            with self._closing.inside():
                return complete_characters(self.env.complete(text), text)
        except Exception as error:  # whatever an environment raises is an ending
            self._finish(failed(error))
            return None

    def answer_message(self) -> str:
        """The right answer, given now."""
        with self._closing.inside():
            return as_text(self.env.answer_message(self.task), "answer_message")

    def demonstrate(self, rng: np.random.Generator) -> str:
        """A good next message."""
        with self._closing.inside():
            return as_text(self.env.demonstrate(rng), "demonstrate")

    def stop(self, ending: Ending, error: str = "") -> None:
        """End it from outside. A failure does not touch the environment, which may be hanging."""
        self._check_going()
        if ending in FAILURES:
            return self._finish(Outcome(ending=ending, verdict=None, error=error))
        try:
            with self._closing.inside():
                verdict = self.env.stop(ending)
        except Exception as raised:
            return self._finish(failed(raised))
        self._finish(Outcome(ending=ending if verdict is not None else "unscored", verdict=verdict, error=error))

    def outcome(self, seat: str) -> Outcome:
        """How it ended."""
        if seat not in self.seats:
            raise ValueError(f"no seat {seat!r}: this episode has {self.seats}")
        if self._outcome is None:
            raise ValueError(f"the episode of task {self.task.id} is not over yet")
        return self._outcome

    def last_words(self, seat: str) -> tuple[Message, ...]:
        """The replies to the action that ended it."""
        self.outcome(seat)
        return self._last_words

    def fork(self) -> "PolicyEpisode":
        """A copy that goes its own way."""
        with self._closing.inside():
            fork = type(self)(self.env.clone(), self.task, self._unread, self._outcome)
        fork._last_words = self._last_words
        return fork

    def close(self) -> None:
        """Close the copy of the environment."""
        self._closing.close()

    def _finish(self, outcome: Outcome, last_words: tuple[Message, ...] = ()) -> None:
        if self._outcome is None:  # the first stands: a late result of a hanging step changes nothing
            self._outcome, self._last_words = outcome, last_words

    def _check_going(self) -> None:
        if self._outcome is not None:
            raise EpisodeOverError(f"the episode of task {self.task.id} is over ({self._outcome.ending})")


def declared(ending: Ending, messages: tuple[Message, ...]) -> str:
    """What a world that says itself that it failed has to say of it: its last messages."""
    return joined(messages) if ending in FAILURES and ending != "unscored" else ""


def failed(error: Exception) -> Outcome:
    """The outcome of an episode in which something was raised."""
    return Outcome(ending=ending_of(error), verdict=None, error=described(error))
