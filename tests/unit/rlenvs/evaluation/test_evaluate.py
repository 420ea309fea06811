"""Evaluations of an environment whose tasks fail in every way, by policies that know what to say to it."""

import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest

import rlenvs
from rlenvs import registration
from rlenvs.env import Response, TextEnv
from rlenvs.envs.echo_pair import ECHOER, SPEAKER, EchoPair
from rlenvs.errors import RlenvsError
from rlenvs.evaluation.evaluate import Evaluation, Progress, evaluate
from rlenvs.evaluation.results import Sample
from rlenvs.evaluation.suites import Target
from rlenvs.evaluation.summary import summarise
from rlenvs.move import Move
from rlenvs.policies.base import Policy, Reply, ReplyRequest
from rlenvs.policies.scripted import Oracle, Random
from rlenvs.records import Message, Part, Task, user
from rlenvs.rubric import RewardFunction, Rubric
from rlenvs.seats import SeatView

ENV_ID = "tests/Trouble-v0"


class TroubleEnv(TextEnv):
    """Answer with the task's number. `trouble` says, by index, what goes wrong there."""

    def __init__(self, trouble: Mapping[str, str] | None = None, num_tasks: int = 10, turns: int = 1) -> None:
        super().__init__()
        self.trouble = {int(index): kind for index, kind in (trouble or {}).items()}
        self.num_tasks, self.max_turns = num_tasks, turns
        self.rubric = Rubric((RewardFunction("accuracy", self.accuracy), RewardFunction("there", there, weight=0.5)))

    def task_at(self, index: int) -> Task:
        if self.trouble.get(index) == "no_task":
            raise OSError("the data set is gone")
        metadata = {"level": "hard" if index % 2 else "easy", "index": index, "working": "long" * 20, "steps": [1, 2]}
        return Task(id=f"t{index}", prompt=(user(f"say {index}"),), target=str(index), metadata=metadata)

    def begin(self) -> None:
        if self.here == "cannot_start":
            raise RuntimeError("no start")

    def respond(self, action: str) -> Response:
        if self.here == "raises":
            raise RuntimeError("this environment is broken")
        if self.here == "hangs":
            time.sleep(30)
        is_last = self.num_turns + 1 == self.max_turns
        hint = (Part(name="hint", value=1.0, weight=0.25),)
        return Response(ending="completed") if is_last else Response(messages=(user("go on"),), rewards=hint)

    def answer_message(self, task: Task) -> str:
        return str(task.target)

    def accuracy(self, task: Task, transcript: Sequence[Message]) -> float | None:
        if self.here == "grader_raises":
            raise ValueError("bad gold")
        return None if self.here == "unscorable" else float(transcript[-1].content == task.target)

    @property
    def here(self) -> str | None:
        assert self.task is not None
        return self.trouble.get(int(self.task.target))


def there(task: Task, transcript: Sequence[Message]) -> float:
    return 1.0


@dataclass
class Scripted:
    """Says what `say(request)` gives; remembers the batches it was asked in."""

    say: Callable[[ReplyRequest], str | Reply]
    name: str = "scripted"
    settings: Mapping[str, Any] = field(default_factory=dict)
    batches: list[list[ReplyRequest]] = field(default_factory=list)

    async def reply(self, requests: Sequence[ReplyRequest]) -> Sequence[Reply]:
        self.batches.append(list(requests))
        said = [self.say(request) for request in requests]
        return [text if isinstance(text, Reply) else Reply(text=text, num_tokens=len(text)) for text in said]

    @property
    def keys(self) -> list[str]:
        return [request.key for batch in self.batches for request in batch]


def where(request: ReplyRequest) -> tuple[int, int]:
    """(index of the task, sample)"""
    index, sample = request.key.removeprefix(ENV_ID + "/").split("/")[:2]
    return int(index), int(sample)


def right_if(is_right: Callable[[int, int], bool]) -> Callable[[ReplyRequest], str]:
    """The answer to those (task, sample) alone."""

    def say(request: ReplyRequest) -> str:
        assert request.answer is not None
        return request.answer() if is_right(*where(request)) else "wrong"

    return say


@pytest.fixture(autouse=True, scope="module")
def registered() -> Iterator[None]:
    rlenvs.register(ENV_ID, TroubleEnv)
    yield
    gymnasium.registry.pop(ENV_ID)
    registration._registered.pop(ENV_ID)


