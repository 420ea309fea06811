"""Attempts at tasks: which seeds they draw from, what becomes of failures, deadlines, and what is freed."""

import asyncio
import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from rlenvs.episode import Episode, start
from rlenvs.policies.base import Sampling
from rlenvs_trainers.barrier import SamplerTimeoutError
from rlenvs_trainers.explore import Chain
from rlenvs_trainers.jobs import Job
from rlenvs_trainers.policy import LoadedPolicy
from rlenvs_trainers.records import Completion, Trajectory
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.rollout import RolloutError, Rollouts
from rlenvs_trainers.samplers.base import SampleRequest, StaleWeightsError
from rlenvs_trainers.samplers.scripted import ScriptedSampler
from rlenvs_trainers.samplers.transformers import TransformersSampler

from .asking import CONFIG, AskEnv, break_attempts, collected, jobs, only, raising, run, scripted, step


def test_the_same_call_gives_the_same_groups_and_another_step_others(
    tiny_policy: LoadedPolicy, renderer: Renderer
) -> None:
    sampler = TransformersSampler(tiny_policy.model, renderer)

    def tokens(**changes: Any) -> list[Completion]:
        groups = run(AskEnv(), sampler, renderer, (0, 1), params=Sampling(max_tokens=12), **changes).groups
        return [turn.completion for group in groups for each in group.trajectories for turn in each.turns]

    base = tokens()
    assert base == tokens()
    assert all(base != tokens(**change) for change in ({"step": 2}, {"seed": 1}, {"round": 1}))


def test_slow_environments_change_no_batch(tiny_policy: LoadedPolicy, renderer: Renderer) -> None:
    sampler = TransformersSampler(tiny_policy.model, renderer)
    delays = iter([0.03, 0.0, 0.02, 0.0, 0.01, 0.04] * 20)
    slept: list[float] = []
    lock = threading.Lock()

    def delay(_: str) -> None:
        with lock:
            seconds = next(delays)
        time.sleep(seconds)
        slept.append(seconds)

    params = Sampling(max_tokens=200)
    quick = run(AskEnv(), sampler, renderer, (0, 1), params=params)
    slow = run(AskEnv(on_step=delay), sampler, renderer, (0, 1), params=params)
    assert quick.groups == slow.groups
    assert len(slept) >= 8, "so many actions came to their end, and were delivered"


def test_a_task_that_comes_twice_gets_two_groups_with_draws_of_their_own(
    tiny_policy: LoadedPolicy, renderer: Renderer
) -> None:
    sampler = TransformersSampler(tiny_policy.model, renderer)
    first, second = run(AskEnv(), sampler, renderer, (0, 0)).groups
    assert first.task_id == second.task_id
    assert first.trajectories[0].turns[0].completion != second.trajectories[0].turns[0].completion


def test_every_attempt_draws_from_a_seed_of_its_own(renderer: Renderer) -> None:
    sampler = scripted(renderer, "no")
    run(AskEnv(), sampler, renderer, (0, 1))
    requests = [each for batch in sampler.batches for each in batch]
    assert len(requests) == 2 * 3 * 3
    assert len({each.seed for each in requests}) == len({each.key for each in requests}) == len(requests)


def test_r05_an_environment_that_raises_once_is_tried_again(renderer: Renderer) -> None:
    env = AskEnv(on_step=break_attempts(1))
    result = run(env, scripted(renderer, "yes"), renderer, config=replace(CONFIG, retries=1))
    assert [each.ending for each in result.groups[0].trajectories] == ["completed"] * 3
    (failure,) = result.failures
    assert (failure.ending, failure.verdict) == ("env_error", None)
    assert "OSError: the simulator went away" in failure.error
    assert (result.metrics["rollout/retries"], result.metrics["rollout/failures"]) == (1.0, 0.0)


def test_r05_a_retry_draws_anew(renderer: Renderer) -> None:
    sampler = scripted(renderer, "yes")
    run(AskEnv(on_step=break_attempts(0, 1, 2)), sampler, renderer, config=replace(CONFIG, retries=1))
    first, second = sampler.batches
    assert len(first) == len(second) == 3
    assert not {each.seed for each in first} & {each.seed for each in second}


def test_r05_a_run_that_was_told_to_stop_at_failures_names_the_task(renderer: Renderer) -> None:
    env = AskEnv(on_step=break_attempts(*range(100)))
    config = replace(CONFIG, on_failure="abort", retries=1)
    with pytest.raises(RolloutError, match=r"task ask/0 failed 2 times \(env_error\): OSError: the simulator"):
        run(env, scripted(renderer, "yes"), renderer, config=config)


@pytest.mark.parametrize(
    ("grader", "sentence"),
    [
        (raising, "raised ZeroDivisionError: grader"),
        (lambda *_: float("nan"), "gave nan; expected a finite number"),
        (lambda *_: "1.0", "gave '1.0'"),
    ],
)
def test_r05_a_grader_that_breaks_is_a_failure_that_names_task_and_part(
    renderer: Renderer, grader: Any, sentence: str
) -> None:
    result = run(AskEnv(grader), scripted(renderer, "yes"), renderer)
    assert result.groups == ()
    assert {failure.ending for failure in result.failures} == {"grader_error"}
    assert "task ask/0: reward function 'yes'" in result.failures[0].error
    assert sentence in result.failures[0].error


