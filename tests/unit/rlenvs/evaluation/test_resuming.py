"""An evaluation that goes on from a results file: what is there is not played again, what failed is."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from rlenvs.errors import RlenvsError
from rlenvs.evaluation.evaluate import Progress, evaluate
from rlenvs.evaluation.suites import Target
from rlenvs.policies.base import Reply, ReplyRequest
from rlenvs.policies.scripted import Oracle, Random

from .trouble import Scripted, right_if, run, where


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


def test_a_task_whose_text_changed_is_played_again(tmp_path: Path) -> None:
    path, policy = tmp_path / "r.jsonl", Scripted(lambda request: "x")
    run(policy, results_path=path)
    lines = path.read_text().splitlines()
    changed = json.loads(lines[3]) | {"fingerprint": "of the old text"}
    path.write_text("\n".join([*lines[:3], json.dumps(changed), *lines[4:]]) + "\n")
    run(policy, results_path=path)
    assert len(policy.keys) == 11


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


def test_an_episode_is_in_the_file_while_others_of_its_round_wait_for_their_replies(tmp_path: Path) -> None:
    path, seen = tmp_path / "r.jsonl", []

    class Slow(Scripted):
        async def replies(self, requests: Sequence[ReplyRequest]) -> AsyncIterator[tuple[int, Reply]]:
            async for place, reply in super().replies(requests):
                yield place, reply
                async with asyncio.timeout(30):
                    while len(lines := path.read_bytes().splitlines(keepends=True)[1:]) <= place:
                        await asyncio.sleep(0.001)
                seen.append(json.loads(lines[-1])["index"])
                assert lines[-1].endswith(b"\n")

    run(Slow(right_if(lambda index, sample: True)), results_path=path)
    assert seen == list(range(10))


PROGRAM = """
import asyncio, sys
from pathlib import Path
from rlenvs.evaluation.evaluate import evaluate
from rlenvs.evaluation.suites import Target
from rlenvs.policies.scripted import Random

class Slow(Random):
    capabilities = frozenset()  # in rounds
    num_replies = 0

    async def replies(self, requests):
        await asyncio.sleep(0.05)
        async for each in super().replies(requests):
            yield each
            self.num_replies += 1
            if self.num_replies == {most}:
                await asyncio.sleep(1000)

target = Target(env="rlenvs/EchoPair-v0", kwargs={{"seat": "echoer"}})
evaluate(Slow(), [target], num_tasks=40, samples=2, concurrency={concurrency}, results_path=Path(sys.argv[1]))
"""


@pytest.mark.parametrize(
    ("concurrency", "most", "least_lines", "most_lines"),
    [
        pytest.param(2, -1, 10, 80, id="between two rounds, or in one"),
        pytest.param(20, 20 + 7, 8, 8, id="in the second round, with 7 of 20 replies given"),
    ],
)
def test_killed_in_the_middle_it_goes_on_and_ends_as_if_nothing_had_happened(
    tmp_path: Path, concurrency: int, most: int, least_lines: int, most_lines: int
) -> None:
    path, targets = tmp_path / "r.jsonl", [Target(env="rlenvs/EchoPair-v0", kwargs={"seat": "echoer"})]
    program = PROGRAM.format(most=most, concurrency=concurrency)
    process = subprocess.Popen([sys.executable, "-c", program, str(path)])
    while not path.exists() or path.read_bytes().count(b"\n") < least_lines:
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    whole_lines = path.read_bytes().count(b"\n")
    with path.open("ab") as file:
        file.write(b'{"target": "rlenvs/EchoPair-v0", "ind')  # as a kill in the middle of a line leaves it
    seen: list[Progress] = []
    options: dict[str, Any] = {"num_tasks": 40, "samples": 2, "concurrency": concurrency}
    resumed = evaluate(Random(), targets, results_path=path, progress=seen.append, **options)
    assert seen[0].resumed == whole_lines - 1
    assert least_lines <= whole_lines <= most_lines
    assert resumed.samples == evaluate(Random(), targets, **options).samples
    samples = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    assert len({(sample["index"], sample["sample"]) for sample in samples}) == len(samples) == 80


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
