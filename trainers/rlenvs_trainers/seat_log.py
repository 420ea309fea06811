"""What one seat has read, written and earned in a play. When that happens is `play.py`'s."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from rlenvs.episode import Episode
from rlenvs.errors import NoAnswerError, described, ending_of
from rlenvs.records import Message, Part
from rlenvs_trainers.records import Numbers, Reward, Turn
from rlenvs_trainers.render import Context, Renderer


@dataclass(slots=True)
class SeatLog:
    """What one seat has read and written."""

    prompt: tuple[Message, ...] = ()  # what it read before its first action
    context: Context | None = None
    turns: list[Turn] = field(default_factory=list)
    early: tuple[Reward, ...] = ()  # what it earned before its first action
    is_reading: bool = False  # the context ends with a prompt that no action has answered yet
    final_belief: float | None = None  # of the right answer, once the play is over
    shared: str | None = None  # id of the last turn that it has in common with the play it was forked from

    def earn(self, rewards: tuple[Reward, ...]) -> None:
        """Add rewards that came when others acted: to its last action, or to the first where there is none yet."""
        if self.turns:
            self.turns[-1] = replace(self.turns[-1], rewards=(*self.turns[-1].rewards, *rewards))
        else:
            self.early += rewards

    def read(self, renderer: Renderer, messages: tuple[Message, ...]) -> None:
        """Take in what the seat is told before its next action: the prompt at first, replies later."""
        if self.context is None:
            self.prompt, self.context = messages, renderer.start(messages)
        else:
            self.turns[-1] = replace(self.turns[-1], reply=messages)
            self.context = renderer.read(self.context, messages)
        self.is_reading = True

    def note(self, *, belief: float | None, signals: Mapping[str, float], token_signals: Mapping[str, Numbers]) -> None:
        """Keep what a model says of the last turn with it."""
        last = self.turns[-1]
        self.turns[-1] = replace(
            last,
            belief=last.belief if belief is None else belief,
            signals={**last.signals, **signals},
            token_signals={**last.token_signals, **token_signals},
        )

    def copy(self) -> SeatLog:
        """The log of a fork: it has the turns so far in common with this one, and none after them."""
        last = self.turns[-1].id if self.turns else None
        return replace(self, turns=list(self.turns), shared=last)


def ask_answer(episode: Episode, answers: dict[str, str | None]) -> None:
    """Note how a right answer of the acting seat would look, if that is not known yet. In a worker: foreign code.

    An environment need not say; one that says it wrongly has failed.
    """
    seat = episode.seat
    if seat is None or seat in answers:
        return
    try:
        answers[seat] = episode.answer_message()
    except NoAnswerError:
        answers[seat] = None
    except Exception as error:  # whatever an environment raises is an ending
        episode.stop(ending_of(error), described(error))


def action_rewards(parts: Iterable[Part]) -> tuple[Reward, ...]:
    """Named rewards of an action, as records."""
    return tuple(Reward(name=part.name, value=part.weighted, level="action") for part in parts)
