"""What is evaluated and what comes of it: targets, tasks, estimates, groups of results."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rlenvs.errors import RlenvsError
from rlenvs.evaluation.evaluate import evaluate
from rlenvs.evaluation.suites import Target
from rlenvs.evaluation.summary import summarise
from rlenvs.policies.base import ReplyRequest
from rlenvs.policies.scripted import Oracle, Random

from .trouble import ENV_ID, Scripted, answer, endings, right_if, run


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


def test_random_guesses_are_mostly_wrong_and_the_oracle_is_always_right() -> None:
    guesses, oracle = run(Random(), samples=8), run(Oracle())
    assert guesses.mean_pass_at_1 is not None
    assert 0.0 < guesses.mean_pass_at_1.value < 0.35
    assert {sample.correct for sample in oracle.samples} == {1.0}


def test_a_misshapen_task_is_one_failed_sample_that_says_so() -> None:
    result = run(Oracle(), trouble={"3": "prompt_is_text"})
    assert endings(result) == ["completed"] * 3 + ["env_error"] + ["completed"] * 6
    assert "task t3: a prompt is a tuple of Messages, such as (user('…'),): got 'say it'" in result.samples[3].error


def test_a_misshapen_answer_is_the_oracles_error_and_random_goes_on() -> None:
    oracle = run(Oracle(), trouble={"3": "answer_is_number"})
    assert endings(oracle) == ["completed"] * 3 + ["policy_error"] + ["completed"] * 6
    assert "answer_message gives text: got 3 (int)" in oracle.samples[3].error
    assert endings(run(Random(), trouble={"3": "answer_is_number"})) == ["completed"] * 10


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
        return answer(request) if request.key.startswith("few") else "wrong"

    result = evaluate(Scripted(say), targets, results_path=tmp_path / "r.jsonl")
    assert [(summary.target, summary.num_tasks) for summary in result.summaries] == [("few", 2), ("many", 10)]
    assert result.mean_pass_at_1 is not None
    assert result.mean_pass_at_1.value == pytest.approx(0.5)
    with pytest.raises(ValueError, match="its own name"):
        evaluate(Oracle(), [Target(env=ENV_ID), Target(env=ENV_ID, num_tasks=2)])


def test_every_seat_of_an_episode_has_its_own_sample() -> None:
    [summary] = evaluate(Oracle(), [Target(env="rlenvs/EchoPair-v0")], num_tasks=3, samples=2).summaries
    assert (summary.num_samples, summary.num_tasks) == (12, 3)
    assert [(subset.key, subset.value) for subset in summary.breakdown] == [("seat", "echoer"), ("seat", "speaker")]
    assert [p.k for p in summary.pass_at] == [1, 2]  # two samples of each seat, not four of a task


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
    empty = [replace(sample, labels={"question": "", **sample.labels}) for sample in samples]
    assert {subset.key for subset in summarise("t", empty).breakdown} == {"level"}
    asked = [replace(sample, labels={**sample.labels, "question": sample.index % 2}) for sample in samples]
    assert {subset.key for subset in summarise("t", asked).breakdown} == {"level", "question"}
