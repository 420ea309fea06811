"""`EchoPair-v0`: a toy with two seats, so that seats, turns and rewards of different scales are exercised everywhere.

The speaker is given a word that nobody else reads and must say it; the echoer hears what was said and must answer with
its letters reversed. Several rounds, a word each. Only the first line of a message is heard.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rlenvs.move import Move
from rlenvs.multi import MultiTextEnv
from rlenvs.options import typed_options
from rlenvs.records import Message, Task, user
from rlenvs.rubric import Grader, RewardFunction, Rubric
from rlenvs.seats import SeatView

SPEAKER, ECHOER = "speaker", "echoer"
RULES = (
    "Two players, {rounds} rounds. In each round the speaker is given a word and says it, nothing else. "
    "The echoer hears it and answers with its letters in reverse order, nothing else."
)

Range = tuple[float, float]  # the reward of a seat that got nothing right, and of one that got all right


@typed_options
def echo_pair(
    seat: str | None = None,
    rounds: int = 2,
    letters: int = 4,
    speaker_range: Range = (0.0, 1.0),
    echoer_range: Range = (0.0, 1.0),
    render_mode: str | None = None,
) -> SeatView:
    """Two seats take turns: one names the word it was given, the other answers with its letters reversed.

    Args:
        seat: "speaker" or "echoer", with a scripted partner; None: an episode has both.
        rounds: words in an episode.
        letters: of each word.
        speaker_range: the speaker's reward with nothing right and with everything right.
        echoer_range: the same for the echoer; (-10, 0), say, to have seats on different scales.
        render_mode: "ansi" or None.
    """
    multi = EchoPair(rounds, letters, speaker_range, echoer_range, render_mode=render_mode)
    return SeatView(multi, seat, render_mode=render_mode)


class EchoPair(MultiTextEnv):
    """The environment with both seats, as PettingZoo knows it."""

    metadata: ClassVar[dict[str, Any]] = {**MultiTextEnv.metadata, "name": "echo_pair_v0"}
    seats = (SPEAKER, ECHOER)

    @typed_options
    def __init__(
        self,
        rounds: int = 2,
        letters: int = 4,
        speaker_range: Range = (0.0, 1.0),
        echoer_range: Range = (0.0, 1.0),
        *,
        render_mode: str | None = None,
    ) -> None:
        if rounds < 1 or letters < 1:
            raise ValueError(f"rounds and letters are at least 1: got {rounds} and {letters}")
        super().__init__(render_mode=render_mode)
        self.rounds, self.letters = rounds, letters
        self.max_turns = 2 * rounds
        self.rubrics = {SPEAKER: _rubric(_named, speaker_range), ECHOER: _rubric(_echoed, echoer_range)}

    def task_at(self, index: int) -> Task:
        """Words drawn by `index`."""
        rng = np.random.default_rng([index, self.rounds, self.letters])
        return Task(
            id=f"echo/{self.rounds}x{self.letters}/{index}",
            prompt=(Message(role="system", content=RULES.format(rounds=self.rounds)),),
            target=[_word(rng, self.letters) for _ in range(self.rounds)],
        )

    def opening(self, seat: str) -> tuple[Message, ...]:
        """The rules, and the first word for the speaker alone."""
        assert self.task is not None
        rules = self.task.prompt[0].content
        opening = (Message(role="system", content=f"{rules} You are the {seat}."),)
        return (*opening, user(_given(self.task.target[0]))) if seat == SPEAKER else opening

    def respond(self, seat: str, action: str) -> Move:
        """Pass on what was said, and give the speaker the next word."""
        assert self.task is not None
        heard = action.partition("\n")[0]
        if seat == SPEAKER:
            told = {ECHOER: (Message(role="user", content=heard, name=SPEAKER),)}
            return Move(messages=told, consumed=len(heard))
        played = self.num_turns // 2 + 1
        if played == self.rounds:
            return Move(ending="completed", consumed=len(heard))
        word = self.task.target[played]
        return Move(messages={SPEAKER: (user(f"The echoer said: {heard}\n{_given(word)}"),)}, consumed=len(heard))

    def answer_message(self, task: Task, seat: str) -> str:
        """The word, or what was heard in reverse."""
        if seat == SPEAKER:
            return str(task.target[min(self.num_turns // 2, self.rounds - 1)])
        heard = [message.content for message in self.transcripts[ECHOER] if message.role == "user"]
        return heard[-1].strip()[::-1] if heard else ""


@dataclass(frozen=True, slots=True)
class _Constant:
    """A reward that is always the same: where a seat's range starts."""

    value: float

    def __call__(self, task: Task, transcript: Sequence[Message]) -> float:  # noqa: ARG002
        return self.value


def _rubric(accuracy: Grader, bounds: Range) -> Rubric:
    low, high = bounds
    if not high > low:
        raise ValueError(f"a seat's range goes from the worst reward to the best: got {bounds}")
    functions = [RewardFunction("accuracy", accuracy, weight=high - low)]
    if low:
        functions.append(RewardFunction("base", _Constant(low)))
    return Rubric(tuple(functions), correct="accuracy")


def _named(task: Task, transcript: Sequence[Message]) -> float:
    """The share of words that the speaker said."""
    said = [message.content.strip() for message in transcript if message.role == "assistant"]
    return sum(map(str.__eq__, said, task.target)) / len(task.target)


def _echoed(task: Task, transcript: Sequence[Message]) -> float:
    """The share of rounds in which the echoer reversed what it heard; having heard nothing is no merit."""
    heard = [message.content.strip() for message in transcript if message.role == "user"]
    said = [message.content.strip() for message in transcript if message.role == "assistant"]
    return sum(word != "" and reply == word[::-1] for word, reply in zip(heard, said, strict=False)) / len(task.target)


def _given(word: str) -> str:
    return f"Your word: {word}"


def _word(rng: np.random.Generator, letters: int) -> str:
    """Pronounceable, never a palindrome."""
    while True:
        word = "".join(str(rng.choice(list("bdfgklmnprst" if i % 2 == 0 else "aeiou"))) for i in range(letters))
        if word != word[::-1] or letters == 1:
            return word
