import json
from pathlib import Path

import pytest
import torch

from rlenvs_trainers import checkpoint
from rlenvs_trainers.checkpoint import CheckpointError


def save(folder: Path, step: int, value: float = 1.0) -> Path:
    return checkpoint.save(
        folder,
        step,
        tensors={"optimiser.weight": torch.full((3,), value)},
        state={"counts": [step]},
        write_policy=lambda path: (path / "config.json").write_text('{"a": 1}'),  # type: ignore[arg-type,return-value]
    )


def test_a_checkpoint_reads_back_as_it_was_written(tmp_path: Path) -> None:
    path = save(tmp_path, 7, value=2.5)
    tensors, state = checkpoint.load(path)
    assert path.name == "step-000007"
    assert tensors["optimiser.weight"].tolist() == [2.5, 2.5, 2.5]
    assert state == {"step": 7, "counts": [7]}


def test_no_file_is_a_pickle(tmp_path: Path) -> None:
    path = save(tmp_path, 1)
    suffixes = {file.suffix for file in path.rglob("*") if file.is_file()}
    assert suffixes == {".json", ".safetensors"}


@pytest.mark.parametrize("name", ["state.safetensors", "state.json", "policy/config.json", "MANIFEST.json"])
def test_r22_a_truncated_file_makes_resume_fall_back_and_say_so(tmp_path: Path, name: str) -> None:
    older, newer = save(tmp_path, 1), save(tmp_path, 2)
    file = newer / name
    file.write_bytes(file.read_bytes()[:-3])
    found = checkpoint.newest(tmp_path)
    assert found.path == older
    ((skipped, reason),) = found.skipped
    assert skipped == newer
    assert name.split("/")[-1] in reason
    with pytest.raises(CheckpointError, match="cannot be used"):
        checkpoint.load(newer)


@pytest.mark.parametrize("name", ["state.safetensors", "state.json", "policy/config.json", "MANIFEST.json"])
def test_r22_a_deleted_file_makes_resume_fall_back_and_say_so(tmp_path: Path, name: str) -> None:
    older, newer = save(tmp_path, 1), save(tmp_path, 2)
    (newer / name).unlink()
    found = checkpoint.newest(tmp_path)
    assert found.path == older
    assert found.skipped[0][0] == newer
    assert "missing" in found.skipped[0][1]


def test_r22_a_folder_that_was_still_being_written_is_not_a_checkpoint(tmp_path: Path) -> None:
    older = save(tmp_path, 1)
    (tmp_path / ".writing-step-000002" / "policy").mkdir(parents=True)
    assert checkpoint.newest(tmp_path) == checkpoint.Found(path=older, skipped=())
    checkpoint.prune(tmp_path, keep=2, written=older)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step-000001"]


def test_an_empty_folder_has_no_newest_checkpoint(tmp_path: Path) -> None:
    assert checkpoint.newest(tmp_path / "nothing") == checkpoint.Found(path=None, skipped=())


def test_pruning_keeps_the_newest_by_step_not_by_name(tmp_path: Path) -> None:
    *_, last = [save(tmp_path, step) for step in (9, 10, 999_999, 1_000_000)]
    checkpoint.prune(tmp_path, keep=2, written=last)
    assert {path.name for path in tmp_path.iterdir()} == {"step-999999", "step-1000000"}
    assert checkpoint.newest(tmp_path).path == tmp_path / "step-1000000"


def steps_after_pruning(folder: Path, *, damaged: set[int], keep: int, written: int) -> set[int]:
    """Checkpoints of steps 1 to 6 of which some lost a file; which are there after the one of `written` was saved."""
    for step in range(1, 7):
        save(folder, step)
    for step in damaged:
        (folder / f"step-00000{step}" / "state.safetensors").write_bytes(b"")
    checkpoint.prune(folder, keep, written=save(folder, written))
    return {int(path.name[-1]) for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("damaged", "keep", "written", "left"),
    [
        ({4, 5, 6}, 1, 3, {3, 4, 5, 6}),
        ({5, 6}, 1, 4, {4, 5, 6}),
        ({5, 6}, 2, 4, {3, 4, 5, 6}),
        ({4, 5}, 1, 6, {6}),
        ({4, 5}, 2, 6, {3, 4, 5, 6}),
        ({3, 5}, 3, 6, {2, 3, 4, 5, 6}),
        ({1, 2, 3, 4, 5}, 3, 6, {1, 2, 3, 4, 5, 6}),
        ({3}, 2, 6, {5, 6}),
        ({5, 6}, 0, 4, {1, 2, 3, 4, 5, 6}),
    ],
)
def test_r22_a_damaged_checkpoint_never_counts_among_those_that_are_kept(
    tmp_path: Path, damaged: set[int], keep: int, written: int, left: set[int]
) -> None:
    assert steps_after_pruning(tmp_path, damaged=damaged, keep=keep, written=written) == left


def test_saving_a_step_again_replaces_it(tmp_path: Path) -> None:
    save(tmp_path, 3, value=1.0)
    tensors, _ = checkpoint.load(save(tmp_path, 3, value=4.0))
    assert tensors["optimiser.weight"].tolist() == [4.0, 4.0, 4.0]


def test_a_checkpoint_of_another_format_is_refused_by_its_number(tmp_path: Path) -> None:
    path = save(tmp_path, 1)
    manifest = json.loads((path / "MANIFEST.json").read_text())
    (path / "MANIFEST.json").write_text(json.dumps({**manifest, "format": 99}))
    assert "format 99" in (checkpoint.defect(path) or "")


def test_differences_between_two_descriptions_are_named_by_their_paths():
    before = {"use": "algorithm", "surrogate": {"use": "clip", "high": 0.28}, "select": [{"share": 0.5}], "gone": 1}
    now = {"use": "algorithm", "surrogate": {"use": "soft"}, "select": [{"share": 0.25}], "gone": 1}
    assert list(checkpoint.differences(before, now)) == [
        "surrogate.use was 'clip' and is 'soft'",
        "surrogate.high was 0.28 and is None",
        "select.0.share was 0.5 and is 0.25",
    ]
    assert list(checkpoint.differences({"select": []}, {"select": [1]})) == ["select was [] and is [1]"]
    assert list(checkpoint.differences(now, now)) == []
