"""Who shares a baseline, what is kept out of the groups, and what is counted."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

import rlenvs
from rlenvs.episode import start
from rlenvs.policies.base import Sampling
from rlenvs_trainers.algorithm import Progress
from rlenvs_trainers.grouping import numbered
from rlenvs_trainers.jobs import Job
from rlenvs_trainers.records import Group, Player
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.select import MaskTruncated
from rlenvs_trainers.synthetic import trajectory

from .asking import CONFIG, AskEnv, break_attempts, collected, only, run, scripted


def test_r27_groups_hold_one_task_each_whatever_the_order_of_jobs(renderer: Renderer) -> None:
    groups = run(AskEnv(), scripted(renderer, "yes"), renderer, (2, 0, 1)).groups
    assert [group.task_id for group in groups] == ["ask/2", "ask/0", "ask/1"]
    for group, index in zip(groups, (2, 0, 1), strict=True):
        assert {each.fingerprint for each in group.trajectories} == {AskEnv().task_at(index).fingerprint}
        assert [each.attempt for each in group.trajectories] == [0, 1, 2]


def test_r26_seats_make_groups_of_their_own(renderer: Renderer) -> None:
    env = rlenvs.make("rlenvs/EchoPair-v0")
    result = run(env, scripted(renderer, "hello"), renderer, (0, 1))
    seats = start(env, env.task_at(0)).seats
    assert len(seats) == 2
    assert [(group.task_id, group.seat) for group in result.groups] == [
        (env.task_at(index).id, seat) for index in (0, 1) for seat in sorted(seats)
    ]
    speaker, echoer, *_ = ({each.episode for each in group.trajectories} for group in result.groups)
    assert speaker == echoer, "both seats sat in the same three episodes"
    assert [len(group.trajectories) for group in result.groups] == [3] * 4
    assert len(speaker) == 3


def test_another_policy_may_sit_in_a_seat_and_is_not_trained(renderer: Renderer) -> None:
    env = rlenvs.make("rlenvs/EchoPair-v0")
    speaker, echoer = start(env, env.task_at(0)).seats
    sampler = scripted(renderer, "hello")
    sampler.serve(None, policy="past", version=7)
    job = Job(
        task=env.task_at(0),
        begin=partial(start, env, env.task_at(0)),
        players={echoer: Player(policy="past", version=7, is_learner=False)},
    )
    result = collected([job], sampler, renderer)
    (group,) = result.groups
    assert (group.seat, {each.policy for each in group.trajectories}) == (speaker, {"policy"})
    assert {(each.seat, each.policy) for each in result.others} == {(echoer, "past")}
    assert {each.turns[0].completion.version for each in result.others} == {7}
    assert {(each.policy, each.version) for batch in sampler.batches for each in batch} == {("policy", 0), ("past", 7)}


def test_policies_never_share_a_baseline(renderer: Renderer) -> None:
    trajectory = only(run(AskEnv(), scripted(renderer, "yes"), renderer))
    with pytest.raises(ValueError, match="one task, one seat and one policy, baselines must not mix them"):
        Group(trajectories=(trajectory, replace(trajectory, policy="other")))


@pytest.mark.parametrize(("on_failure", "left"), [("drop", [2, 3]), ("drop_group", [3])])
def test_r05_what_keeps_failing_is_dropped_and_the_step_goes_on(
    renderer: Renderer, on_failure: Any, left: list[int]
) -> None:
    env = AskEnv()
    good, bad = env.task_at(0), AskEnv(on_step=break_attempts(0))
    both = [
        Job(task=bad.task_at(1), begin=partial(start, bad, bad.task_at(1))),
        Job(task=good, begin=partial(start, env, good)),
    ]
    result = collected(both, scripted(renderer, "yes"), renderer, config=replace(CONFIG, on_failure=on_failure))
    assert [len(group.trajectories) for group in result.groups] == left
    assert [failure.ending for failure in result.failures] == ["env_error"]
    assert all(each.is_scored for group in result.groups for each in group.trajectories)
    assert result.metrics["rollout/dropped_groups"] == (on_failure == "drop_group")


def test_r05_what_cannot_be_scored_stays_in_its_group_without_a_reward(renderer: Renderer) -> None:
    group = run(AskEnv(lambda *_: None), scripted(renderer, "yes"), renderer).groups[0]
    assert [each.ending for each in group.trajectories] == ["unscored"] * 3
    assert group.scored == ()


def test_r12_overlong_attempts_are_scored_and_trained_unless_a_selector_masks_them(renderer: Renderer) -> None:
    groups = run(AskEnv(), scripted(renderer, "yes and more"), renderer, params=Sampling(max_tokens=3)).groups
    whole = run(AskEnv(), scripted(renderer, "yes"), renderer).groups
    masked = MaskTruncated()([*groups, *whole], Progress(step=0, num_steps=1))
    assert [each.is_trained for group in groups for each in group.trajectories] == [True] * 3
    assert [each.is_trained for group in masked for each in group.trajectories] == [False] * 3 + [True] * 3
    assert all(each.is_scored for group in masked for each in group.trajectories)


def test_every_generated_token_counts_and_every_action_that_was_delivered(renderer: Renderer) -> None:
    env = AskEnv(on_step=break_attempts(1))
    result = run(env, scripted(renderer, "yes] no"), renderer, config=replace(CONFIG, retries=1))
    assert result.metrics["rollout/generated_tokens"] == 4 * (len(renderer.encode("yes] no")) + 1)
    assert result.metrics["rollout/actions"] == 4.0
    cut_off = run(AskEnv(), scripted(renderer, "yes] no"), renderer, params=Sampling(max_tokens=3))
    assert (cut_off.metrics["rollout/generated_tokens"], cut_off.metrics["rollout/actions"]) == (9.0, 0.0)


def test_a_fork_gets_a_number_after_those_of_all_attempts() -> None:
    trunk = trajectory([], 1.0, attempt=7)
    fork = replace(trunk, episode=f"{trunk.episode}-0")
    assert [each.attempt for each in numbered([trunk, fork, replace(trunk, episode="x", attempt=1)], 3)] == [7, 8, 1]
    assert [each.attempt for each in numbered([replace(trunk, attempt=0), replace(fork, attempt=0)], 3)] == [0, 3]
