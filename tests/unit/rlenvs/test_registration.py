import json
import subprocess
import sys

import gymnasium
import pytest

import rlenvs
from rlenvs import RewardFunction, Rubric, Task, TextEnv, user
from rlenvs.errors import MakingError, RegistrationError, RlenvsError, UnknownEnvironmentError
from rlenvs.registration import creator_of, registered
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


PLUGGED_IN = """
import gymnasium, rlenvs
try:
    gymnasium.make("rlenvs:reasoning_gym/leg_counting-v0")
except gymnasium.error.NamespaceNotFound:
    print("unknown to gymnasium")
print(rlenvs.make("reasoning_gym/leg_counting-v0", size=3).num_tasks)
print(gymnasium.make("rlenvs:reasoning_gym/leg_counting-v0", size=4).unwrapped.num_tasks)
"""


def test_an_environment_of_a_plug_in_is_made_without_loading_plug_ins_first():
    done = subprocess.run([sys.executable, "-c", PLUGGED_IN], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n") == ["unknown to gymnasium", "3", "4", ""]


def test_plug_ins_are_loaded_once_for_ids_that_nobody_knows(monkeypatch):
    loaded = []
    monkeypatch.setattr("rlenvs.plugins.load", lambda: loaded.append(1))
    rlenvs.registration._load_plugins.cache_clear()
    for _ in range(2):
        with pytest.raises(UnknownEnvironmentError, match="no environment 'nobodys/Env-v0'"):
            rlenvs.make("nobodys/Env-v0")
    assert loaded == [1]


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
from rlenvs.registration import creator_of, registered
heavy = ["torch", "transformers", "sympy", "pettingzoo", "typer", "rlenvs.multi", "rlenvs.checks.conduct"]
descriptions = {each.id: each.description for each in registered()}
print(json.dumps([
    [id for id in gymnasium.registry if id.startswith("rlenvs/")], descriptions,
    [name for name in sys.modules if name in heavy or name.startswith("rlenvs.envs.")],
]))
"""
    ids, descriptions, imported = json.loads(run_python(code))
    names = ("Arithmetic", "Math", "Code", "CodeGen", "PythonTool", "EchoPair")
    assert ids == [f"rlenvs/{name}-v0" for name in names]
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
    assert creator_of("rlenvs:rlenvs/EchoPair-v0") is creator_of("rlenvs/EchoPair-v0")


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
    with pytest.raises(
        RegistrationError, match=r"test/Gone-v0: its entry point 'rlenvs.envs.gone:GoneEnv' cannot be imported: Mod"
    ):
        rlenvs.make("test/Gone-v0")
    assert {each.id: each.description for each in registered()}["test/Gone-v0"] == ""


class Breaking(Counting):
    """Its constructor raises what it is told."""

    def __init__(self, error, num_tasks=3, render_mode=None):
        super().__init__(render_mode=render_mode)
        self.num_tasks = num_tasks
        if error is not None:
            raise error


@pytest.mark.parametrize("error", [KeyError("boom"), RuntimeError("boom"), SystemExit("boom"), EOFError("boom")])
def test_what_a_constructor_raises_is_a_sentence_with_the_id_the_options_the_error_and_where(registry, error):
    rlenvs.register("test/Breaking-v0", Breaking, kwargs={"error": error})
    with pytest.raises(MakingError, match=r"^test/Breaking-v0 \(num_tasks=2\) cannot be made: ") as broken:
        rlenvs.make("test/Breaking-v0", num_tasks=2)
    assert f"{type(error).__name__}: " in str(broken.value)
    assert "boom" in str(broken.value)
    assert "in __init__\n    raise error" in str(broken.value)


def test_an_option_that_a_constructor_refuses_is_its_own_sentence_with_the_id_and_the_options(registry):
    rlenvs.register("test/Breaking-v0", Breaking, kwargs={"error": ValueError("two is too few")})
    with pytest.raises(MakingError, match=r"^test/Breaking-v0 \(num_tasks=2\): two is too few$"):
        rlenvs.make("test/Breaking-v0", num_tasks=2)
    with pytest.raises(MakingError, match=r"^rlenvs/EchoPair-v0 \(rounds='a'\): rounds: expected a whole number"):
        rlenvs.make("rlenvs/EchoPair-v0", rounds="a")


def test_an_option_without_a_default_is_asked_for(registry):
    rlenvs.register("test/Breaking-v0", Breaking)
    with pytest.raises(UnknownEnvironmentError, match=r"^test/Breaking-v0 needs its option 'error', which has no"):
        rlenvs.make("test/Breaking-v0", num_tasks=2)
    assert rlenvs.make("test/Breaking-v0", error=None).num_tasks == 3


@pytest.mark.parametrize("num_tasks", [0, -1, 2.5, "7"])
def test_an_environment_without_tasks_is_refused_and_never_taken_for_one_without_end(registry, num_tasks):
    rlenvs.register("test/Breaking-v0", Breaking, kwargs={"error": None})
    with pytest.raises(MakingError, match=rf"num_tasks is how many tasks .* got {num_tasks!r}$"):
        rlenvs.make("test/Breaking-v0", num_tasks=num_tasks)


@pytest.mark.parametrize(
    "text", ["raise RuntimeError('no licence')", "raise SystemExit(0)", "def broken(:", "import no"]
)
def test_a_module_that_cannot_be_imported_is_a_sentence(registry, tmp_path, monkeypatch, text):
    (tmp_path / "their_module.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    rlenvs.register("test/Theirs-v0", "their_module:Env")
    for id in ("test/Theirs-v0", "their_module:test/Theirs-v0", "no_such:rlenvs/Math-v0"):
        with pytest.raises(RegistrationError, match=rf"^{id}: .*cannot be imported: \w+Error: "):
            rlenvs.make(id)


def test_an_entry_point_that_cannot_be_called_is_a_sentence(registry):
    rlenvs.register("test/Theirs-v0", "rlenvs.errors:__doc__")
    with pytest.raises(
        RegistrationError, match=r"^test/Theirs-v0: its entry point is called to make it, and cannot be"
    ):
        rlenvs.make("test/Theirs-v0")


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


def test_listings_show_what_an_environment_was_registered_with(registry):
    rlenvs.register("test/Two-v0", Counting, kwargs={"upto": 2}, description="Counts to two.")
    rlenvs.register("test/Three-v0", Counting)
    descriptions = {each.id: each.description for each in registered()}
    assert (descriptions["test/Two-v0"], descriptions["test/Three-v0"]) == ("Counts to two.", "Counts to a number.")
