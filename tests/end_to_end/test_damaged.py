"""Checkpoints that something damaged: the newest whole one is used, and what was passed over is said and recorded."""

import shutil
from pathlib import Path

import pytest

CHECKPOINTS = Path("runs/cut/checkpoints")


def truncate(folder):
    path = folder / "policy" / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    return "policy/model.safetensors has changed since it was written (checksum differs)"


def flip_a_bit(folder):
    path = folder / "state.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    return "state.safetensors has changed since it was written (checksum differs)"


def delete_a_file(folder):
    (folder / "state.json").unlink()
    return "state.json is missing"


def delete_the_list(folder):
    (folder / "MANIFEST.json").unlink()
    return "MANIFEST.json is missing"


def empty_the_list(folder):
    (folder / "MANIFEST.json").write_text("")
    return "MANIFEST.json"


DAMAGES = [truncate, flip_a_bit, delete_a_file, delete_the_list, empty_the_list]


@pytest.fixture
def whole(rlenvs, run_of):
    assert rlenvs("train", "tiny.toml", "--name", "whole", "--set", "keep_checkpoints=0").code == 0
    shutil.copytree("runs/whole", "runs/cut")
    return run_of("whole")


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_r22_what_is_damaged_is_passed_over_said_and_recorded(rlenvs, run_of, whole, damage):
    reason = damage(CHECKPOINTS / "step-000006")
    done = rlenvs("train", "--resume", "runs/cut")
    assert done.code == 0
    assert f"rlenvs: checkpoint {CHECKPOINTS / 'step-000006'} was skipped: " in done.err
    assert reason in done.err
    assert "The run goes on after step 4." in done.err
    cut = run_of("cut")
    skipped = [(step, facts["path"]) for step, kind, facts in cut.events if kind == "checkpoint_skipped"]
    assert skipped == [(4, str(CHECKPOINTS / "step-000006"))]
    assert cut.metrics == whole.metrics
    assert cut.files(6) == whole.files(6)


SAVED = """
    from rlenvs.hooks import hookimpl

    @hookimpl
    def on_checkpoint(step, path):
        print("saved", step, path.is_dir())
"""


@pytest.mark.parametrize("keep", [1, 2, 3])
def test_r22_what_is_saved_stays_while_a_damaged_one_has_a_higher_step(rlenvs, start, run_of, whole, plugin, keep):
    """Steps 4 and 6 are damaged: the run goes on after step 2, saves, and is killed before it comes to step 6."""
    for step in (4, 6):
        truncate(CHECKPOINTS / f"step-00000{step}")
    saved, sabotage = plugin("saved", SAVED), Path(__file__).with_name("sabotage.py")
    more = ["--set", f"keep_checkpoints={keep}", "--set", "checkpoint_every=1", "--plugin", saved]
    done = start("train", "--resume", "runs/cut", *more, "--plugin", sabotage, SABOTAGE="recorded:3:SIGKILL").wait()
    assert done.code == 137
    assert [line for line in done.out.splitlines() if line.startswith("saved")] == ["saved 3 True", "saved 4 True"]
    assert run_of("cut").checkpoints == [f"step-00000{step}" for step in (2, 3, 4, 6) if step > 4 - keep]
    world = Path(__file__).with_name("world.py")
    again = rlenvs("train", "--resume", "runs/cut", "--set", f'plugins=["{world}"]')
    assert "The run goes on after step 4." in again.err
    assert run_of("cut").files(6) == whole.files(6)


def test_r22_where_all_but_the_oldest_are_damaged_the_oldest_is_used(rlenvs, run_of, whole):
    for step in (4, 6):
        truncate(CHECKPOINTS / f"step-00000{step}")
    done = rlenvs("train", "--resume", "runs/cut")
    assert done.err.count("was skipped") == 2
    assert "The run goes on after step 2." in done.err
    assert run_of("cut").files(6) == whole.files(6)


def test_r22_where_none_is_whole_it_begins_anew_and_says_so(rlenvs, run_of, whole):
    for folder in CHECKPOINTS.glob("step-*"):
        truncate(folder)
    done = rlenvs("train", "--resume", "runs/cut")
    assert done.code == 0
    assert done.err.count("was skipped") == 3
    assert "The run goes on after step 0." in done.err
    assert run_of("cut").rollouts == whole.rollouts
    assert run_of("cut").files(6) == whole.files(6)


@pytest.mark.parametrize("damage", [truncate, flip_a_bit])
def test_r22_a_damaged_checkpoint_is_no_policy_and_a_run_gives_the_one_before(rlenvs, whole, damage):
    reason = damage(CHECKPOINTS / "step-000006")
    done = rlenvs("train", "tiny.toml", "--policy", CHECKPOINTS / "step-000006", "--name", "next")
    assert (done.code, done.err) == (2, f"rlenvs: checkpoint {CHECKPOINTS / 'step-000006'} cannot be used: {reason}\n")
    assert rlenvs("train", "tiny.toml", "--policy", "runs/cut", "--name", "next", "--steps", 1).code == 0


def test_a_damaged_model_is_a_sentence(rlenvs, whole):
    truncate(CHECKPOINTS / "step-000006")
    done = rlenvs("train", "tiny.toml", "--policy", CHECKPOINTS / "step-000006" / "policy", "--name", "next")
    assert done.code == 2
    assert "cannot be read: Error while deserializing header" in done.err
    assert "Traceback" not in done.err
