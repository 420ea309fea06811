"""Many episodes at once: which requests meet, how far one is, and what is freed when it is over."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import pytest

import rlenvs
from rlenvs.env import Response
from rlenvs.errors import ForeignExitError, RlenvsError
from rlenvs.evaluation.evaluate import Progress, evaluate
from rlenvs.evaluation.suites import Target
from rlenvs.policies.base import PolicyCapability, Reply, ReplyRequest
from rlenvs.policies.scripted import Oracle

from .trouble import ENV_ID, Scripted, TroubleEnv, endings, run, where


def test_seeds_differ_between_tasks_and_samples_and_do_not_depend_on_what_runs_beside() -> None:
    policies = [Scripted(lambda request: "x") for _ in range(3)]
    run(policies[0], samples=3)
    run(policies[1], samples=3, concurrency=7)
    run(policies[2], samples=3, seed=1)
    seeds = [{r.key: r.seed for batch in policy.batches for r in batch} for policy in policies]
    assert len(set(seeds[0].values())) == 30
    assert seeds[0] == seeds[1]
    assert not set(seeds[0].values()) & set(seeds[2].values())


def test_batches_are_full_and_the_same_each_time() -> None:
    first, second = Scripted(lambda request: "x"), Scripted(lambda request: "x")
    run(first, samples=3, concurrency=8, turns=2)
    run(second, samples=3, concurrency=8, turns=2)
    assert first.batches[0][0].key == f"{ENV_ID}/000000/00000/policy/000"
    assert first.keys == second.keys
    assert [len(batch) for batch in first.batches] == [8, 8, 8, 8, 8, 8, 6, 6]


class Backwards(Scripted):
    """Replies to the last request first, a moment between one reply and the next."""

    async def replies(self, requests: Sequence[ReplyRequest]) -> AsyncIterator[tuple[int, Reply]]:
        async for place, reply in super().replies(requests[::-1]):
            yield len(requests) - 1 - place, reply
            await asyncio.sleep(0.005)


def test_which_requests_meet_does_not_depend_on_whose_reply_came_first() -> None:
    first, second = Scripted(said), Backwards(said)
    forwards = run(first, samples=3, concurrency=8, turns=2)
    backwards = run(second, samples=3, concurrency=8, turns=2)
    assert [[r.key for r in batch[::-1]] for batch in second.batches] == [[r.key for r in b] for b in first.batches]
    assert backwards.samples == forwards.samples


def said(request: ReplyRequest) -> str:
    """What tells one request from all others."""
    return str(request.seed)


def test_progress_counts_every_episode_to_the_end() -> None:
    seen: list[Progress] = []
    run(Oracle(), trouble={"0": "raises"}, samples=2, concurrency=8, progress=seen.append)
    assert [p.done for p in seen] == list(range(21))
    assert (seen[0].failed, seen[8].failed, seen[20].failed) == (0, 2, 2)
    assert {(p.total, p.resumed) for p in seen} == {(20, 0)}


@pytest.mark.parametrize(
    ("capabilities", "places", "complaint"),
    [
        ((), [0], "got 1 for 10"),
        ((), [0, 1, 1], "1 of 10 has one already"),
        ((), [10], "10 of 10 .* was not asked"),
        (("concurrent",), [], "got 0 for 1"),
        (("concurrent",), [0, 0], "0 of 1 has one already"),
    ],
)
def test_a_policy_that_owes_a_reply_is_a_bug_that_is_named(
    capabilities: tuple[PolicyCapability, ...], places: list[int], complaint: str
) -> None:
    class Forgetful(Scripted):
        async def replies(self, requests: Sequence[ReplyRequest]) -> AsyncIterator[tuple[int, Reply]]:
            for place in places:
                yield place, Reply(text="x")

    with pytest.raises(ValueError, match=f"policy scripted owes one reply per request: {complaint}"):
        run(Forgetful(lambda request: "x", capabilities=frozenset(capabilities)))


@dataclass
class Paced(Scripted):
    """Answers each request by itself, the first four once all are there; the first task waits for all others."""

    capabilities: frozenset[PolicyCapability] = frozenset({"concurrent"})
    four: asyncio.Barrier = field(default_factory=lambda: asyncio.Barrier(4))
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    ended: list[str] = field(default_factory=list)
    most_in_flight: int = 0
    in_flight: int = 0

    async def replies(self, requests: Sequence[ReplyRequest]) -> AsyncIterator[tuple[int, Reply]]:
        [request] = requests
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        async with asyncio.timeout(30):
            if not self.ended:
                await self.four.wait()
            if where(request) == (0, 0):
                await self.gate.wait()
        self.in_flight -= 1
        self.ended.append(request.key)
        if len(self.ended) == 9 * 3:
            self.gate.set()
        yield 0, Reply(text=said(request), num_tokens=len(said(request)))


def test_a_policy_that_answers_by_itself_has_nobody_wait_for_its_slowest_reply() -> None:
    policy, rounds = Paced(said), Scripted(said)
    samples = run(policy, turns=3, concurrency=4).samples
    assert policy.ended[-3:] == [f"{ENV_ID}/000000/00000/policy/{turn:03d}" for turn in range(3)]
    assert policy.most_in_flight == 4
    assert samples == run(rounds, turns=3, concurrency=4).samples


@pytest.mark.parametrize("concurrency", [1, 3])
def test_what_such_a_policy_raises_ends_the_evaluation(concurrency: int) -> None:
    class Refused(Scripted):
        async def replies(self, requests: Sequence[ReplyRequest]) -> AsyncIterator[tuple[int, Reply]]:
            raise RlenvsError("the key is refused")
            yield

    refused = Refused(said, capabilities=frozenset({"concurrent"}))
    with pytest.raises(RlenvsError, match="the key is refused"):
        run(refused, concurrency=concurrency)


@pytest.mark.parametrize("capabilities", [(), ("concurrent",)])
def test_a_policy_that_ends_the_process_does_not(capabilities: tuple[PolicyCapability, ...]) -> None:
    def leave(request: ReplyRequest) -> str:
        raise SystemExit(0)

    with pytest.raises(ForeignExitError, match="policy scripted raised SystemExit: 0"):
        run(Scripted(leave, capabilities=frozenset(capabilities)))


class HoldingEnv(TroubleEnv):
    """Holds something from `begin` to `close`. Hangs end when it is closed."""

    held: ClassVar[list[threading.Event]] = []

    def begin(self) -> None:
        self.gone = threading.Event()
        self.held.append(self.gone)
        if self.here == "slow_start":
            time.sleep(0.5)
        super().begin()

    def respond(self, action: str) -> Response:
        if self.here == "waits":
            assert self.gone.wait(30)
        return super().respond(action)

    def close(self) -> None:
        if self.task is not None:
            self.gone.set()


@pytest.fixture
def holding(monkeypatch: pytest.MonkeyPatch) -> list[threading.Event]:
    monkeypatch.setattr(HoldingEnv, "held", [])
    rlenvs.register("tests/Holding-v0", HoldingEnv)
    return HoldingEnv.held


def test_whatever_an_episode_holds_is_freed_however_it_ends(holding: list[threading.Event]) -> None:
    def say(request: ReplyRequest) -> str | Reply:
        return Reply(error="HTTP 503") if "/000004/" in request.key else "hm"

    trouble = {0: "raises", 1: "cannot_start", 2: "waits", 3: "slow_start", 5: "grader_raises", 6: "unscorable"}
    target = Target(env="tests/Holding-v0", kwargs={"trouble": trouble})
    result = evaluate(Scripted(say), [target], deadline_s=0.2)
    expected = ["env_error", "env_error", "timeout", "timeout", "policy_error", "grader_error", "unscored"]
    assert endings(result) == expected + ["completed"] * 3
    assert len(holding) == 10
    assert all(gone.wait(30) for gone in holding)


def test_whatever_is_held_is_freed_when_an_evaluation_is_given_up(holding: list[threading.Event]) -> None:
    target = Target(env="tests/Holding-v0", kwargs={"turns": 3})

    def give_up(request: ReplyRequest) -> str:
        if request.key.endswith("/001"):
            raise KeyboardInterrupt
        return "hm"

    with pytest.raises(KeyboardInterrupt):
        evaluate(Scripted(give_up), [target], concurrency=4)
    assert len(holding) == 4
    assert all(gone.wait(30) for gone in holding)
