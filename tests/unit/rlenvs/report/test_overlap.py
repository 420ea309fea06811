"""How many held-out tasks a run was trained on, by id and by question."""

import re
from pathlib import Path
from typing import Any

import pytest

from rlenvs.report.overlap import opening, overlap
from rlenvs.store import RolloutRow, RunStore

from .pages import Page, row, write_run


def asks(index: int, task_id: str, question: str, **facts: Any) -> RolloutRow:
    return row(index, task_id=task_id, messages=({"role": "user", "content": question},), **facts)


@pytest.mark.parametrize(
    ("trained", "said"),
    [
        ([asks(0, "other/0", "another one?")], "none of 3 tasks was trained on in this run"),
        ([asks(0, "e0", "in another template: q0?")], "1 of 3 tasks were also trained on in this run"),
        ([asks(0, "other/0", "q1?"), asks(1, "e1", "q1?")], "1 of 3 tasks were also trained on in this run"),
        ([asks(i, f"other/{i}", f"q{i}?") for i in range(9)], "3 of 3 tasks were also trained on in this run"),
    ],
)
def test_what_was_trained_on_is_found_by_id_and_by_question(
    tmp_path: Path, trained: list[RolloutRow], said: str
) -> None:
    def write(store: RunStore) -> None:
        numbers = {"pass@1": 0.5, "tasks": 3.0, "tasks/asked": 9.0}
        store.write_eval(0, "held out", numbers, [asks(i, f"e{i}", f"q{i}?") for i in range(3)])
        store.write_step(1, {"reward/mean": 1.0}, trained[:1])
        store.write_step(2, {"reward/mean": 1.0}, trained[1:])

    text = re.sub(r"\s+", " ", Page(write_run(tmp_path, write)).text)
    assert f"share of right answers; {said}" in text
    assert f"held out 3 of 9 asked for: it has no other questions {said[0].replace('n', '0')} 50.0%" in text


def test_tasks_that_all_begin_alike_are_told_apart_by_id_alone() -> None:
    rows = [asks(i, f"e{i}", "find the way out") for i in range(3)]
    assert overlap(rows, {"e2", "x"}, {opening(asks(0, "x", "find the way out"))}).num_trained == 1


def test_an_episode_that_never_began_is_not_like_others_that_never_began() -> None:
    lost = [row(i, task_id=f"e{i}", messages=()) for i in range(3)]
    assert overlap(lost, {"e1"}, {opening(row(7, messages=()))}).num_trained == 1


def test_nothing_is_said_of_training_where_an_evaluation_kept_no_rollouts(tmp_path: Path) -> None:
    page = Page(write_run(tmp_path, lambda store: store.write_eval(0, "held out", {"pass@1": 0.5, "tasks": 3.0})))
    assert "in this run" not in page.text.replace("this run's rollouts", "")
    assert "never trained on" not in page.text
