"""`MultiTextEnv`: the base class of turn-based environments with several seats, PettingZoo's contract over text.

It keeps a conversation per seat and has each seat judged when it leaves. One seat as a Gymnasium environment, and whole
episodes of some seats, are in `rlenvs.seats`.
"""

import copy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, Self

import numpy as np
from gymnasium.utils import seeding
from pettingzoo import AECEnv

from rlenvs.env import consumed_characters, joined
from rlenvs.errors import EpisodeOverError, NoAnswerError, ending_of, foreign_code
from rlenvs.move import Move
from rlenvs.records import (
    FAILURES,
    Ending,
    Message,
    Part,
    Task,
    Verdict,
    as_messages,
    assistant,
    shown,
    value_of,
)
from rlenvs.rubric import Rubric, checked_verdict
from rlenvs.spaces import Unicode
from rlenvs.tasks import chosen_task


class MultiTextEnv(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """An environment in which several seats take turns; PettingZoo calls them agents.

    A subclass gives `seats`, `rubrics`, `task_at` and `respond`; one that knows its answers gives `answer_message`.
    Each seat has an ending and a verdict of its own, all at once or one after the other. Every seat's `infos` entry has
    the keys that `TextEnv` has; `rewards` are what it earned by the last action, whoever acted. Seats do not act at
    once, so `pettingzoo.utils.conversions.turn_based_aec_to_parallel` is the conversion for whoever wants the parallel
    contract (actions of seats whose turn it is not are ignored).
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "is_parallelizable": False}
    seats: tuple[str, ...] = ()  # in the order in which they act
    rubrics: Mapping[str, Rubric]  # by seat
    max_turns: int = 2  # actions of all seats together after which the episode is truncated
    num_tasks: int | None = None  # None: unlimited, every index >= 0 is a task

    def __init__(self, *, render_mode: str | None = None) -> None:
        super().__init__()
        self.render_mode = render_mode
        self.possible_agents = list(self.seats)
        self._spaces = {seat: (Unicode(), Unicode()) for seat in self.seats}  # observations, actions
        self.agents: list[str] = []
        self.task: Task | None = None
        self.transcripts: dict[str, list[Message]] = {}
        self.endings: dict[str, Ending] = {}  # of the seats that have left
        self.errors: dict[str, Exception] = {}  # of seats that left because the world or their grader raised
        self.verdicts: dict[str, Verdict | None] = {}
        self.infos: dict[str, dict[str, Any]] = {}
        self.num_turns = 0
        self._num_read: dict[str, int] = {}  # messages of its transcript that a seat had read when it last acted
        self._np_random: np.random.Generator | None = None

    # What a subclass says of itself.

    def task_at(self, index: int) -> Task:
        """Task number `index`: the same one at every call, on every machine. Its prompt is what every seat may know."""
        raise NotImplementedError(f"{type(self).__name__} needs task_at(index) -> Task")

    def begin(self) -> None:
        """Set up a subclass's own state for `self.task`. Called at every reset, before `opening`."""

    def opening(self, seat: str) -> tuple[Message, ...]:  # noqa: ARG002
        """What `seat` reads before anybody acts. By default, the task's prompt."""
        assert self.task is not None
        return self.task.prompt

    def respond(self, seat: str, action: str) -> Move:
        """What the world makes of the message that `seat` wrote."""
        raise NotImplementedError(f"{type(self).__name__} needs respond(seat, action) -> Move")

    def complete(self, seat: str, text: str) -> int | None:  # noqa: ARG002
        """How many characters of `text` the first whole action of `seat` takes: see `TextEnv.complete`."""
        return None

    def answer_message(self, task: Task, seat: str) -> str:  # noqa: ARG002
        """How the answer of `seat` to `task` would look if it were given now, and were right."""
        raise NoAnswerError(type(self).__name__)

    def demonstrate(self, seat: str, rng: np.random.Generator) -> str:  # noqa: ARG002
        """A good next message of `seat` in the present state: the scripted partner says it. By default, the answer."""
        assert self.task is not None
        return self.answer_message(self.task, seat)

    def judge(self, seat: str) -> Verdict | None:
        """The verdict on what `seat` said so far; None where it cannot be scored."""
        assert self.task is not None
        return self.rubrics[seat].judge(self.task, tuple(self.transcripts[seat]))

    # PettingZoo's contract.

    def observation_space(self, agent: str) -> Unicode:
        """Any text."""
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> Unicode:
        """Any text."""
        return self._spaces[agent][1]

    @property
    def np_random(self) -> np.random.Generator:
        """The world's own randomness, seeded by reset."""
        if self._np_random is None:
            self._np_random, _ = seeding.np_random()
        return self._np_random

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode on a task drawn by `seed`, or on `options["task"]` (a Task) or `options["index"]`."""
        if seed is not None:
            self._np_random, _ = seeding.np_random(seed)
        self.agents, self.task = [], None  # stands if choosing raises: no step without a task
        self.task = chosen_task(options or {}, self.task_at, self.num_tasks, self.np_random)
        self.num_turns, self.endings, self.errors, self.verdicts = 0, {}, {}, dict.fromkeys(self.seats)
        self.rewards = dict.fromkeys(self.seats, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.seats, 0.0)
        with self._failing():
            self.begin()
            self.transcripts = {seat: self._opened(seat) for seat in self.seats}
        self._num_read = dict.fromkeys(self.seats, 0)
        self.agents = list(self.seats)
        self.agent_selection = self.seats[0]
        self._refresh({}, {})

    def observe(self, agent: str) -> str:
        """The text of what `agent` has not read yet."""
        return joined(self.unread(agent))

    def step(self, action: str | None) -> None:
        """Take the message of the seat whose turn it is; None takes a seat away that has left.

        A reward function that breaks is not raised: it is that seat's ending and in `errors`, its reward is NaN, and
        the other seats keep theirs. What the world raises is raised, and ends the episode for all who are still there.

        Raises:
            EpisodeOverError: the episode is over, or was never started, or the seat has left.
        """
        if self.task is None or not self.agents:
            raise EpisodeOverError("step() on an episode that is over or has not been reset: call reset() first")
        seat = self.agent_selection
        if seat in self.endings:
            if action is not None:
                raise EpisodeOverError(f"step() for {seat!r}, which has left ({self.endings[seat]}): give it None")
            self._was_dead_step(None)
            return
        if not isinstance(action, str):
            raise ValueError(f"an action is text: got {type(action).__name__}")
        with self._failing():
            move = self.respond(seat, action)
            if not isinstance(move, Move):
                raise ValueError(f"{type(self).__name__}.respond() gives a Move: got {shown(move)}")
            move.check(self.seats, self.endings)
            consumed = consumed_characters(move.consumed, action)
            self._converse(seat, action[:consumed], move)
            self._clear_rewards()
            self._cumulative_rewards[seat] = 0.0
            for earner, parts in move.rewards.items():
                self.rewards[earner] = value_of(parts)
            self.num_turns += 1
            leaving = self._leaving(move)
        self._leave(leaving)
        self._accumulate_rewards()
        self._refresh({seat: consumed}, move.rewards)
        self.agent_selection = move.next_seat or self._next_in_order(seat)
        self._deads_step_first()

    def render(self) -> str | None:
        """Every seat's conversation so far as text."""
        if self.render_mode != "ansi":
            return None
        return "\n\n".join(
            f"[{seat}: {message.name or message.role}]\n{message.content}"
            for seat in self.seats
            for message in self.transcripts.get(seat, [])
        )

    def close(self) -> None:
        """Free what this copy holds: see `TextEnv.close`. By default nothing is held."""

    # Beyond PettingZoo's.

    @property
    def is_over(self) -> bool:
        """Whether every seat has left."""
        return len(self.endings) == len(self.seats)

    def unread(self, seat: str) -> tuple[Message, ...]:
        """What `seat` was told since it last acted: its opening at first."""
        return tuple(self.transcripts[seat][self._num_read[seat] :])

    def stop(self, ending: Ending) -> None:
        """End it from outside for all who are still there, and judge what there is unless the ending is a failure."""
        if self.task is None or self.is_over:
            raise EpisodeOverError(f"stop({ending!r}) on an episode that is over or was never started")
        self._clear_rewards()
        self._leave(dict.fromkeys(self._still_there(), ending))
        self._accumulate_rewards()
        self._refresh({}, {})
        self._deads_step_first()

    def clone(self) -> Self:
        """An independent copy in the same state. Records never change and are shared."""
        records = [self.task, *(message for transcript in self.transcripts.values() for message in transcript)]
        return copy.deepcopy(self, {id(record): record for record in (*records, *self.errors.values())})

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """What raises here ends the episode for all who are still there, and their endings say how."""
        try:
            with foreign_code():
                yield
        except Exception as error:
            left = self._still_there()
            self.errors |= dict.fromkeys(left, error)
            self._leave(dict.fromkeys(left, ending_of(error)))
            self._refresh({}, {})
            raise

    def _still_there(self) -> list[str]:
        return [seat for seat in self.seats if seat not in self.endings]

    def _opened(self, seat: str) -> list[Message]:
        return list(as_messages(self.opening(seat), f"what {type(self).__name__}.opening({seat!r}) gives"))

    def _next_in_order(self, seat: str) -> str:
        """Who comes after `seat` of those who are still there; `seat` itself where nobody is."""
        place = self.seats.index(seat)
        order = (*self.seats[place + 1 :], *self.seats[:place])
        return next((other for other in order if other not in self.endings), seat)

    def _leaving(self, move: Move) -> dict[str, Ending]:
        """Who leaves by the move, or because turns have run out."""
        shared = move.ending or ("max_turns" if self.num_turns >= self.max_turns else None)
        endings = dict.fromkeys(self._still_there(), shared) | dict(move.endings)
        return {seat: ending for seat, ending in endings.items() if ending is not None}

    def _converse(self, seat: str, action: str, move: Move) -> None:
        self.transcripts[seat].append(assistant(action))
        self._num_read[seat] = len(self.transcripts[seat])
        for reader, messages in move.messages.items():
            if reader not in self.endings:
                self.transcripts[reader] += messages

    def _leave(self, leaving: Mapping[str, Ending]) -> None:
        """Judge the seats that leave, unless they failed. A grader that breaks is the failure of its seat alone."""
        assert self.task is not None
        endings = dict(leaving)
        for seat, ending in leaving.items():
            if ending not in FAILURES:
                try:
                    with foreign_code():
                        self.verdicts[seat] = checked_verdict(self.judge(seat), self.task)
                    endings[seat] = ending if self.verdicts[seat] is not None else "unscored"
                except Exception as error:  # whatever it is, the other seats' verdicts stand
                    self.errors[seat], endings[seat] = error, ending_of(error)
            verdict = self.verdicts[seat]
            self.rewards[seat] += verdict.reward if verdict is not None else float("nan")
        self.endings |= endings

    def _refresh(self, consumed: Mapping[str, int], rewards: Mapping[str, tuple[Part, ...]]) -> None:
        """PettingZoo's tables of the moment, for the seats that are left."""
        assert self.task is not None
        self.truncations = {seat: self.endings.get(seat) == "max_turns" for seat in self.agents}
        self.terminations = {seat: seat in self.endings and not self.truncations[seat] for seat in self.agents}
        self.infos = {
            seat: {
                "messages": self.unread(seat),
                "task_id": self.task.id,
                "ending": self.endings.get(seat),
                "verdict": self.verdicts[seat],
                "consumed": consumed.get(seat, 0),
                "rewards": rewards.get(seat, ()),
            }
            for seat in self.agents
        }
