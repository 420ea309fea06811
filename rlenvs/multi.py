"""`MultiTextEnv`: the base class of turn-based environments with several seats, PettingZoo's contract over text.

It keeps a conversation per seat and has each seat judged at the end. One seat as a Gymnasium environment, and whole
episodes of some seats, are in `rlenvs.seats`.
"""

import copy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from gymnasium.utils import seeding
from pettingzoo import AECEnv

from rlenvs.env import check_ending, chosen_task, consumed_characters, joined
from rlenvs.errors import EpisodeOverError, ending_of
from rlenvs.records import FAILURES, Ending, Message, Part, Task, Verdict, assistant, value_of
from rlenvs.rubric import Rubric
from rlenvs.spaces import Unicode


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What the world makes of one seat's action."""

    messages: Mapping[str, tuple[Message, ...]] = field(default_factory=dict)  # by seat: what it reads before it acts
    next_seat: str | None = None  # who acts next; None: the next in order
    ending: Ending | None = None  # why the episode is over, for all seats; None while it goes on
    consumed: int | None = None  # characters of the action that were used, from its start; None: all of them
    rewards: tuple[Part, ...] = ()  # named rewards of the acting seat, for this action alone

    def __post_init__(self) -> None:
        check_ending(self.ending)


class MultiTextEnv(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """An environment in which several seats take turns; PettingZoo calls them agents.

    A subclass gives `seats`, `rubrics`, `task_at` and `respond`; one that knows its answers gives `answer_message`.
    All seats end together, each with an ending and a verdict of its own. Every seat's `infos` entry has the keys that
    `TextEnv` has. Seats do not act at once, so `pettingzoo.utils.conversions.turn_based_aec_to_parallel` is the
    conversion for whoever wants the parallel contract (actions of seats whose turn it is not are ignored).
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
        self.endings: dict[str, Ending] = {}  # empty while the episode goes on
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

    def answer_message(self, task: Task, seat: str) -> str:
        """How the answer of `seat` to `task` would look if it were given now, and were right."""
        raise NotImplementedError(f"{type(self).__name__} does not say how its answers look")

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
        self.num_turns, self.endings, self.verdicts = 0, {}, dict.fromkeys(self.seats)
        with self._failing():
            self.begin()
            self.transcripts = {seat: list(self.opening(seat)) for seat in self.seats}
        self._num_read = dict.fromkeys(self.seats, 0)
        self.agents = list(self.seats)
        self.agent_selection = self.seats[0]
        self.rewards = dict.fromkeys(self.seats, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.seats, 0.0)
        self._refresh({}, {})

    def observe(self, agent: str) -> str:
        """The text of what `agent` has not read yet."""
        return joined(self.unread(agent))

    def step(self, action: str | None) -> None:
        """Take the message of the seat whose turn it is; after the end, None takes a seat away.

        Raises:
            EpisodeOverError: the episode is over, or was never started.
            GraderError: a reward function of a seat broke; the other seats keep their verdicts.
        """
        if self.endings and action is None and self.agents:
            self._was_dead_step(None)
            return
        if self.task is None or self.endings or not self.agents:
            raise EpisodeOverError("step() on an episode that is over or has not been reset: call reset() first")
        if not isinstance(action, str):
            raise ValueError(f"an action is text: got {type(action).__name__}")
        seat = self.agent_selection
        with self._failing():
            move = self.respond(seat, action)
            consumed = consumed_characters(move.consumed, action)
        self._converse(seat, action[:consumed], move)
        self._clear_rewards()
        self._cumulative_rewards[seat] = 0.0
        self.rewards[seat] = value_of(move.rewards)
        self.num_turns += 1
        ending = move.ending or ("max_turns" if self.num_turns >= self.max_turns else None)
        try:
            if ending is not None:
                self._end(ending)
        finally:
            self._accumulate_rewards()
            self._refresh({seat: consumed}, {seat: move.rewards})
        self.agent_selection = move.next_seat or self.seats[(self.seats.index(seat) + 1) % len(self.seats)]
        if ending is not None:
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
        """Nothing is held."""

    # Beyond PettingZoo's.

    def unread(self, seat: str) -> tuple[Message, ...]:
        """What `seat` was told since it last acted: its opening at first."""
        return tuple(self.transcripts[seat][self._num_read[seat] :])

    def stop(self, ending: Ending) -> None:
        """End the episode from outside for all seats and judge what there is, unless the ending is a failure."""
        if self.task is None or self.endings:
            raise EpisodeOverError(f"stop({ending!r}) on an episode that is over or was never started")
        self._end(ending)
        self._refresh({}, {})

    def clone(self) -> Self:
        """An independent copy in the same state. Records never change and are shared."""
        records = [self.task, *(message for transcript in self.transcripts.values() for message in transcript)]
        return copy.deepcopy(self, {id(record): record for record in records})

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """What raises here ends the episode for every seat, and the endings say how."""
        try:
            yield
        except Exception as error:
            self.endings = dict.fromkeys(self.seats, ending_of(error))
            self._refresh({}, {})
            raise

    def _converse(self, seat: str, action: str, move: Move) -> None:
        self.transcripts[seat].append(assistant(action))
        self._num_read[seat] = len(self.transcripts[seat])
        for reader, messages in move.messages.items():
            self.transcripts[reader] += messages

    def _end(self, ending: Ending) -> None:
        """Judge every seat unless the ending is a failure. A grader that breaks is raised after all were heard."""
        if ending in FAILURES:
            self.endings, self.rewards = dict.fromkeys(self.seats, ending), dict.fromkeys(self.seats, float("nan"))
            return
        errors: list[Exception] = []
        endings: dict[str, Ending] = {}
        for seat in self.seats:
            try:
                verdict = self.judge(seat)
                endings[seat] = ending if verdict is not None else "unscored"
            except Exception as error:  # whatever it is, the other seats' verdicts stand
                verdict, endings[seat] = None, ending_of(error)
                errors.append(error)
            self.verdicts[seat] = verdict
            self.rewards[seat] += verdict.reward if verdict is not None else float("nan")
        self.endings = endings
        if errors:
            raise errors[0]

    def _refresh(self, consumed: Mapping[str, int], rewards: Mapping[str, tuple[Part, ...]]) -> None:
        """PettingZoo's tables of the moment, for the seats that are left."""
        assert self.task is not None
        self.truncations = {seat: self.endings.get(seat) == "max_turns" for seat in self.agents}
        self.terminations = {seat: bool(self.endings) and not self.truncations[seat] for seat in self.agents}
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
