"""`Move`: what an environment with several seats makes of one seat's action. `rlenvs.multi` carries it out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rlenvs.env import as_consumed, check_ending
from rlenvs.errors import unknown
from rlenvs.records import Ending, Message, Part, as_messages, as_parts, shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What the world makes of one seat's action.

    A seat with an ending leaves: it is judged at once unless that is a failure, acts no more, and hears and earns
    nothing more. The others go on; the episode is over when nobody is left.

    Raises:
        ValueError: an ending is none of ours, what goes by seat is no mapping, or another field is not of its kind. (A
            list is as good as a tuple.)
    """

    messages: Mapping[str, tuple[Message, ...]] = field(default_factory=dict)  # by seat: what it reads before it acts
    next_seat: str | None = None  # who acts next; None: the next in order of those who are left
    ending: Ending | None = None  # of everybody who is still there: the episode is over; None while it goes on
    endings: Mapping[str, Ending] = field(default_factory=dict)  # by seat, for those who do not share `ending`
    consumed: int | None = None  # characters of the action that were used, from its start; None: all of them
    rewards: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)  # by seat: named rewards for this action

    def __post_init__(self) -> None:
        for name in ("messages", "endings", "rewards"):
            if not isinstance(getattr(self, name), Mapping):
                raise ValueError(f"Move's {name} go by seat, {{seat: …}}: got {shown(getattr(self, name))}")
            for seat in getattr(self, name):
                _check_seat(seat, name)
        if self.next_seat is not None:
            _check_seat(self.next_seat, "next_seat")
        for ending in (self.ending, *self.endings.values()):
            check_ending(ending)
        object.__setattr__(self, "consumed", as_consumed(self.consumed))
        messages = {seat: as_messages(each, f"Move's messages for {seat!r}") for seat, each in self.messages.items()}
        rewards = {seat: as_parts(each, f"Move's rewards for {seat!r}") for seat, each in self.rewards.items()}
        object.__setattr__(self, "messages", messages)
        object.__setattr__(self, "rewards", rewards)

    def check(self, seats: Sequence[str], left: Mapping[str, Ending]) -> None:
        """Raise ValueError where it speaks of a seat that is not there. One that has left may still be spoken to.

        Args:
            seats: all there are.
            left: those that have left before this action, with their endings.
        """
        next_seat = [] if self.next_seat is None else [self.next_seat]
        for name, named in (("next_seat", next_seat), ("endings", self.endings), ("rewards", self.rewards)):
            for seat in named:
                if seat in left:
                    raise ValueError(f"Move's {name}: {seat!r} has left ({left[seat]})")
        for seat in (*next_seat, *self.endings, *self.rewards, *self.messages):
            if seat not in seats:
                raise ValueError(f"Move: {unknown('seat', seat, seats)}")
        if self.next_seat in self.endings:
            raise ValueError(f"Move's next_seat: {self.next_seat!r} leaves by this very move")


def _check_seat(seat: object, name: str) -> None:
    if not isinstance(seat, str):
        raise ValueError(f"Move's {name}: a seat's name is text: got {shown(seat)}")
