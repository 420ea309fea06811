"""Which tasks are tried: no question counts twice, whatever its id, and fewer than asked for are never silent."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import rlenvs
from rlenvs.deadline import Workers
from rlenvs.env import TextEnv
from rlenvs.evaluation.evaluate import Progress, evaluate
from rlenvs.evaluation.questions import MOST_HANGS, Questions, distinct_questions
from rlenvs.evaluation.suites import Target
from rlenvs.policies.scripted import Oracle
from rlenvs.records import Message, Task, user

from .trouble import TroubleEnv


class RepeatingEnv(TroubleEnv):
    """Task `index` asks what task `index % different` asks."""

    def __init__(self, different: int = 3, num_tasks: int | None = None, turns: int = 1) -> None:
        super().__init__(turns=turns)
        self.different, self.num_tasks = different, num_tasks  # type: ignore[assignment]

    def task_at(self, index: int) -> Task:
        number = index % self.different
        return Task(id=f"t{index}", prompt=(user(f"say {number}"),), target=str(number), metadata={"index": index})


def read(
    env: TextEnv, wanted: int | None, *, deadline_s: float = 5.0, told: Callable[[int], None] = lambda _: None
) -> Questions:
    return asyncio.run(distinct_questions(env, wanted, Workers(), deadline_s, told))


def indices(questions: Questions) -> list[int]:
    return [question.index for question in questions.found]


def test_a_repeated_question_is_passed_over_for_a_later_one() -> None:
    class Pairs(RepeatingEnv):
        def task_at(self, index: int) -> Task:
            return super().task_at(index // 2)

    found = read(Pairs(different=100), 4)
    assert (indices(found), found.num_repeated) == ([0, 2, 4, 6], 3)
    assert indices(read(Pairs(different=100), 6))[:4] == indices(found), "more tasks go on from fewer"


@pytest.mark.parametrize(("num_tasks", "wanted", "repeated"), [(8, None, 5), (8, 5, 5), (8, 3, 0), (2, 9, 0)])
def test_a_finite_environment_gives_each_question_that_it_has_once(
    num_tasks: int, wanted: int | None, repeated: int
) -> None:
    found = read(RepeatingEnv(num_tasks=num_tasks), wanted)
    assert indices(found) == list(range(min(3, num_tasks)))
    assert found.num_repeated == repeated


def test_an_environment_without_end_and_without_new_questions_is_not_searched_for_ever() -> None:
    found = read(RepeatingEnv(), 4)
    assert (indices(found), found.num_repeated) == ([0, 1, 2], 1000)


def test_one_prompt_with_two_right_answers_is_two_questions_and_two_speakers_are_two_prompts() -> None:
    class Named(TroubleEnv):
        def task_at(self, index: int) -> Task:
            who, target = ("ann", "1") if index == 2 else (None, str(index % 2))
            return Task(id=f"t{index}", prompt=(Message(role="user", content="say", name=who),), target=target)

    assert indices(read(Named(num_tasks=4), None)) == [0, 1, 2]


def test_metadata_makes_another_question_only_where_the_world_may_follow_from_it() -> None:
    assert indices(read(RepeatingEnv(num_tasks=6), None)) == [0, 1, 2]
    assert indices(read(RepeatingEnv(num_tasks=6, turns=2), None)) == [0, 1, 2, 3, 4, 5]

    class Targetless(RepeatingEnv):
        def task_at(self, index: int) -> Task:
            return Task(id=f"t{index}", prompt=(user("go"),), metadata={"maze": index % 2})

    assert indices(read(Targetless(num_tasks=6), None)) == [0, 1]


def test_tasks_that_cannot_be_given_are_tried_and_fail_each_for_itself() -> None:
    class NoTask(RepeatingEnv):
        def task_at(self, index: int) -> Any:
            if index == 3:
                raise SystemExit(0)
            return "a task" if index == 4 else super().task_at(index)

    *_, gone, odd = read(NoTask(num_tasks=5), None).found
    assert "SystemExit" in str(gone.task)
    assert "task_at(4) gives a Task: got 'a task' (str)" in str(odd.task)


def test_an_environment_that_hangs_for_every_task_is_waited_for_a_few_times() -> None:
    class Hanging(RepeatingEnv):
        def task_at(self, index: int) -> Task:
            time.sleep(60)
            return super().task_at(index)

    start, seen = time.monotonic(), list[int]()
    found = read(Hanging(num_tasks=500), None, deadline_s=0.1, told=seen.append)
    assert time.monotonic() - start < 5
    assert len(found.found) == len(seen) == 500
    assert all(isinstance(question.task, TimeoutError) for question in found.found)
    assert [str(question.task) for question in found.found[MOST_HANGS - 1 : MOST_HANGS + 1]] == [
        "no answer within 0.1 s",
        "not asked: 3 tasks before gave no answer within 0.1 s",
    ]


@pytest.mark.usefixtures("registry")
def test_how_many_tasks_are_read_is_told_while_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    rlenvs.register("tests/Repeating-v0", RepeatingEnv)
    monkeypatch.setattr("rlenvs.evaluation.evaluate.READING_TOLD_S", 0.0)
    seen: list[Progress] = []
    evaluate(Oracle(), [Target(env="tests/Repeating-v0", kwargs={"num_tasks": 5})], progress=seen.append)
    assert [(now.read, now.total) for now in seen] == [*((read, None) for read in range(1, 6)), *[(0, 3)] * 4]


@pytest.mark.usefixtures("registry")
def test_an_evaluation_says_what_it_tried_and_goes_on_with_other_questions(tmp_path: Path) -> None:
    rlenvs.register("tests/Repeating-v0", RepeatingEnv)
    target, path = Target(env="tests/Repeating-v0", kwargs={"different": 5}), tmp_path / "r.jsonl"
    evaluate(Oracle(), [target], num_tasks=2, results_path=path)
    seen: list[Progress] = []
    result = evaluate(Oracle(), [target], num_tasks=20, results_path=path, progress=seen.append)
    [tried] = result.tried
    assert {now.resumed for now in seen if now.total is not None} == {2}
    assert (tried.num_asked, tried.num_questions, tried.num_repeated) == (20, 5, 1000)
    assert (tried.first_task, tried.last_task) == ("t0", "t4")
    assert tried.options == {"different": 5, "num_tasks": None, "turns": 1}
    assert result.summaries[0].num_tasks == 5
    assert tried.metrics() == {"tasks/asked": 20.0, "tasks/repeated": 1000.0}


@pytest.mark.parametrize(
    ("options", "wanted", "there"),
    [
        ({"families": ["count", "largest", "running_sum", "sort", "reverse"], "levels": [1, 2]}, 360, 360),
        ({}, 1000, 1000),
    ],
)
def test_held_out_arithmetic_asks_as_many_different_questions_as_it_says(
    options: dict[str, Any], wanted: int, there: int
) -> None:
    env = rlenvs.make("rlenvs/Arithmetic-v0", split="test", **options)
    found = read(env, wanted)
    texts = [question.task.prompt for question in found.found if isinstance(question.task, Task)]
    assert len({text[-1].content for text in texts}) == len(texts) == there


def test_a_family_with_few_questions_gives_all_that_it_has_and_no_more() -> None:
    env = rlenvs.make("rlenvs/Arithmetic-v0", split="test", families=["multiply"], levels=[1])
    found = read(env, 5000)
    texts = {question.task.prompt[-1].content for question in found.found if isinstance(question.task, Task)}
    assert len(texts) == len(found.found) < 300
    assert found.num_repeated >= 1000


@pytest.mark.usefixtures("registry")
def test_ids_that_several_tasks_have_are_told() -> None:
    class Alike(RepeatingEnv):
        def task_at(self, index: int) -> Task:
            return replace(super().task_at(index), id=f"t{index // 2}")

    rlenvs.register("tests/Alike-v0", Alike)
    target = Target(env="tests/Alike-v0", kwargs={"different": 5, "num_tasks": 5})
    assert [tried.shared_ids for tried in evaluate(Oracle(), [target]).tried] == [("t0", "t1")]
    assert [tried.shared_ids for tried in evaluate(Oracle(), [target], num_tasks=1).tried] == [()]
