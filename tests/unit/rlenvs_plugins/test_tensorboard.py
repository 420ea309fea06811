import sys
import time

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from rlenvs.errors import RlenvsError
from rlenvs_plugins import tensorboard


def _scalars(folder, name):
    events = EventAccumulator(str(folder)).Reload()
    return [(event.step, round(event.value, 6)) for event in events.Scalars(name)]


def _run(run_dir, steps):
    tensorboard.on_run_start(run_dir, step=steps[0] - 1)
    for step in steps:
        tensorboard.after_step(step, {"reward/mean": step / 10, "loss": 0.0})
    tensorboard.on_run_end()


def test_metrics_of_every_step_can_be_read_back(tmp_path, monkeypatch):
    monkeypatch.setenv("RLENVS_TENSORBOARD", "1")
    _run(tmp_path, [1, 2, 3])
    assert _scalars(tmp_path / "tensorboard", "reward/mean") == [(1, 0.1), (2, 0.2), (3, 0.3)]


def test_held_out_results_have_curves_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setenv("RLENVS_TENSORBOARD", "1")
    tensorboard.on_run_start(tmp_path, step=0)
    tensorboard.on_evaluation(0, "test/Digit-v0 greedy", {"pass@1": 0.25})
    tensorboard.after_step(1, {"loss": 0.0})
    tensorboard.on_evaluation(1, "test/Digit-v0 greedy", {"pass@1": 0.5})
    tensorboard.on_run_end()
    assert _scalars(tmp_path / "tensorboard", "eval/test/Digit-v0 greedy/pass@1") == [(0, 0.25), (1, 0.5)]


def test_a_resumed_run_has_no_step_twice(tmp_path, monkeypatch):
    monkeypatch.setenv("RLENVS_TENSORBOARD", "1")
    _run(tmp_path, [1, 2, 3])
    _run(tmp_path, [2, 3])
    assert [step for step, _ in _scalars(tmp_path / "tensorboard", "loss")] == [1, 2, 3]


def test_a_resumed_run_that_begins_with_an_evaluation_keeps_the_metrics_of_its_last_step(tmp_path, monkeypatch):
    monkeypatch.setenv("RLENVS_TENSORBOARD", "1")
    _run(tmp_path, [1, 2, 3])
    tensorboard.on_run_start(tmp_path, step=2)
    tensorboard.on_evaluation(2, "test/Digit-v0 greedy", {"pass@1": 0.5})
    for step in (3, 4):
        tensorboard.after_step(step, {"loss": 1.0})
    tensorboard.on_run_end()
    assert _scalars(tmp_path / "tensorboard", "loss") == [(1, 0.0), (2, 0.0), (3, 1.0), (4, 1.0)]
    assert _scalars(tmp_path / "tensorboard", "eval/test/Digit-v0 greedy/pass@1") == [(2, 0.5)]


def test_a_run_that_is_resumed_in_the_second_it_began_in_is_read_in_the_right_order(tmp_path, monkeypatch):
    monkeypatch.setenv("RLENVS_TENSORBOARD", "1")
    _run(tmp_path, [1, 2, 3])
    (file,) = (tmp_path / "tensorboard").iterdir()
    file.rename(file.with_name(f"events.out.tfevents.{int(time.time())}.zzz.999999999.0"))  # by name the later one
    _run(tmp_path, [3, 4])
    assert [step for step, _ in _scalars(tmp_path / "tensorboard", "loss")] == [1, 2, 3, 4]


def test_steps_that_a_resumed_run_does_not_make_again_are_gone_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setenv("RLENVS_TENSORBOARD", "1")
    _run(tmp_path, [1, 2, 3])
    tensorboard.on_run_start(tmp_path, step=2)
    tensorboard.on_run_end()
    assert [step for step, _ in _scalars(tmp_path / "tensorboard", "loss")] == [1, 2]


@pytest.mark.parametrize("value", [None, "", "0"])
def test_nothing_is_written_unless_it_was_asked_for(value, tmp_path, monkeypatch):
    monkeypatch.delenv("RLENVS_TENSORBOARD", raising=False)
    if value is not None:
        monkeypatch.setenv("RLENVS_TENSORBOARD", value)
    _run(tmp_path, [1])
    assert list(tmp_path.iterdir()) == []


def test_an_absent_package_is_named_with_the_way_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setenv("RLENVS_TENSORBOARD", "1")
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(RlenvsError, match=r"pip install 'rlenvs-llm\[tensorboard\]'"):
        tensorboard.on_run_start(tmp_path, step=0)
