"""What breaks while training goes on: counted, told, and never a reward of 0."""

import time
from collections import Counter
from pathlib import Path

import pytest

from .runs import weights

FAULTS = {
    "step": ("env_error", "world.FaultError: the world ended in task"),
    "reset": ("env_error", "world.FaultError: no task"),
    "raise": ("grader_error", "reward function 'right' raised FaultError: the grader fell over"),
    "nan": ("grader_error", "reward function 'right' gave nan; expected a finite number"),
    "text": ("grader_error", "reward function 'right' gave 'good' (str); expected a number, or None"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_r05_r04_what_breaks_in_a_third_of_the_tasks_is_dropped_told_and_no_reward(train, fault):
    ending, why = FAULTS[fault]
    done, run = train(fault=fault, every=3)
    failed = [row for row in run.rollouts if row.ending == ending]
    scored = [row for row in run.rollouts if row.ending == "completed"]
    broken = {row.task_id for row in failed}
    assert len(failed) + len(scored) == len(run.rollouts)
    assert 0 < len(broken) < 12
    assert all(int(row.task_id.removeprefix("digit/")) % 3 == 0 for row in failed)
    assert broken.isdisjoint(row.task_id for row in scored)
    assert {(row.reward, row.correct) for row in failed} == {(None, None)}
    assert all(why in row.error for row in failed)
    assert Counter(row.task_id for row in failed) == dict.fromkeys(broken, 8), "four attempts, each made twice"
    assert sum(step["rollout/failures"] for step in run.metrics.values()) == 4 * len(broken)
    assert sum(step["rollout/retries"] for step in run.metrics.values()) == 4 * len(broken)
    for step, values in run.metrics.items():
        rewards = [row.reward for row in run.rollouts_of(step) if row.reward is not None]
        assert values["reward/mean"] == pytest.approx(sum(rewards) / len(rewards))
        assert values["trajectories/count"] == len(rewards)
        assert values["grad_norm"] > 0
    assert f"{len(failed)} attempts failed" in done.err
    assert f"{ending}: " in done.err
    assert why in done.err
    if fault in ("step", "raise"):
        assert 'raise FaultError("' in failed[0].error or 'raise FaultError(f"' in failed[0].error, "the line to mend"


def test_r04_none_is_counted_as_unscored_and_the_rest_learns(train):
    _, run = train(fault="none", every=3)
    unscored = [row for row in run.rollouts if row.ending == "unscored"]
    assert 0 < len(unscored) < 48
    assert {(row.reward, row.error) for row in unscored} == {(None, "")}
    assert sum(step["trajectories/unscored"] for step in run.metrics.values()) == len(unscored)
    for step, values in run.metrics.items():
        rewards = [row.reward for row in run.rollouts_of(step) if row.reward is not None]
        assert values["reward/mean"] == pytest.approx(sum(rewards) / len(rewards))
        trained = sum(row.num_tokens for row in run.rollouts_of(step) if row.reward is not None)
        assert values["tokens/trained"] == trained


@pytest.mark.parametrize(
    ("fault", "ways"), [("none", "48 unscored"), ("step", "96 env_error"), ("text", "96 grader_error")]
)
def test_r04_r05_where_nothing_can_be_scored_the_run_says_so_and_the_policy_stays(train, warm, fault, ways):
    done, run = train(fault=fault, code=1)
    assert f"rlenvs: nothing was learned: no attempt had a token to train on ({ways})" in done.err
    assert list(run.metrics) == [1, 2, 3]
    assert {values["tokens/trained"] for values in run.metrics.values()} == {0}
    assert weights(run.path / "checkpoints" / "step-000003" / "policy") == weights(warm / "policy")
    assert run.events[-1][1] == "run_failed"
    assert "nothing was learned" in run.events[-1][2]["error"]


def test_r05_a_reward_function_that_sleeps_for_ever_is_left_at_the_deadline(train):
    started = time.monotonic()
    done, run = train("rollout.action_timeout_s=0.4", "rollout.retries=0", fault="hang", every=4, tasks=12)
    assert time.monotonic() - started < 60
    late = [row for row in run.rollouts if row.ending == "timeout"]
    assert {row.task_id for row in late} == {"digit/0", "digit/4", "digit/8"}
    assert {row.error for row in late} == {"the environment gave no answer within 0.4 s"}
    assert "12 attempts failed" in done.err
    assert all(values["grad_norm"] > 0 for values in run.metrics.values() if values["trajectories/count"])


def test_r05_a_hanging_environment_does_not_keep_the_process_from_ending(start):
    sets = ["env.0.kwargs.fault='hang'", "rollout.action_timeout_s=0.2", "rollout.retries=0", "steps=1"]
    child = start("train", "tiny.toml", *[word for each in sets for word in ("--set", each)])
    assert child.wait(30).code == 1


def test_r05_told_to_stop_at_failures_it_names_task_and_reason_and_keeps_what_was_done(train):
    done, run = train("rollout.on_failure=abort", "checkpoint_every=1", fault="raise", every=6, tasks=12, code=1)
    assert "(grader_error): rlenvs.errors.GraderError: task digit/" in done.err
    assert "the grader fell over" in done.err
    assert run.events[-1][1] == "run_failed"
    assert run.checkpoints[-1:] == [f"step-00000{step}" for step in list(run.metrics)[-1:]]


@pytest.mark.parametrize(("command", "attempts"), [("train", 48), ("sft", 12)])
def test_r12_a_prompt_longer_than_the_context_is_cut_off_counted_and_said(train, warm, command, attempts):
    done, run = train(command=command, prompt=300, code=1)
    assert f"nothing was learned: no attempt had a token to train on ({attempts} context_overflow)" in done.err
    assert {row.ending for row in run.rollouts} == {"context_overflow"}
    assert {row.num_tokens for row in run.rollouts} == {0}
    assert weights(run.path / "checkpoints" / "step-000003" / "policy") == weights(warm / "policy")


@pytest.mark.parametrize(("prompt", "room"), [(250, 2), (251, 1)])
def test_r12_what_little_room_a_prompt_leaves_is_used_and_never_negative(train, prompt, room):
    tiny = 'policy="tiny:hidden=32,layers=2,heads=2,mlp=64,context=256"'
    _, run = train(tiny, prompt=prompt, code=1)  # what fresh weights write is never right: no signal
    assert max(row.num_tokens for row in run.rollouts) == room
    assert min(row.num_tokens for row in run.rollouts) >= 1
    cut = [row for row in run.rollouts if row.ending == "context_overflow"]
    assert {row.num_tokens for row in cut} == {room}, "only what fills the context is cut off"


def test_r27_an_environment_that_draws_its_own_task_is_refused(train):
    done, run = train(fault="other", code=1)
    assert "started digit/" in done.err
    assert "Its reset must respect options['task']." in done.err
    assert run.metrics == {}


def test_r27_siblings_share_a_task_and_a_group_number(train):
    _, run = train()
    for step in run.metrics:
        tasks = {}
        for row in run.rollouts_of(step):
            tasks.setdefault(row.group, set()).add(row.task_id)
        assert [len(ids) for ids in tasks.values()] == [1, 1, 1, 1]
        assert sorted(row.attempt for row in run.rollouts_of(step)) == sorted([0, 1, 2, 3] * 4)


def test_weights_that_run_away_stop_the_run_with_a_sentence_and_keep_what_was_done(train):
    done, run = train("learner.lr=1e38", "checkpoint_every=1", code=1)
    assert "rlenvs: the weights of 'policy', version 1, give log-probabilities that are no numbers" in done.err
    assert "Go on from an earlier checkpoint, with a smaller learner.lr or learner.max_grad_norm." in done.err
    assert run.events[-1][1] == "run_failed"
    assert len(run.checkpoints) == len(run.metrics) > 0


def test_a_step_in_which_everything_failed_counts_and_the_next_one_learns(train):
    _, run = train("rollout.tasks_per_step=1", "rollout.retries=0", "steps=6", fault="step", every=2)
    trained = [values["tokens/trained"] > 0 for values in run.metrics.values()]
    assert list(run.metrics) == [1, 2, 3, 4, 5, 6]
    assert True in trained
    assert False in trained
    assert run.metrics[6]["learner/version"] == sum(trained)
    assert Path("runs/run/checkpoints/step-000006").is_dir()


RAISING = """
    from dataclasses import dataclass, replace

    from rlenvs.hooks import hookimpl
    from rlenvs_plugins.grpo import GRPO

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Full:
        def __call__(self, group, progress):
            raise {error}

    @hookimpl
    def register_algorithms(register):
        register(replace(GRPO, name="full", shape=(Full(),)))
"""


@pytest.mark.parametrize("error", ["OSError('no space left')", "ValueError('no space left')"])
def test_what_is_raised_in_a_running_training_is_failed_work_and_no_bad_input(rlenvs, run_of, plugin, error):
    path = plugin("full", RAISING.format(error=error))
    done = rlenvs("train", "tiny.toml", "--name", "run", "--plugin", path, "--algorithm", "full")
    assert done.code == 1
    assert done.err.endswith("rlenvs: no space left (RLENVS_TRACEBACK=1 shows where)\n")
    assert "Traceback" not in done.err
    assert run_of("run").kinds() == ["run_started", "run_failed"]