@pytest.mark.parametrize("where", ["step", "grader"])
def test_r05_what_sleeps_for_ever_is_left_at_its_deadline(renderer: Renderer, where: str) -> None:
    release = threading.Event()

    def sleep(*_: Any) -> float:
        release.wait(60)
        return 1.0

    env = AskEnv(on_step=sleep) if where == "step" else AskEnv(sleep)
    config = replace(CONFIG, group_size=8, action_timeout_s=0.2)
    started = time.monotonic()
    try:
        result = run(env, scripted(renderer, "yes"), renderer, config=config)
    finally:
        release.set()
    assert time.monotonic() - started < 10
    assert [failure.ending for failure in result.failures] == ["timeout"] * 8
    assert "within 0.2 s" in result.failures[0].error
    assert result.groups == ()


def test_r05_an_episode_that_never_begins_is_a_timeout(renderer: Renderer) -> None:
    release, closed = threading.Event(), threading.Event()

    class Holding(AskEnv):
        def close(self) -> None:
            closed.set()

    env = Holding()
    task = env.task_at(0)

    def begin() -> Episode:
        release.wait(60)
        return start(env, task)

    job = Job(task=task, begin=begin)
    try:
        result = collected([job], scripted(renderer, "yes"), renderer, config=replace(CONFIG, action_timeout_s=0.2))
    finally:
        release.set()
    assert [failure.ending for failure in result.failures] == ["timeout"] * 3
    assert result.failures[0].error == "the episode did not begin within 0.2 s"
    assert closed.wait(10), "what begins after all is freed"


def test_r19_a_sampler_with_other_weights_stops_the_step(renderer: Renderer) -> None:
    with pytest.raises(StaleWeightsError, match="version 0, trainer 1"):
        run(AskEnv(), scripted(renderer, "yes"), renderer, version=1)
    lagging = replace(CONFIG, max_staleness=1)
    trajectory = only(run(AskEnv(), scripted(renderer, "yes"), renderer, version=1, config=lagging))
    assert trajectory.turns[0].completion.version == 0


def test_r25_a_step_past_its_deadline_goes_on_without_what_is_not_over_and_names_it(
    renderer: Renderer, caplog: pytest.LogCaptureFixture
) -> None:
    release = threading.Event()
    slow, quick = AskEnv(on_step=lambda _: release.wait(60) and None), AskEnv()
    both = [*jobs(quick, (0,)), *jobs(slow, (1,))]
    config = replace(CONFIG, group_size=2, step_timeout_s=0.3, action_timeout_s=60.0)
    started = time.monotonic()
    try:
        with caplog.at_level(logging.WARNING):
            result = collected(both, scripted(renderer, "yes"), renderer, config=config)
    finally:
        release.set()
    assert time.monotonic() - started < 10
    assert [group.task_id for group in result.groups] == ["ask/0"]
    assert [(each.task_id, each.ending) for each in result.failures] == [("ask/1", "timeout")] * 2
    assert "step's 0.3 s" in result.failures[0].error
    assert "given up after 0.3 s (rollout.step_timeout_s): task ask/1 (going on: [0, 1] of 2 attempts)" in caplog.text
    assert result.metrics["rollout/dropped_groups"] == 1.0


def test_r25_a_sampler_that_never_answers_ends_the_run_with_a_sentence(renderer: Renderer) -> None:
    class Hanging(ScriptedSampler):
        async def sample(self, requests: Sequence[SampleRequest]) -> list[Completion]:
            await asyncio.sleep(60)
            return []

    config = replace(CONFIG, sampler_timeout_s=0.2)
    with pytest.raises(SamplerTimeoutError, match=r"no answer to 3 requests within 0.2 s \(rollout.sampler_timeout_s"):
        run(AskEnv(), Hanging(lambda _: "yes", renderer), renderer, config=config)


def test_what_episodes_hold_is_freed_however_they_end(renderer: Renderer) -> None:
    closed: list[object] = []

    class Holding(AskEnv):
        def close(self) -> None:
            closed.append(self)

    async def prune(rollouts: Rollouts) -> Sequence[Trajectory]:
        play, left = await rollouts.start(0), await rollouts.start(1)
        await step(left)
        await play.stop("pruned")
        return play.trajectories()

    for explore, config, env in (
        (Chain(), CONFIG, Holding()),
        (Chain(), CONFIG, Holding(on_step=break_attempts(*range(9)))),
        (Chain(), CONFIG, Holding(raising)),
        (prune, replace(CONFIG, group_size=2), Holding()),
    ):
        run(env, scripted(renderer, "no"), renderer, explore=explore, config=config)
        assert len(closed) == config.group_size
        assert env not in closed
        closed.clear()