def run(policy: Policy, *, trouble: Mapping[str, str] | None = None, turns: int = 1, **options: Any) -> Evaluation:
    target = Target(env=ENV_ID, kwargs={"trouble": dict(trouble or {}), "turns": turns})
    return evaluate(policy, [target], **options)


def endings(result: Evaluation) -> list[str]:
    return [sample.ending for sample in result.samples]


def test_r34_with_a_failing_environment_pass_at_k_is_that_of_the_other_tasks() -> None:
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    policy = Scripted(right_if(lambda index, sample: sample < index % 5))  # 0, 1, 2, 3, 4 of 4 right, twice over
    [summary] = run(policy, trouble={"7": "raises"}, samples=4).summaries
    # nine tasks are left, with 0,1,2,3,4, 0,1,3,4 right of 4: pass@1 18/36; pass@2 by hand 0,1/2,5/6,1,1, 0,1/2,1,1
    expected = {1: 18 / 36, 2: (0 + 1 / 2 + 5 / 6 + 1 + 1 + 0 + 1 / 2 + 1 + 1) / 9, 3: (3 / 4 * 2 + 5) / 9, 4: 7 / 9}
    assert {p.k: p.estimate.value for p in summary.pass_at} == pytest.approx(expected)
    assert {p.num_tasks for p in summary.pass_at} == {9}
    assert all(p.estimate.low < p.estimate.value < p.estimate.high for p in summary.pass_at)
    assert (summary.num_tasks, summary.num_tasks_scored, summary.num_samples, summary.num_errors) == (10, 9, 40, 4)
    assert summary.endings == {"completed": 36, "env_error": 4}
    assert summary.errors == {"env_error: RuntimeError: this environment is broken": 4}
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002


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
def holding(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[threading.Event]]:
    monkeypatch.setattr(HoldingEnv, "held", [])
    rlenvs.register("tests/Holding-v0", HoldingEnv)
    yield HoldingEnv.held
    gymnasium.registry.pop("tests/Holding-v0")
    registration._registered.pop("tests/Holding-v0")


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


def test_r27_an_environment_that_starts_another_task_gives_errors_and_no_results() -> None:
    class Stubborn(TroubleEnv):
        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
            return super().reset(seed=seed, options={"index": 3})

    rlenvs.register("tests/Stubborn-v0", Stubborn)
    try:
        result = evaluate(Oracle(), [Target(env="tests/Stubborn-v0")])
    finally:
        gymnasium.registry.pop("tests/Stubborn-v0")
        registration._registered.pop("tests/Stubborn-v0")
    assert endings(result) == ["env_error"] * 3 + ["completed"] + ["env_error"] * 6
    assert "given task t0 and started t3" in result.samples[0].error


def test_r25_an_environment_that_never_answers_ends_at_the_deadline_and_holds_up_no_other() -> None:
    start = time.monotonic()
    result = run(Oracle(), trouble={"0": "hangs", "1": "hangs"}, deadline_s=0.3, samples=3)
    assert time.monotonic() - start < 5
    assert endings(result) == ["timeout"] * 6 + ["completed"] * 24
    assert "0.3 s" in result.samples[0].error


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
        assert request.answer is not None
        finish = {0: "length", 1: "overflow"}.get(index, "stop")
        return Reply(text=request.answer(), num_tokens=7, finish=finish)  # type: ignore[arg-type]

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
    try:
        target = Target(env="tests/Explaining-v0", kwargs={"turns": 2, "num_tasks": 1})
        [whole] = evaluate(Scripted(lambda _: "hm"), [target]).samples
        [cut] = evaluate(Scripted(lambda _: Reply(text="h", finish="length")), [target]).samples
    finally:
        gymnasium.registry.pop("tests/Explaining-v0")
        registration._registered.pop("tests/Explaining-v0")
    assert [message["content"] for message in whole.messages] == ["say 0", "hm", "expected 0", "hm", "expected 0"]
    assert [message["content"] for message in cut.messages] == ["say 0", "h"]


def test_results_keep_the_short_metadata_of_a_task_and_group_by_it() -> None:
    result = run(Oracle())
    assert result.samples[3].labels == {"level": "hard", "index": 3}
    assert [(s.key, s.value, s.num_tasks) for s in result.summaries[0].breakdown] == [
        *(("level", "easy", 5), ("level", "hard", 5)),
    ]


