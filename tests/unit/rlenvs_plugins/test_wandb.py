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
        log=lambda metrics, step: recorded.append(("log", metrics, step)),
        finish=lambda exit_code: recorded.append(("finish", exit_code)),
    )
    module = ModuleType("wandb")
    module.init = lambda **options: recorded.append(("init", options)) or run
    monkeypatch.setitem(sys.modules, "wandb", module)
    return recorded


def test_a_run_is_opened_logged_and_closed(calls, tmp_path, monkeypatch):
    monkeypatch.setenv("RLENVS_WANDB", "my-project")
    folder = tmp_path / "grpo arithmetic"
    wandb.on_run_start(folder, {"steps": 2})
    wandb.after_step(1, {"loss": 0.5})
    wandb.on_run_end("finished")
    (_, options), log, finish = calls
    assert options["project"] == "my-project"
    assert options["id"] == "grpo-arithmetic"
    assert options["resume"] == "allow"
    assert options["config"] == {"steps": 2}
    assert log == ("log", {"loss": 0.5}, 1)
    assert finish == ("finish", 0)


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
