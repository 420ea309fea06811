import json
import subprocess
import sys

import gymnasium
import pytest

import rlenvs
from rlenvs import RewardFunction, Rubric, Task, TextEnv, user
from rlenvs.errors import RegistrationError, RlenvsError, UnknownEnvironmentError
from rlenvs.registration import registered
from rlenvs.seats import SeatView


class Counting(TextEnv):
    """Counts to a number.

    More about it.
    """

    rubric = Rubric((RewardFunction("accuracy", lambda task, transcript: 1.0),))

    def __init__(self, upto: int = 3, render_mode: str | None = None):
        super().__init__(render_mode=render_mode)
        self.upto = upto

    def task_at(self, index):
        return Task(id=f"count/{index}", prompt=(user(f"Count to {self.upto}."),))


class Other(Counting):
    pass


@pytest.fixture
def registry():
    """Gymnasium's registry and ours, as they were afterwards."""
    gymnasiums, ours = dict(gymnasium.registry), dict(rlenvs.registration._registered)
    yield gymnasium.registry
    for mine, before in ((gymnasium.registry, gymnasiums), (rlenvs.registration._registered, ours)):
        mine.clear()
        mine.update(before)


def run_python(code):
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_importing_rlenvs_registers_our_environments_and_imports_none_of_them():
    code = """
import json, sys
import rlenvs, gymnasium
from rlenvs.registration import registered
heavy = ["torch", "transformers", "sympy", "pettingzoo", "typer", "rlenvs.multi", "rlenvs.checks.conduct"]
descriptions = {each.id: each.description for each in registered()}
print(json.dumps([
    [id for id in gymnasium.registry if id.startswith("rlenvs/")], descriptions,
    [name for name in sys.modules if name in heavy or name.startswith("rlenvs.envs.")],
]))
"""
    ids, descriptions, imported = json.loads(run_python(code))
    assert ids == ["rlenvs/Arithmetic-v0", "rlenvs/Math-v0", "rlenvs/EchoPair-v0"]
    assert descriptions["rlenvs/EchoPair-v0"].startswith("Two seats take turns")
    assert all(descriptions.values()), "every environment says what it is"
    assert imported == ["rlenvs.envs.plugin"]


def test_gymnasium_makes_ours_by_module_and_id():
    code = "import gymnasium; env = gymnasium.make('rlenvs:rlenvs/EchoPair-v0', rounds=3); print(env.reset(seed=0)[0])"
    assert run_python(code).startswith("Two players, 3 rounds.")


def test_make_gives_the_environment_without_wrappers_and_with_its_options(registry):
    rlenvs.register("test/Counting-v0", Counting, kwargs={"upto": 5})
    env = rlenvs.make("test/Counting-v0")
    assert type(env) is Counting
    assert (env.upto, env.spec.id) == (5, "test/Counting-v0")
    assert rlenvs.make("test/Counting-v0", upto=7).upto == 7
    assert isinstance(rlenvs.make("rlenvs:rlenvs/EchoPair-v0", seat="echoer"), SeatView)


def test_an_unknown_id_is_an_error_with_the_near_miss():
    with pytest.raises(
        UnknownEnvironmentError, match=r"no environment 'rlenvs/EchoPear-v0'. Did you mean 'rlenvs/EchoPair-v0'"
    ):
        rlenvs.make("rlenvs/EchoPear-v0")
    with pytest.raises(RlenvsError):
        rlenvs.make("nothing")


def test_an_unknown_option_is_an_error_with_the_near_miss():
    with pytest.raises(
        UnknownEnvironmentError, match=r"no option of rlenvs/EchoPair-v0 'round'. Did you mean 'rounds'"
    ):
        rlenvs.make("rlenvs/EchoPair-v0", round=3)


def test_an_environment_that_is_no_text_environment_is_refused():
    with pytest.raises(UnknownEnvironmentError, match=r"CartPole-v1 is CartPoleEnv, not a text environment"):
        rlenvs.make("CartPole-v1")


def test_an_entry_point_that_cannot_be_imported_is_a_sentence(registry):
    rlenvs.register("test/Gone-v0", "rlenvs.envs.gone:GoneEnv")
    with pytest.raises(RegistrationError, match=r"test/Gone-v0 cannot be made.*rlenvs.envs.gone"):
        rlenvs.make("test/Gone-v0")
    assert {each.id: each.description for each in registered()}["test/Gone-v0"] == ""


@pytest.mark.filterwarnings("error")
def test_registering_twice_alike_changes_nothing(registry):
    for _ in range(2):
        rlenvs.register("test/Counting-v0", Counting)
        rlenvs.register("test/Pair-v0", "rlenvs.envs.echo_pair:echo_pair")
    assert rlenvs.registered_ids().count("test/Counting-v0") == 1


def test_an_id_that_is_taken_is_an_error_naming_both(registry):
    rlenvs.register("test/Counting-v0", Counting)
    with pytest.raises(
        RegistrationError, match=r"'test/Counting-v0' is taken: .*:Counting has it, and .*:Other wants it"
    ):
        rlenvs.register("test/Counting-v0", Other)
    assert type(rlenvs.make("test/Counting-v0")) is Counting
    gymnasium.register("test/Foreign-v0", "their.module:Env")
    with pytest.raises(RegistrationError, match=r"their.module:Env has it"):
        rlenvs.register("test/Foreign-v0", Counting)


@pytest.mark.parametrize("id", ["Counting", "Counting-v0", "test/Counting", "test/Coun ting-v0", ""])
def test_an_id_without_namespace_or_version_is_refused(registry, id):
    with pytest.raises(RegistrationError, match=r"namespace/Name-vN"):
        rlenvs.register(id, Counting)


def test_an_entry_point_without_a_name_is_refused(registry):
    with pytest.raises(RegistrationError, match=r"'package.module:name', got 'my_module'"):
        rlenvs.register("test/Mine-v0", "my_module")


def test_listings_show_the_docstrings_first_line(registry, tmp_path, monkeypatch):
    package = tmp_path / "their_package"
    package.mkdir()
    (package / "__init__.py").write_text("from their_package.deep import Deep as Env\nraise RuntimeError\n")
    (package / "deep.py").write_text('raise RuntimeError\nclass Deep:\n    """Goes down.\n\n    And up."""\n')
    monkeypatch.syspath_prepend(tmp_path)
    rlenvs.register("test/Counting-v0", Counting)
    rlenvs.register("test/Deep-v0", "their_package.deep:Deep")
    rlenvs.register("test/Env-v0", "their_package:Env")
    descriptions = {each.id: each.description for each in registered()}
    assert descriptions["test/Counting-v0"] == "Counts to a number."
    assert descriptions["test/Deep-v0"] == descriptions["test/Env-v0"] == "Goes down."
    assert "their_package" not in sys.modules