def test_metadata_that_only_some_tasks_have_is_no_grouping() -> None:
    samples = [
        replace(sample, labels={**sample.labels, **({"question": "short"} if sample.index % 2 else {})})
        for sample in run(Oracle()).samples
    ]
    assert {subset.key for subset in summarise("t", samples).breakdown} == {"level"}
    asked = [replace(sample, labels={**sample.labels, "question": sample.index % 2}) for sample in samples]
    assert {subset.key for subset in summarise("t", asked).breakdown} == {"level", "question"}


def test_every_seat_of_an_episode_has_its_own_sample() -> None:
    [summary] = evaluate(Oracle(), [Target(env="rlenvs/EchoPair-v0")], num_tasks=3, samples=2).summaries
    assert (summary.num_samples, summary.num_tasks) == (12, 3)
    assert [(subset.key, subset.value) for subset in summary.breakdown] == [("seat", "echoer"), ("seat", "speaker")]
    assert [p.k for p in summary.pass_at] == [1, 2]  # two samples of each seat, not four of a task


def test_what_a_seat_earns_by_anothers_action_counts_for_it() -> None:
    class Praising(EchoPair):
        def respond(self, seat: str, action: str) -> Move:
            return replace(super().respond(seat, action), rewards={SPEAKER: (Part(name="praise", value=0.25),)})

    rlenvs.register("tests/Praising-v0", lambda: SeatView(Praising()))
    try:
        result = evaluate(Oracle(), [Target(env="tests/Praising-v0", num_tasks=2)])
    finally:
        gymnasium.registry.pop("tests/Praising-v0")
        registration._registered.pop("tests/Praising-v0")
    assert {sample.seat: sample.reward for sample in result.samples} == {SPEAKER: 1.0 + 4 * 0.25, ECHOER: 1.0}


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


def test_progress_counts_episodes_to_the_end() -> None:
    seen: list[Progress] = []
    run(Oracle(), trouble={"0": "raises"}, samples=2, concurrency=8, progress=seen.append)
    assert [(p.done, p.failed) for p in seen] == [(0, 0), (8, 2), (16, 2), (20, 2)]
    assert {p.total for p in seen} == {20}


def test_a_second_run_asks_for_nothing_that_is_there(tmp_path: Path) -> None:
    path, policy = tmp_path / "deep" / "results.jsonl", Scripted(right_if(lambda index, sample: sample == 0))
    first = run(policy, samples=2, results_path=path)
    again = run(policy, samples=2, results_path=path)
    assert len(policy.keys) == 20
    assert again.samples == first.samples
    assert again.summaries == first.summaries


def test_more_samples_and_more_tasks_go_on_from_what_is_there(tmp_path: Path) -> None:
    path, policy = tmp_path / "r.jsonl", Scripted(right_if(lambda index, sample: sample == index))
    run(policy, samples=2, num_tasks=5, results_path=path)
    grown = run(policy, samples=4, num_tasks=6, results_path=path)
    assert len(policy.keys) == 6 * 4
    assert len(set(policy.keys)) == len(policy.keys)
    assert grown.samples == run(Scripted(policy.say), samples=4, num_tasks=6).samples
    fewer = run(policy, samples=1, num_tasks=2, results_path=path)
    assert [(sample.index, sample.sample) for sample in fewer.samples] == [(0, 0), (1, 0)]


def test_what_failed_is_tried_again_and_its_later_result_counts(tmp_path: Path) -> None:
    path, is_up = tmp_path / "r.jsonl", False

    def say(request: ReplyRequest) -> str | Reply:
        return "x" if is_up or where(request)[0] != 2 else Reply(error="down")

    assert run(Scripted(say), results_path=path).summaries[0].num_errors == 1
    is_up, second = True, Scripted(say)
    result = run(second, results_path=path)
    assert [where(request)[0] for batch in second.batches for request in batch] == [2]
    assert result.summaries[0].num_errors == 0
    assert run(Scripted(say), results_path=path).summaries == result.summaries


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seed": 1}, "seed"),
        ({"turns": 2}, "targets"),
        ({"policy": Scripted(lambda request: "x", name="other")}, "policy"),
        ({"policy": Scripted(lambda request: "x", settings={"temperature": 0.1})}, "settings"),
    ],
)
def test_results_of_another_configuration_are_refused_and_left_alone(
    tmp_path: Path, change: dict[str, Any], named: str
) -> None:
    path = tmp_path / "r.jsonl"
    run(Scripted(lambda request: "x"), results_path=path)
    before = path.read_bytes()
    with pytest.raises(RlenvsError, match=f"another configuration: its {named}"):
        run(**{"policy": Scripted(lambda request: "x"), "results_path": path, **change})
    assert path.read_bytes() == before


