"""One episode: what breaks is an error of its own, what was said reaches the world or is known to have not."""

import time
from dataclasses import replace
from typing import Any

import pytest

import rlenvs
from rlenvs.env import Response
from rlenvs.envs.echo_pair import ECHOER, SPEAKER, EchoPair
from rlenvs.evaluation.evaluate import evaluate
from rlenvs.evaluation.suites import Target
from rlenvs.move import Move
from rlenvs.policies.base import Policy, Reply, ReplyRequest
from rlenvs.policies.scripted import Oracle, Random
from rlenvs.records import Part, Task, user
from rlenvs.seats import SeatView

from .trouble import Scripted, TroubleEnv, answer, endings, run, where


@pytest.mark.parametrize(
    ("kind", "ending"),
    [
        ("raises", "env_error"),
        ("cannot_start", "env_error"),
        ("no_task", "env_error"),
        ("grader_raises", "grader_error"),
        ("unscorable", "unscored"),
    ],
)
def test_whatever_breaks_is_an_error_and_never_a_wrong_answer(kind: str, ending: str) -> None:
    result = run(Oracle(), trouble={"3": kind}, samples=2)
    assert endings(result) == ["completed"] * 6 + [ending] * 2 + ["completed"] * 12
    assert result.samples[6].correct is None
    assert result.samples[6].reward is None
    assert result.summaries[0].num_errors == 2
    assert result.mean_pass_at_1 is not None
    assert result.mean_pass_at_1.value == 1.0


def test_r25_an_environment_that_never_answers_ends_at_the_deadline_and_holds_up_no_other() -> None:
    start = time.monotonic()
    result = run(Oracle(), trouble={"0": "hangs", "1": "hangs"}, deadline_s=0.3, samples=3)
    assert time.monotonic() - start < 5
    assert endings(result) == ["timeout"] * 6 + ["completed"] * 24
    assert "0.3 s" in result.samples[0].error


@pytest.mark.parametrize("baseline", [Oracle(), Random()])
def test_r25_an_environment_that_never_says_how_an_answer_looks_holds_up_no_other(
    monkeypatch: pytest.MonkeyPatch, baseline: Policy
) -> None:
    def answer_message(self: TroubleEnv, task: Task) -> str:
        if self.here == "hangs":
            time.sleep(30)
        if self.here == "exits":
            raise SystemExit(0)
        return str(task.target)

    monkeypatch.setattr(TroubleEnv, "answer_message", answer_message)
    start = time.monotonic()
    trouble = {str(index): "hangs" for index in range(6)} | {"6": "exits"}
    result = run(baseline, trouble={**trouble, "7": "none"}, deadline_s=0.3)
    assert time.monotonic() - start < 5
    if isinstance(baseline, Oracle):
        assert endings(result) == ["policy_error"] * 7 + ["completed"] * 3
        assert "the environment gave no answer: TimeoutError: no answer within 0.3 s" in result.samples[0].error
        assert "SystemExit" in result.samples[6].error


def test_r27_an_environment_that_starts_another_task_gives_errors_and_no_results() -> None:
    class Stubborn(TroubleEnv):
        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
            return super().reset(seed=seed, options={"index": 3})

    rlenvs.register("tests/Stubborn-v0", Stubborn)
    result = evaluate(Oracle(), [Target(env="tests/Stubborn-v0")])
    assert endings(result) == ["env_error"] * 3 + ["completed"] + ["env_error"] * 6
    assert "given task t0 and started t3" in result.samples[0].error


def test_a_reply_that_could_not_be_had_is_an_error_of_its_own() -> None:
    def say(request: ReplyRequest) -> str | Reply:
        return Reply(error="HTTP 503: no capacity") if where(request) == (4, 1) else "wrong"

    result = run(Scripted(say), samples=2)
    assert endings(result).count("policy_error") == 1
    summary = result.summaries[0]
    assert summary.errors == {"policy_error: HTTP 503: no capacity": 1}
    assert [p.num_tasks for p in summary.pass_at] == [10, 9]  # task 4 has one judged sample: no pass@2


def test_a_reply_cut_off_never_reaches_the_environment_and_counts_as_wrong() -> None:
    def say(request: ReplyRequest) -> Reply:
        index, _ = where(request)
        finish = {0: "length", 1: "overflow"}.get(index, "stop")
        return Reply(text=answer(request), num_tokens=7, finish=finish)  # type: ignore[arg-type]

    result = run(Scripted(say), num_tasks=3)
    assert endings(result) == ["max_tokens", "context_overflow", "completed"]
    assert [sample.correct for sample in result.samples] == [0.0, 0.0, 1.0]
    assert result.summaries[0].mean_tokens == 7
    assert result.samples[0].messages[-1] == {"role": "assistant", "content": "0"}  # for people to read


def test_a_message_that_is_whole_counts_though_the_policy_ran_into_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TroubleEnv, "complete", lambda _, action: action.find(".") + 1 or None)

    def say(request: ReplyRequest) -> Reply:
        return Reply(text=["0. and so", "no end", "x"][where(request)[0]], num_tokens=7, finish="length")

    result = run(Scripted(say), num_tasks=2)
    assert endings(result) == ["completed", "max_tokens"]
    assert [sample.messages[-1]["content"] for sample in result.samples] == ["0.", "no end"]


def test_in_a_conversation_the_policy_sees_all_of_it_and_rewards_of_actions_count() -> None:
    policy = Scripted(lambda request: f"turn {len(request.messages)}")
    [sample] = run(policy, turns=3, num_tasks=1).samples
    assert [len(batch) for batch in policy.batches] == [1, 1, 1]
    assert [message.role for message in policy.batches[2][0].messages] == ["user", "assistant"] * 2 + ["user"]
    assert [message["content"] for message in sample.messages] == [
        *("say 0", "turn 1", "go on", "turn 3", "go on", "turn 5"),
    ]
    assert (sample.num_turns, sample.num_tokens) == (3, 18)
    assert sample.parts == {"accuracy": 0.0, "there": 0.5, "hint": 0.25 * 2}
    assert sample.reward == sum(sample.parts.values()) == 1.0
    assert len({request.seed for batch in policy.batches for request in batch}) == 3


def test_the_worlds_last_reply_is_kept_and_nothing_is_kept_twice() -> None:
    class Explaining(TroubleEnv):
        def respond(self, action: str) -> Response:
            return replace(super().respond(action), messages=(user(f"expected {self.task and self.task.target}"),))

    rlenvs.register("tests/Explaining-v0", Explaining)
    target = Target(env="tests/Explaining-v0", kwargs={"turns": 2, "num_tasks": 1})
    [whole] = evaluate(Scripted(lambda _: "hm"), [target]).samples
    [cut] = evaluate(Scripted(lambda _: Reply(text="h", finish="length")), [target]).samples
    assert [message["content"] for message in whole.messages] == ["say 0", "hm", "expected 0", "hm", "expected 0"]
    assert [message["content"] for message in cut.messages] == ["say 0", "h"]


def test_what_a_seat_earns_by_anothers_action_counts_for_it() -> None:
    class Praising(EchoPair):
        def respond(self, seat: str, action: str) -> Move:
            return replace(super().respond(seat, action), rewards={SPEAKER: (Part(name="praise", value=0.25),)})

    rlenvs.register("tests/Praising-v0", lambda: SeatView(Praising()))
    result = evaluate(Oracle(), [Target(env="tests/Praising-v0", num_tasks=2)])
    assert {sample.seat: sample.reward for sample in result.samples} == {SPEAKER: 1.0 + 4 * 0.25, ECHOER: 1.0}
