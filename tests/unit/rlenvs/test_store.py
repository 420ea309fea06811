"""`run.sqlite`: every step once, whole or not at all, whatever kills the writer."""

import math
import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from rlenvs.errors import RlenvsError
from rlenvs.store import EvalRow, RolloutRow, RunStore

ROW = RolloutRow(
    group=3,
    attempt=1,
    episode="7/3/1",
    task_id="t/9",
    seat="policy",
    ending="completed",
    reward=0.5,
    correct=1.0,
    parts={"accuracy": 1.0, "format": 0.0},
    messages=({"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "vier – 4"}),
    num_tokens=5,
    version=7,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.sqlite"


def test_what_is_written_is_read_back(path):
    unscored = replace(
        ROW, attempt=2, ending="grader_error", reward=None, correct=None, parts={}, error="ValueError: x"
    )
    with RunStore(path) as store:
        store.write_step(2, {"loss": 0.25, "reward/mean": -1.0}, [ROW, unscored])
        store.write_step(1, {"loss": 1.0})
        store.write_event(2, "checkpoint", {"path": "checkpoints/step-2", "skipped": []})
        store.write_eval(0, "before", {"pass@1": 0.1}, [ROW])
        store.write_eval(2, "after", {"pass@1": 0.6, "pass@1/low": 0.5})
    with RunStore(path, "r") as store:
        assert list(store.metrics().items()) == [(1, {"loss": 1.0}), (2, {"loss": 0.25, "reward/mean": -1.0})]
        assert store.rollouts() == store.rollouts(step=2) == [replace(ROW, step=2), replace(unscored, step=2)]
        assert store.rollouts(step=1) == []
        (event,) = store.events()
        assert (event.step, event.kind) == (2, "checkpoint")
        assert event.payload == {"path": "checkpoints/step-2", "skipped": []}
        assert store.evals() == [
            EvalRow(step=0, name="before", metrics={"pass@1": 0.1}),
            EvalRow(step=2, name="after", metrics={"pass@1": 0.6, "pass@1/low": 0.5}),
        ]
        assert store.eval_rollouts(0, "before") == [ROW]
        assert store.eval_rollouts(2, "after") == []


def test_every_trained_task_is_told_once_by_the_rollout_that_says_most_of_it(path):
    lost, echo = replace(ROW, messages=()), replace(ROW, seat="echo")
    with RunStore(path) as store:
        store.write_step(1, {}, [lost, ROW, lost])
        store.write_step(2, {}, [lost, echo])
        store.write_eval(2, "after", {}, [replace(ROW, task_id="held/out")])
        assert store.trained_tasks() == [replace(echo, step=2), replace(ROW, step=1)]


def test_a_step_that_is_written_again_replaces_what_was_there(path):
    with RunStore(path) as store:
        store.write_step(1, {"loss": 1.0, "only/first": 9.0}, [ROW, ROW, ROW])
        store.write_eval(1, "held-out", {"pass@1": 0.5, "old": 1.0}, [ROW, ROW])
        store.write_step(1, {"loss": 2.0}, [ROW])
        store.write_eval(1, "held-out", {"pass@1": 0.25}, [ROW])
        assert store.metrics() == {1: {"loss": 2.0}}
        assert len(store.rollouts()) == 1
        assert store.evals() == [EvalRow(step=1, name="held-out", metrics={"pass@1": 0.25})]
        assert len(store.eval_rollouts(1, "held-out")) == 1


def test_resuming_from_an_older_checkpoint_forgets_what_came_after(path):
    with RunStore(path) as store:
        for step in (1, 2, 3):
            store.write_step(step, {"loss": float(step)}, [ROW])
            store.write_event(step, "note", {})
            store.write_eval(step, "held-out", {"pass@1": 0.5}, [ROW])
        store.drop_after(1)
        assert list(store.metrics()) == [1]
        assert {row.step for row in store.rollouts()} == {1}
        assert [event.step for event in store.events()] == [1]
        assert [row.step for row in store.evals()] == [1]
        assert store.eval_rollouts(2, "held-out") == []
        assert store.eval_rollouts(1, "held-out") != []


def test_a_value_that_is_no_number_comes_back_as_nan_and_infinities_as_they_are(path):
    with RunStore(path) as store:
        store.write_step(1, {"a": math.nan, "b": math.inf}, [replace(ROW, parts={"p": math.nan})])
        store.write_eval(1, "e", {"c": math.nan, "d": -math.inf})
        metrics = store.metrics()[1] | dict(store.evals()[0].metrics) | dict(store.rollouts()[0].parts)
    assert [name for name, value in metrics.items() if math.isnan(value)] == ["a", "c", "p"]
    assert (metrics["b"], metrics["d"]) == (math.inf, -math.inf)


@pytest.mark.parametrize("text", ["\0", "half \ud83d of a sign", "𝔘nicode ✓", "'; DROP TABLE metrics; --", ""])
def test_whatever_a_policy_writes_can_be_stored(path, text):
    row = replace(ROW, messages=({"role": "assistant", "content": text},), error=text, task_id=text)
    with RunStore(path) as store:
        store.write_step(1, {}, [row])
        (back,) = store.rollouts()
    assert back.messages[0]["content"] == back.error == text.replace("\ud83d", "?")


def test_numpy_numbers_are_stored_as_numbers(path):
    import numpy as np

    with RunStore(path) as store:
        store.write_step(np.int64(1), {"loss": np.float32(0.5)}, [replace(ROW, reward=np.float64(0.25))])
        assert store.metrics() == {1: {"loss": 0.5}}
        assert store.rollouts()[0].reward == 0.25


def test_a_step_that_fails_half_way_leaves_the_earlier_one(path):
    with RunStore(path) as store:
        store.write_step(1, {"loss": 1.0}, [ROW])
        with pytest.raises(sqlite3.IntegrityError):
            store.write_step(1, {"loss": 2.0}, [ROW, replace(ROW, ending=None)])
        assert store.metrics() == {1: {"loss": 1.0}}
        assert len(store.rollouts()) == 1
        store.write_step(2, {"loss": 3.0})


def test_a_reader_neither_blocks_the_writer_nor_is_blocked(path):
    with RunStore(path) as store:
        store.write_step(1, {"loss": 1.0})
        reader = sqlite3.connect(path, timeout=0, isolation_level=None)
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM metrics").fetchone() == (1,)
        store.write_step(2, {"loss": 2.0})
        assert reader.execute("SELECT count(*) FROM metrics").fetchone() == (1,), "a reader sees one moment"
        reader.execute("COMMIT")
        assert reader.execute("SELECT count(*) FROM metrics").fetchone() == (2,)
        store._db.execute("BEGIN IMMEDIATE")
        with RunStore(path, "r") as other:
            assert list(other.metrics()) == [1, 2]
        store._db.execute("ROLLBACK")
        reader.close()


def test_a_reader_cannot_write(path):
    RunStore(path).close()
    with RunStore(path, "r") as store, pytest.raises(sqlite3.OperationalError, match="readonly"):
        store.write_step(1, {"loss": 1.0})


def test_what_is_no_run_is_refused_with_a_sentence(path):
    with pytest.raises(RlenvsError, match=r"no run at .*run\.sqlite"):
        RunStore(path, "r")
    path.write_text("this is not a database, whatever its name says" * 40)
    for mode in ("r", "rw"):
        with pytest.raises(RlenvsError, match="cannot be read as a run's database"):
            RunStore(path, mode)


def test_another_schema_version_is_refused_and_left_alone(path):
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    for mode in ("r", "rw"):
        with pytest.raises(RlenvsError, match="schema 99, this rlenvs reads schema 1"):
            RunStore(path, mode)


WRITER = """
import sys
from rlenvs.store import RolloutRow, RunStore

row = RolloutRow(group=0, attempt=0, episode="e", task_id="t", seat="s", ending="completed", reward=1.0, correct=1.0,
                 messages=({"role": "user", "content": "x" * 2000},))
store = RunStore(sys.argv[1])
for step in range(int(sys.argv[2]), 10**9):
    store.write_step(step, {f"m{i}": float(step) for i in range(20)}, [row] * 50)
    print(step, flush=True)
"""


def test_a_writer_that_is_killed_leaves_whole_steps_and_none_that_it_reported_is_missing(path):
    first = 1
    for lines in (1, 3, 8):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(first)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        reported = [int(writer.stdout.readline()) for _ in range(lines)][-1]
        os.kill(writer.pid, signal.SIGKILL)  # in the middle of a later step
        reported = max([reported, *(int(line) for line in writer.stdout.read().split())])
        assert writer.wait() == -signal.SIGKILL
        writer.stdout.close()
        with RunStore(path, "r") as store:
            metrics = store.metrics()
            assert list(metrics) == list(range(1, max(metrics) + 1))
            assert max(metrics) in (reported, reported + 1), "at most one step is whole that was not reported yet"
            for step, values in metrics.items():
                assert values == {f"m{i}": float(step) for i in range(20)}
                assert len(store.rollouts(step)) == 50
        first = reported + 1