@pytest.mark.parametrize("cut", [1, 40, 100_000])
def test_a_half_written_last_line_is_dropped_and_played_again(tmp_path: Path, cut: int) -> None:
    path, policy = tmp_path / "r.jsonl", Scripted(right_if(lambda index, sample: index % 2 == 0))
    whole = run(policy, results_path=path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]) + lines[-1][: min(cut, len(lines[-1]) - 1)])
    asked = len(policy.keys)
    assert run(policy, results_path=path).samples == whole.samples
    assert len(policy.keys) == asked + 1
    assert path.read_bytes().splitlines(keepends=True) == lines


def test_an_episode_of_which_one_seat_was_written_is_played_again(tmp_path: Path) -> None:
    path, targets = tmp_path / "r.jsonl", [Target(env="rlenvs/EchoPair-v0")]
    whole = evaluate(Oracle(), targets, num_tasks=3, results_path=path)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    seen: list[Progress] = []
    again = evaluate(Oracle(), targets, num_tasks=3, results_path=path, progress=seen.append)
    assert seen[0].resumed == 2
    assert again.samples == whole.samples
    evaluate(Oracle(), targets, num_tasks=3, results_path=path, progress=seen.append)
    assert seen[-1].resumed == 3


def test_a_task_whose_text_changed_is_played_again(tmp_path: Path) -> None:
    path, policy = tmp_path / "r.jsonl", Scripted(lambda request: "x")
    run(policy, results_path=path)
    lines = path.read_text().splitlines()
    changed = json.loads(lines[3]) | {"fingerprint": "of the old text"}
    path.write_text("\n".join([*lines[:3], json.dumps(changed), *lines[4:]]) + "\n")
    run(policy, results_path=path)
    assert len(policy.keys) == 11


