"""The calls that W&B gets, recorded by a module in its place; the real one is an extra that tests do without."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

from rlenvs.errors import RlenvsError
from rlenvs_plugins import wandb


@pytest.fixture
def calls(monkeypatch):
    recorded = []
    run = SimpleNamespace(
        log=lambda metrics: recorded.append(("log", metrics)),
        define_metric=lambda name, **options: recorded.append(("define", name, options)),
        finish=lambda exit_code: recorded.append(("finish", exit_code)),
    )
    module = ModuleType("wandb")
    module.init = lambda **options: recorded.append(("init", options)) or run
    monkeypatch.setitem(sys.modules, "wandb", module)
    return recorded


def test_a_run_is_opened_logged_and_closed(calls, tmp_path, monkeypatch):
    monkeypatch.setenv("RLENVS_WANDB", "my-project")
    folder = tmp_path / "grpo arithmetic"
    folder.mkdir()
    wandb.on_run_start(folder, {"steps": 2})
    wandb.after_step(1, {"loss": 0.5})
    wandb.on_evaluation(1, "test/Digit-v0 greedy", {"pass@1": 0.25})
    wandb.on_run_end("finished")
    (_, options), *axes, log, evaluation, finish = calls
    assert options["project"] == "my-project"
    assert options["name"] == "grpo arithmetic"
    assert options["resume"] == "allow"
    assert options["config"] == {"steps": 2}
    assert axes == [("define", "step", {}), ("define", "*", {"step_metric": "step"})]
    assert log == ("log", {"step": 1, "loss": 0.5})
    assert evaluation == ("log", {"step": 1, "eval/test/Digit-v0 greedy/pass@1": 0.25})
    assert finish == ("finish", 0)


def test_a_resumed_run_is_the_same_and_a_namesake_elsewhere_another(calls, tmp_path, monkeypatch):
    monkeypatch.setenv("RLENVS_WANDB", "my-project")
    folders = [tmp_path / "monday" / "run", tmp_path / "tuesday" / "run"]
    for folder in folders:
        folder.mkdir(parents=True)
    for folder in (folders[0], folders[0], folders[1]):
        wandb.on_run_start(folder, {})
        wandb.on_run_end("stopped")
    first, resumed, namesake = [call[1]["id"] for call in calls if call[0] == "init"]
    assert first == resumed != namesake
    assert first.isalnum()


def test_a_failed_run_is_closed_as_failed(calls, tmp_path, monkeypatch):
    monkeypatch.setenv("RLENVS_WANDB", "p")
    wandb.on_run_start(tmp_path, {})
    wandb.on_run_end("failed")
    assert calls[-1] == ("finish", 1)


def test_nothing_is_sent_unless_it_was_asked_for(calls, tmp_path, monkeypatch):
    monkeypatch.delenv("RLENVS_WANDB", raising=False)
    wandb.on_run_start(tmp_path, {})
    wandb.after_step(1, {"loss": 0.5})
    wandb.on_run_end("finished")
    assert calls == []


def test_an_absent_package_is_named_with_the_way_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setenv("RLENVS_WANDB", "p")
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(RlenvsError, match=r"pip install 'rlenvs-llm\[wandb\]'"):
        wandb.on_run_start(tmp_path, {})
