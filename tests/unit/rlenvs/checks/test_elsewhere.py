"""Tasks that depend on the process they are made in."""

import dataclasses

import pytest

import rlenvs
from rlenvs import check_env, user
from rlenvs.checks import CheckWarning
from rlenvs.checks.elsewhere import tasks_are_the_same_elsewhere
from rlenvs.errors import CheckError

from .subjects import Good


class Hashed(Good):
    def task_at(self, index):
        task = super().task_at(index)
        return dataclasses.replace(task, prompt=(*task.prompt, user(f"Hint: {hash(str(index)) % 10**6}.")))


class Ordered(Good):
    """The order of a set of texts."""

    def __init__(self, names=("a", "b", "c", "d", "e", "f", "g", "h")):
        super().__init__()
        self.names = "".join(set(names))

    def task_at(self, index):
        task = super().task_at(index)
        return dataclasses.replace(task, prompt=(*task.prompt, user(self.names)))


@pytest.mark.parametrize("cls", [Hashed, Ordered])
def test_tasks_that_depend_on_hashes_are_caught_where_the_environment_is_registered(cls, registry):
    rlenvs.register(f"test/{cls.__name__}-v0", cls)
    with pytest.raises(CheckError, match=r"task_at\(0\) gives another task in another process"):
        check_env(f"test/{cls.__name__}-v0", num_tasks=3)


def test_those_of_a_good_environment_are_the_same_with_the_options_it_was_made_with(registry):
    rlenvs.register("test/Ordered-v0", Ordered)
    notes = []
    assert list(tasks_are_the_same_elsewhere(rlenvs.make("test/Ordered-v0", names=("a",)), notes)) == []
    assert list(tasks_are_the_same_elsewhere(rlenvs.make("rlenvs/Arithmetic-v0", families=["gcd"]), notes)) == []
    assert list(tasks_are_the_same_elsewhere(rlenvs.make("rlenvs/EchoPair-v0", letters=3), notes)) == []
    assert notes == []


def test_one_that_cannot_be_made_in_another_process_is_noted(registry):
    class Local(Good):
        pass

    rlenvs.register("test/Local-v0", Local)
    with pytest.warns(CheckWarning, match="whether its tasks are the same in another process was not checked"):
        check_env("test/Local-v0", num_tasks=3)
