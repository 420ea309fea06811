"""Plug-ins of local files: what they register, and which files are refused or skipped, with a reason."""

import sys
from pathlib import Path
from textwrap import dedent

import pytest

import rlenvs
from rlenvs.errors import RlenvsError
from rlenvs.plugins import load

from .giving import GOOD, why

ENVIRONMENT = '''
"""A local file."""
import rlenvs
from rlenvs.hooks import hookimpl


class {cls}(rlenvs.TextEnv):
    """Say yes."""

    rubric = rlenvs.Rubric([rlenvs.RewardFunction("yes", lambda task, transcript: transcript[-1].content == "yes")])

    def __init__(self, word="yes", render_mode=None):
        super().__init__(render_mode=render_mode)
        self.word = word

    def task_at(self, index):
        return rlenvs.Task(id=f"yes/{{index}}", prompt=(rlenvs.user("Say yes."),))


@hookimpl
def register_environments(register):
    register("{id}", {entry_point}, kwargs={{"word": "aye"}})
'''


@pytest.mark.parametrize("entry_point", ['"{stem}:Yes"', "Yes"])
def test_a_local_file_registers_an_environment_by_string_or_class(tmp_path, entry_point, registry):
    stem = f"local_env_{'string' if ':' in entry_point else 'class'}"
    id = f"local/{stem.replace('_', '')}-v0"
    path = tmp_path / f"{stem}.py"
    path.write_text(ENVIRONMENT.format(cls="Yes", id=id, entry_point=entry_point.format(stem=stem)))
    plugins = load([path])
    assert plugins.files == (path,)
    env = rlenvs.make(id)
    assert env.word == "aye"
    env.reset(seed=0)
    assert env.step("yes")[1] == 1.0
    assert plugins.environments.origin(id).distribution == str(path)


def test_two_local_files_of_the_same_name_each_give_their_own(tmp_path):
    for folder, value in (("a", 1), ("b", 2)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same_name_file.py").write_text(dedent(GOOD.format(name="apo", value=value)))
    first = load([tmp_path / "a" / "same_name_file.py"])
    second = load([tmp_path / "b" / "same_name_file.py"])
    assert (first.algorithms["apo"].value, second.algorithms["apo"].value) == (1, 2)


def test_a_local_file_may_not_hide_a_module(tmp_path):
    (tmp_path / "json.py").write_text(dedent(GOOD.format(name="apo", value=1)))
    plugins = load([tmp_path / "json.py"])
    assert "rename the file" in why(plugins, "json")
    assert hasattr(sys.modules["json"], "loads")


def test_a_local_file_with_a_dot_in_its_name_is_told_another_one(tmp_path):
    (tmp_path / "my-plug.in.py").write_text(dedent(GOOD.format(name="apo", value=1)))
    plugins = load([tmp_path / "my-plug.in.py"])
    assert why(plugins, "my-plug.in").endswith(
        "my-plug.in.py has a dot in its name, which no module can have: rename it, my-plug_in.py say"
    )
    (tmp_path / "my-plug_in.py").write_text(dedent(GOOD.format(name="apo", value=1)))
    assert load([tmp_path / "my-plug_in.py"]).algorithms["apo"].value == 1


def test_a_local_file_that_is_no_python_file_is_told_so(tmp_path):
    (tmp_path / "answers.jsonl").write_text("{}")
    assert "answers.jsonl is no Python file: its name has to end in .py" in why(
        load([tmp_path / "answers.jsonl"]), "answers"
    )


def test_an_environment_that_is_refused_is_broken_and_is_not_given(tmp_path, registry):
    ids = ["bad id", "CartPole-v1", "my/Given-v0", "my/Number-v0"]
    points = ["x:y", "x:y", "x:y", 5]
    lines = [f"    register({id!r}, {point!r})" for id, point in zip(ids, points, strict=True)]
    path = tmp_path / "refused_environments.py"
    path.write_text(
        "\n".join(["from rlenvs.hooks import hookimpl", "@hookimpl", "def register_environments(register):", *lines])
    )
    plugins = load([path])
    assert [id for id in plugins.environments if plugins.environments.origin(id).distribution == str(path)] == [
        "my/Given-v0"
    ]
    assert "namespace/Name-vN" in why(plugins, "bad id")
    assert "namespace/Name-vN, for example my/Env-v0: got 'CartPole-v1'" in why(plugins, "CartPole-v1")
    assert why(plugins, "my/Number-v0").endswith("an entry point is 'package.module:name', a class or a function: 5")
    with pytest.raises(RlenvsError, match=r"no environment 'my/Number-v0'\. Did you mean"):
        plugins.environments["my/Number-v0"]


def test_a_local_file_that_raises_leaves_no_half_module_behind(tmp_path):
    (tmp_path / "raises_on_import.py").write_text("x = 1\nraise KeyError('gone')\n")
    assert why(load([tmp_path / "raises_on_import.py"]), "raises_on_import") == "KeyError: 'gone'"
    assert "raises_on_import" not in sys.modules


def test_a_local_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(RlenvsError, match=r"no plug-in file .*gone\.py"):
        load([tmp_path / "gone.py"])


def test_a_path_given_as_text_is_a_file_too(tmp_path: Path):
    path = tmp_path / "as_text_file.py"
    path.write_text(dedent(GOOD.format(name="apo", value=1)))
    assert "apo" in load([str(path)]).algorithms
