"""`Play`: one episode of an evaluation, from the first request to its `Sample`s. Which run together: `rounds`."""

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from rlenvs.deadline import Workers
from rlenvs.env import TextEnv
from rlenvs.episode import POLICY_SEAT, Episode
from rlenvs.errors import EpisodeOverError, described, ending_of, foreign_code
from rlenvs.evaluation.results import Sample, SampleEnding, SampleKey
from rlenvs.policies.base import Reply, ReplyRequest
from rlenvs.records import Message, Part, Task, Verdict, assistant, value_of

LONGEST_LABEL = 40  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One episode to play."""

    target: str
    env: TextEnv
    index: int  # of the task
    task: Task | Exception  # an exception: the environment could not say what its task is
    sample: int

    @property
    def key(self) -> SampleKey:
        """How results find it."""
        return self.target, self.index, self.sample


@dataclass(slots=True)
class Seat:
    """What one seat has read and written so far."""

    conversation: list[Message] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)  # of its actions
    num_turns: int = 0
    num_tokens: int | None = 0

    def write(self, text: str, reply: Reply) -> None:
        """Add a message of its own."""
        self.conversation.append(assistant(text))
        self.num_turns += 1
        self._count(reply)

    def lose(self, reply: Reply) -> None:
        """Note a message that the world never received; it is kept for people to read."""
        self.write(reply.text, reply) if reply.text else self._count(reply)

    def _count(self, reply: Reply) -> None:
        is_known = self.num_tokens is not None and reply.num_tokens is not None
        self.num_tokens = (self.num_tokens or 0) + (reply.num_tokens or 0) if is_known else None


class Play:
    """One episode in flight."""

    def __init__(self, job: Job, task: Task, episode: Episode, seed: int) -> None:
        self.job, self.task, self.episode, self.seed = job, task, episode, seed
        self.seats = {seat: Seat() for seat in episode.seats}
        self.policy_error = ""

    @property
    def is_over(self) -> bool:
        """Whether it needs no more replies."""
        return bool(self.policy_error) or self.episode.seat is None

    def request(self, workers: Workers, deadline_s: float) -> ReplyRequest:
        """What the acting seat asks of the policy. The environment has `deadline_s` to say how an answer looks."""
        name = self.episode.seat
        assert name is not None
        seat, job = self.seats[name], self.job
        seat.conversation += self.episode.unread()
        return ReplyRequest(
            key=f"{job.target}/{job.index:06d}/{job.sample:05d}/{name}/{seat.num_turns:03d}",
            messages=tuple(seat.conversation),
            seed=seed_of(self.seed, self.task.id, job.sample, name, seat.num_turns),
            answer=lambda: workers.call(self._answer, deadline_s, what=f"the answer to {self._what}"),
        )

    @property
    def _what(self) -> str:
        return f"task {self.task.id} of {self.job.target}"

    def _answer(self) -> str:
        with foreign_code():
            return self.episode.answer_message()

    async def take(self, reply: Reply, workers: Workers, deadline_s: float) -> None:
        """Let the environment have the reply, or end the episode for the want of one."""
        name = self.episode.seat
        assert name is not None
        if reply.error:
            self.policy_error = reply.error
            return
        try:
            await workers.call(lambda: self._act(name, reply), deadline_s, what=f"a step of {self._what}")
        except TimeoutError as error:
            with suppress(EpisodeOverError):  # it ended in this very moment
                self.episode.stop("timeout", f"the environment or its grader gave {error}")

    def _act(self, name: str, reply: Reply) -> None:
        seat = self.seats[name]
        if reply.finish == "overflow":
            seat.lose(reply)
            self.episode.stop("context_overflow")
            return
        length = len(reply.text) if reply.finish == "stop" else self.episode.complete(reply.text)
        if length is None:  # cut off before it was whole
            seat.lose(reply)
            if self.episode.seat is not None:
                self.episode.stop("max_tokens")
            return
        effect = self.episode.act(reply.text[:length])
        seat.write(reply.text[: effect.consumed], reply)
        for earner, parts in ((name, effect.rewards), *effect.others.items()):
            self.seats[earner].parts += parts

    async def close(self, workers: Workers, deadline_s: float) -> None:
        """Free what the episode holds."""
        with suppress(TimeoutError):  # closing hangs: it is left behind
            await workers.call(self.episode.close, deadline_s, what=f"closing {self._what}")

    def samples(self) -> tuple[Sample, ...]:
        """What each seat did, once it is over."""
        return tuple(self._sample(name, seat) for name, seat in self.seats.items())

    def _sample(self, name: str, seat: Seat) -> Sample:
        ending, verdict, error = self._outcome(name)
        last_words = () if self.policy_error else self.episode.last_words(name)
        conversation = (*seat.conversation, *last_words)
        return Sample(
            target=self.job.target,
            index=self.job.index,
            task_id=self.task.id,
            fingerprint=self.task.fingerprint,
            sample=self.job.sample,
            seat=name,
            num_seats=len(self.seats),
            ending=ending,
            correct=verdict.correct if verdict else None,
            reward=verdict.reward + value_of(seat.parts) if verdict else None,
            parts=_summed((*verdict.parts, *seat.parts)) if verdict else {},
            messages=tuple({"role": message.role, "content": message.content} for message in conversation),
            num_tokens=seat.num_tokens,
            num_turns=seat.num_turns,
            labels=_labels(self.task),
            error=error,
        )

    def _outcome(self, name: str) -> tuple[SampleEnding, Verdict | None, str]:
        if self.policy_error:
            return "policy_error", None, self.policy_error
        outcome = self.episode.outcome(name)
        return outcome.ending, outcome.verdict, outcome.error


def failed_sample(job: Job, error: Exception) -> Sample:
    """What is left of an episode that could not begin. Who would have sat where is not known: it counts as one seat."""
    task = job.task if isinstance(job.task, Task) else None
    return Sample(
        target=job.target,
        index=job.index,
        task_id=task.id if task else f"{job.target}#{job.index}",
        fingerprint=task.fingerprint if task else "",
        sample=job.sample,
        seat=POLICY_SEAT,
        num_seats=1,
        ending=ending_of(error),
        correct=None,
        reward=None,
        labels=_labels(task) if task else {},
        error=described(error),
    )


def seed_of(seed: int, task_id: str, sample: int, seat: str, turn: int) -> int:
    """63 bits that depend on all of these and on nothing else."""
    text = f"{seed}/{task_id}/{sample}/{seat}/{turn}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def _labels(task: Task) -> dict[str, Any]:
    """The metadata that results can be grouped by. A worked solution, say, is none, and results would repeat it."""
    plain = {key: value for key, value in task.metadata.items() if isinstance(value, str | int | bool)}
    return {key: value for key, value in plain.items() if len(str(value)) <= LONGEST_LABEL}


def _summed(parts: Sequence[Part]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for part in parts:
        sums[part.name] = sums.get(part.name, 0.0) + part.weighted
    return sums