@pytest.mark.parametrize("content", ["my notes\n", '{"a": 1}\n', "[]\n", '"x"\n'])
def test_a_file_of_something_else_is_not_written_to(tmp_path: Path, content: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(content)
    with pytest.raises(RlenvsError, match="not a results file"):
        run(Oracle(), results_path=path)
    assert path.read_text() == content


def test_a_file_without_a_line_end_is_not_cut(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("precious notes without a line end")
    with pytest.raises(RlenvsError, match="not a results file"):
        run(Oracle(), results_path=path)
    assert path.read_text() == "precious notes without a line end"


@pytest.mark.parametrize("length", [0, 5, 60])
def test_a_file_whose_header_was_half_written_is_begun_again(tmp_path: Path, length: int) -> None:
    path = tmp_path / "r.jsonl"
    run(Oracle(), num_tasks=1, results_path=path)
    whole = path.read_bytes()
    path.write_bytes(whole[:length])
    run(Oracle(), num_tasks=1, results_path=path)
    assert path.read_bytes() == whole


def test_a_line_that_is_no_sample_is_named(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    run(Oracle(), num_tasks=2, results_path=path)
    path.write_bytes(path.read_bytes() + b'{"half": 1}\n')
    with pytest.raises(RlenvsError, match="line 4 is not a sample"):
        run(Oracle(), num_tasks=2, results_path=path)


def test_an_episode_that_failed_before_its_seats_were_known_is_replaced_by_the_later_play(tmp_path: Path) -> None:
    path, targets = tmp_path / "r.jsonl", [Target(env="rlenvs/EchoPair-v0")]
    whole = evaluate(Oracle(), targets, num_tasks=1, results_path=path)
    first, *seats = path.read_bytes().splitlines(keepends=True)
    failed = {**json.loads(seats[0]), "seat": "policy", "num_seats": 1, "correct": None, "ending": "timeout"}
    odd_line = json.dumps(failed).encode() + b"\n"
    for order in ([odd_line, *seats], [seats[0], odd_line, *seats]):
        path.write_bytes(first + b"".join(order))
        seen: list[Progress] = []
        assert (
            evaluate(Oracle(), targets, num_tasks=1, results_path=path, progress=seen.append).samples == whole.samples
        )
        assert seen[0].resumed == 1


def test_odd_characters_survive_the_results_file(tmp_path: Path) -> None:
    path, text = tmp_path / "r.jsonl", "a\u2028b\x85c\x1d\r\n\x00é😀"
    policy = Scripted(lambda request: text)
    run(policy, num_tasks=2, results_path=path)
    again = run(policy, num_tasks=2, results_path=path)
    assert len(policy.keys) == 2
    assert again.samples[0].messages[-1]["content"] == text
    run(Scripted(lambda request: "\ud800"), num_tasks=3, results_path=path)  # half a character cannot be stored
    assert run(policy, num_tasks=3, results_path=path).samples[2].messages[-1]["content"] == "?"


def test_killed_in_the_middle_it_goes_on_and_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    program = textwrap.dedent("""
        import asyncio, sys
        from pathlib import Path
        from rlenvs.evaluation.evaluate import evaluate
        from rlenvs.evaluation.suites import Target
        from rlenvs.policies.scripted import Random

        class Slow(Random):
            async def reply(self, requests):
                await asyncio.sleep(0.05)
                return await super().reply(requests)

        target = Target(env="rlenvs/EchoPair-v0", kwargs={"seat": "echoer"})
        evaluate(Slow(), [target], num_tasks=40, samples=2, concurrency=2, results_path=Path(sys.argv[1]))
    """)
    path, options = tmp_path / "r.jsonl", {"num_tasks": 40, "samples": 2, "concurrency": 2}
    process = subprocess.Popen([sys.executable, "-c", program, str(path)])
    while not path.exists() or path.read_bytes().count(b"\n") < 10:
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    seen: list[Progress] = []
    targets = [Target(env="rlenvs/EchoPair-v0", kwargs={"seat": "echoer"})]
    resumed = evaluate(Random(), targets, results_path=path, progress=seen.append, **options)  # type: ignore[arg-type]
    assert 9 <= seen[0].resumed < 80
    assert resumed.samples == evaluate(Random(), targets, **options).samples  # type: ignore[arg-type]


def test_environments_without_end_need_a_number_of_tasks() -> None:
    with pytest.raises(RlenvsError, match="num_tasks"):
        evaluate(Oracle(), [Target(env="rlenvs/EchoPair-v0")])


def test_a_finite_environment_gives_no_more_tasks_than_it_has() -> None:
    assert run(Oracle(), num_tasks=500).summaries[0].num_tasks == 10
    target = Target(env=ENV_ID, num_tasks=4)
    assert evaluate(Oracle(), [target]).summaries[0].num_tasks == 4
    assert evaluate(Oracle(), [target], num_tasks=7).summaries[0].num_tasks == 7


def test_several_targets_are_kept_apart_and_each_counts_once_in_the_mean(tmp_path: Path) -> None:
    targets = [Target(env=ENV_ID, name="few", num_tasks=2), Target(env=ENV_ID, name="many")]

    def say(request: ReplyRequest) -> str:
        assert request.answer is not None
        return request.answer() if request.key.startswith("few") else "wrong"

    result = evaluate(Scripted(say), targets, results_path=tmp_path / "r.jsonl")
    assert [(summary.target, summary.num_tasks) for summary in result.summaries] == [("few", 2), ("many", 10)]
    assert result.mean_pass_at_1 is not None
    assert result.mean_pass_at_1.value == pytest.approx(0.5)
    with pytest.raises(ValueError, match="its own name"):
        evaluate(Oracle(), [Target(env=ENV_ID), Target(env=ENV_ID, num_tasks=2)])


def test_a_policy_that_owes_a_reply_is_a_bug_that_is_named() -> None:
    class Forgetful(Scripted):
        async def reply(self, requests: Sequence[ReplyRequest]) -> Sequence[Reply]:
            return [Reply(text="x")]

    with pytest.raises(ValueError, match="got 1 for 10"):
        run(Forgetful(lambda request: "x"))


def test_random_guesses_are_mostly_wrong_and_the_oracle_is_always_right() -> None:
    guesses, oracle = run(Random(), samples=8), run(Oracle())
    assert guesses.mean_pass_at_1 is not None
    assert 0.0 < guesses.mean_pass_at_1.value < 0.35
    assert {sample.correct for sample in oracle.samples} == {1.0}


def test_a_sample_without_a_verdict_is_a_failure_unless_it_was_said_to_have_none() -> None:
    facts: dict[str, Any] = {
        **{"target": "t", "index": 0, "task_id": "t0", "fingerprint": "f", "sample": 0, "seat": "policy"},
        **{"num_seats": 1, "correct": None, "reward": None},
    }
    assert Sample(**facts, ending="timeout").is_failed
    assert not Sample(**facts, ending="unscored").is_failed
