import pytest

from rlenvs.envs.reasoning_gym import plugin
from rlenvs.envs.reasoning_gym.generators import GENERATORS
from rlenvs.plugins import load
from rlenvs.registration import registered


def test_each_generator_has_an_id_and_a_line_of_its_own():
    load()
    lines = {each.id: each.description for each in registered() if each.id.startswith("reasoning_gym/")}
    assert lines == {f"reasoning_gym/{name}-v0": line for name, line in GENERATORS.items()}
    assert len(set(lines.values())) == len(lines) == 103


def test_the_suite_has_ten_held_out_tasks_of_each_generator():
    suite = load().suites["reasoning-gym"]
    assert [target.name for target in suite.targets] == list(GENERATORS)
    assert {(target.num_tasks, target.kwargs["split"]) for target in suite.targets} == {(10, "test")}
    assert all(target.published is not None for target in suite.targets)


def test_without_the_library_nothing_is_registered_and_nothing_is_broken(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(plugin, "find_spec", lambda name: None)
    plugins = load()
    assert not [name for name in plugins.environments if name.startswith("reasoning_gym/")]
    assert "reasoning-gym" not in plugins.suites
    assert not plugins.broken
    assert "reasoning_gym" in {each.name for each in plugins.loaded}
