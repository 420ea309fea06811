"""`Episode`: one play of any of our environments, an action at a time, with failures as values.

Rollouts (in tokens) and evaluation (in words) both drive environments through this, so that a broken grader or a
raising environment is recorded in one place and in one way.
"""

from dataclasses import dataclass
from typing import Protocol

from rlenvs.records import Ending, Message, Part, Task, Verdict

POLICY_SEAT = "policy"  # the only seat of a single-agent environment


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What one action did."""

    consumed: int  # characters of the action that the environment used, from its start
    rewards: tuple[Part, ...] = ()  # named rewards for this action alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How an episode ended for one seat. The verdict is None exactly when nothing can be learned from it."""

    ending: Ending
    verdict: Verdict | None
    error: str = ""  # what a failure said: exception type, message, last lines of the traceback


class Episode(Protocol):
    """One play. Environments with one seat and with several look the same to who drives them."""

    task: Task
    seats: tuple[str, ...]

    @property
    def seat(self) -> str | None:
        """Whose action it is; None once the episode is over."""

    def unread(self) -> tuple[Message, ...]:
        """The messages that the acting seat has not read yet: the prompt first, replies later."""

    def act(self, text: str) -> Effect:
        """Give the acting seat's message to the environment. What it raises becomes an ending, never a reward of 0."""

    def stop(self, ending: Ending, error: str = "") -> None:
        """End the episode from outside: out of tokens, out of context, past a deadline."""

    def outcome(self, seat: str) -> Outcome:
        """How it ended for `seat`; only once it is over."""

    def fork(self) -> "Episode":
        """An independent copy in the same state."""
