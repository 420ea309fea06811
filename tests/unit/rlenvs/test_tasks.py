import copy

import pytest

from rlenvs import Task, TaskList, user


def task(id):
    return Task(id=id, prompt=(user("?"),))


def test_a_list_is_a_sequence_of_its_tasks():
    tasks = TaskList(task(id) for id in "abc")
    assert [each.id for each in tasks] == ["a", "b", "c"]
    assert (len(tasks), tasks[-1].id, tasks.by_id("b").id) == (3, "c", "b")
    assert tasks[1:] == TaskList([task("b"), task("c")])
    assert repr(tasks) == "TaskList of 3 tasks"
    with pytest.raises(KeyError):
        tasks.by_id("d")


def test_copies_of_a_list_are_the_list():
    tasks = TaskList([task("a")])
    assert copy.deepcopy({"tasks": tasks})["tasks"] is tasks
    assert copy.copy(tasks) is tasks


def test_two_tasks_of_one_id_are_refused_with_their_positions():
    with pytest.raises(ValueError, match=r"'b' \(positions 1 and 3\)"):
        TaskList(task(id) for id in "abcb")


def test_a_list_cannot_be_changed():
    tasks = TaskList([task("a")])
    with pytest.raises(TypeError):
        tasks[0] = task("b")
    with pytest.raises(AttributeError):
        tasks.extra = 1


def test_r27_a_fingerprint_follows_from_id_prompt_and_target_alone():
    first = Task(id="a", prompt=(user("1+1"),), target={"x": 1, "y": [2]}, metadata={"level": 1})
    same = Task(id="a", prompt=(user("1+1"),), target={"y": [2], "x": 1}, metadata={"level": 2})
    assert first.fingerprint == same.fingerprint == "134efdcfdc4329b0"
    for other in (
        Task(id="b", prompt=(user("1+1"),), target={"x": 1, "y": [2]}),
        Task(id="a", prompt=(user("1+2"),), target={"x": 1, "y": [2]}),
        Task(id="a", prompt=(user("1+1"),), target={"x": 1, "y": [3]}),
    ):
        assert other.fingerprint != first.fingerprint
