import copy
import json
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlenvs import Task, TaskList, user


def task(id):
    return Task(id=id, prompt=(user("?"),))


def test_a_list_is_a_sequence_of_its_tasks():
    tasks = TaskList(task(id) for id in "abc")
    assert [each.id for each in tasks] == ["a", "b", "c"]
    assert (len(tasks), tasks[-1].id) == (3, "c")
    assert tasks[1:] == TaskList([task("b"), task("c")])
    assert repr(tasks) == "TaskList of 3 tasks"


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


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ({1, 2}, r"task a: target is a set, .* sorted list"),
        ({"x": [1, {2}]}, r"task a: target\['x'\]\[1\] is a set"),
        ({"x": np.int64(3)}, r"task a: target\['x'\] is a numpy.int64.*\.item\(\)"),
        (np.float64(0.5), r"task a: target is a numpy.float64.*\.item\(\)"),
        (np.str_("x"), r"task a: target is a numpy.str_.*\.item\(\)"),
        (np.bool_(True), r"task a: target is a numpy.bool"),
        (np.arange(3), r"task a: target is a numpy.ndarray.*\.tolist\(\)"),
        ([0.0, math.nan], r"task a: target\[1\] is nan, .* finite"),
        (math.inf, r"task a: target is inf"),
        ({1: "x"}, r"task a: target has the key 1, .* text"),
        (b"x", r"task a: target is a bytes"),
        (lambda: 1, r"task a: target is a function"),
    ],
)
def test_a_target_that_is_not_made_of_json_values_is_refused_where_it_is(target, says):
    with pytest.raises(ValueError, match=says):
        Task(id="a", prompt=(user("?"),), target=target)
    with pytest.raises(ValueError, match=says.replace("target", r"metadata\['k'\]")):
        Task(id="a", prompt=(user("?"),), metadata={"k": target})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(target=json_values)
def test_a_task_that_was_written_as_json_and_read_again_has_the_same_fingerprint(target):
    read = json.loads(json.dumps(target))
    assert Task(id="a", prompt=(user("?"),), target=target).fingerprint == (
        Task(id="a", prompt=(user("?"),), target=read).fingerprint
    )


def test_a_tuple_is_as_good_as_a_list_and_any_text_has_a_fingerprint():
    as_tuple, as_list = (Task(id="a", prompt=(user("?"),), target=target) for target in ((1, (2, "x")), [1, [2, "x"]]))
    assert as_tuple.fingerprint == as_list.fingerprint
    assert len(Task(id="a", prompt=(user("half a pair: \ud83d"),)).fingerprint) == 16


def test_r27_a_fingerprint_is_the_same_in_every_process():
    code = (
        "from rlenvs import Task, user; "
        "print(Task(id='a', prompt=(user('?'),), target={'x': ['b', ('c', 1.5)], 'a': None}).fingerprint)"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, check=True, capture_output=True, text=True
        ).stdout
        for seed in "12"
    }
    here = Task(id="a", prompt=(user("?"),), target={"a": None, "x": ["b", ["c", 1.5]]}).fingerprint
    assert printed == {f"{here}\n"}
