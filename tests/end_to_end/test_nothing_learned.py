"""Steps in which nothing can be learned: no group has a signal, or a selector leaves none."""

from collections import Counter

import pytest

from .runs import weights


@pytest.mark.parametrize("worth", [1.0, 0.7])
def test_r01_equal_rewards_move_nothing(train, warm, worth):
    done, run = train("learner.lr=1.0", right="*", worth=worth, size=0.0, code=1)
    said = "no group had a signal in 3 of 3 steps: every attempt at a task earned the same"
    assert f"rlenvs: nothing was learned: {said}" in done.err
    for values in run.metrics.values():
        assert values["reward/mean"] == pytest.approx(worth)
        assert values["groups/zero_signal"] == 1
        assert values["grad_norm"] == 0
        assert values["loss"] == 0
        assert values["tokens/trained"] > 0
    assert weights(run.path / "checkpoints" / "step-000003" / "policy") == weights(warm / "policy")


def test_r01_steps_without_a_signal_are_told_and_the_run_is_none_the_worse(train):
    done, run = train("rollout.tasks_per_step=1", "steps=6", right="0", size=0.0)
    silent = [step for step, values in run.metrics.items() if values["groups/zero_signal"] == 1]
    assert 0 < len(silent) < 6
    assert f"rlenvs: no group had a signal in {len(silent)} of 6 steps" in done.err
    assert [step for step, values in run.metrics.items() if not values["tokens/with_advantage"]] == silent


SILENT = ["env.0.kwargs.right='*'", "env.0.kwargs.size=0.0"]


@pytest.fixture
def resumed(rlenvs, run_of):
    """`resumed("steps=4")`: the run goes on with some changes; what was said, and what it left."""

    def go_on(*settings, code=0):
        done = rlenvs("train", "--resume", "runs/run", *[word for each in settings for word in ("--set", each)])
        assert done.code == code, done
        return done, run_of("run")

    return go_on


def test_a_run_that_learned_and_is_resumed_for_a_silent_step_is_a_good_run(train, resumed):
    train()
    done, run = resumed("steps=4", *SILENT)
    assert "rlenvs: no group had a signal in 1 of 4 steps" in done.err
    assert "nothing was learned" not in done.err
    assert run.events[-1][1] == "run_finished"


def test_a_run_that_learned_in_the_end_is_a_good_run_however_it_began(train, resumed):
    train(right="*", size=0.0, code=1)
    done, run = resumed("steps=4", "env.0.kwargs.right='7'", "env.0.kwargs.size=1.0")
    assert "rlenvs: no group had a signal in 3 of 4 steps" in done.err
    assert run.events[-1][1] == "run_finished"


def test_a_run_that_learned_nothing_is_not_made_a_good_one_by_resuming_it(train, resumed):
    train(fault="none", code=1)
    done, run = resumed(code=1)
    assert "nothing was learned: no attempt had a token to train on (48 unscored)" in done.err
    done, run = resumed("steps=4", code=1)
    assert "nothing was learned: no attempt had a token to train on (64 unscored)" in done.err
    assert [kind for kind in run.kinds() if kind != "run_started"] == ["run_failed"] * 3


NON_CONSTANT = 'select=[{use="non_constant"}]'


def test_r24_where_every_group_is_constant_steps_end_and_count_and_the_policy_stays(train, warm):
    done, run = train(NON_CONSTANT, "learner.schedule=linear", "learner.lr=1e-2", right="*", code=1)
    assert "nothing was learned: the algorithm's selectors left no group" in done.err
    assert list(run.metrics) == [1, 2, 3]
    for values in run.metrics.values():
        assert (values["select/rounds"], values["select/groups"], values["groups/count"]) == (10, 0, 40)
        assert values["learner/optimiser_steps"] == 0
    assert len({values["lr"] for values in run.metrics.values()}) == 1, "the schedule counts updates, none was made"
    assert weights(run.path / "checkpoints" / "step-000003" / "policy") == weights(warm / "policy")


def test_r24_where_one_group_in_ten_is_mixed_refills_are_bounded_and_lose_none(train):
    _, run = train(NON_CONSTANT, right="02468", every=10)
    assert list(run.metrics) == [1, 2, 3]
    for step, values in run.metrics.items():
        groups = {row.group: row.task_id for row in run.rollouts_of(step)}
        assert values["select/rounds"] <= 10
        assert values["groups/count"] == 4 * values["select/rounds"]
        assert len(groups) == min(4, values["select/groups"])
        for group in groups:
            correct = {row.correct for row in run.rollouts_of(step) if row.group == group}
            assert correct == {0.0, 1.0}
    assert sum(values["select/groups"] for values in run.metrics.values()) > 0
    assert sum(values["select/rounds"] for values in run.metrics.values()) > 3, "there was something to refill"


def test_r24_a_data_set_smaller_than_a_batch_is_gone_through_again_within_it(train):
    _, run = train(NON_CONSTANT, right="02468", tasks=3)
    assert list(run.metrics) == [1, 2, 3]
    assert {row.task_id for row in run.rollouts} == {"digit/0", "digit/1", "digit/2"}
    for step in run.metrics:
        members = Counter(row.group for row in run.rollouts_of(step))
        assert set(members.values()) == {4}, "the same task twice in a step makes two groups"
