"""Checkpoints that a kill at any instant cannot spoil: written beside, fsynced, marked complete, renamed.

A checkpoint is a folder `step-000100/` with `policy/` (Hugging Face's layout, readable by everything), tensors in
safetensors and the rest in JSON, never pickle. `MANIFEST.json`, written last, lists every file with its SHA-256.
What goes into one is decided in `run.py`.
"""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rlenvs.errors import RlenvsError

if TYPE_CHECKING:
    from torch import Tensor

MANIFEST = "MANIFEST.json"
FORMAT = 1
_FOLDER = re.compile(r"step-(\d{6,})$")


class CheckpointError(RlenvsError):
    """A checkpoint that cannot be used, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The newest complete checkpoint, and the newer ones that were passed over."""

    path: Path | None
    skipped: tuple[tuple[Path, str], ...]  # (folder, reason)


def folder_name(step: int) -> str:
    """`step-000100`: sorts by name as by step."""
    return f"step-{step:06d}"


def save(
    folder: Path,
    step: int,
    *,
    tensors: Mapping[str, "Tensor"],
    state: Mapping[str, Any],
    write_policy: Callable[[Path], None],
) -> Path:
    """Write one checkpoint. Until the last rename the folder has a temporary name that nobody reads.

    Args:
        folder: the run's `checkpoints/`.
        tensors: optimiser and generator tensors, flat by name.
        state: everything else, JSON values.
        write_policy: fills `policy/` with the model and its tokenizer.

    Returns:
        The finished folder.
    """
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    final = folder / folder_name(step)
    temporary = folder / f".writing-{folder_name(step)}"
    shutil.rmtree(temporary, ignore_errors=True)
    (temporary / "policy").mkdir(parents=True)
    write_policy(temporary / "policy")
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, temporary / "state.safetensors")
    (temporary / "state.json").write_text(json.dumps({"step": step, **state}, indent=1))
    _write_manifest(temporary, step)
    if final.exists():  # an incomplete or outdated one of the same step
        shutil.rmtree(final)
    temporary.rename(final)
    _fsync(folder)
    return final


def load(path: Path) -> tuple[dict[str, "Tensor"], dict[str, Any]]:
    """The tensors and the state of a complete checkpoint.

    Raises:
        CheckpointError: it is incomplete or damaged.
    """
    from safetensors.torch import load_file

    reason = defect(path)
    if reason is not None:
        raise CheckpointError(f"checkpoint {path} cannot be used: {reason}")
    state: dict[str, Any] = json.loads((path / "state.json").read_text())
    return load_file(path / "state.safetensors"), state


def newest(folder: Path) -> Found:
    """The newest complete checkpoint in a run's `checkpoints/`, checked file by file."""
    skipped: list[tuple[Path, str]] = []
    for path in sorted(_checkpoints(folder), key=_step, reverse=True):
        reason = defect(path)
        if reason is None:
            return Found(path=path, skipped=tuple(skipped))
        skipped.append((path, reason))
    return Found(path=None, skipped=tuple(skipped))


def defect(path: Path) -> str | None:
    """Why a checkpoint cannot be used, or None if every file is as it was written."""
    manifest_path = path / MANIFEST
    if not manifest_path.is_file():
        return f"{MANIFEST} is missing: it was not finished"
    try:
        manifest = json.loads(manifest_path.read_text())
        files: dict[str, str] = manifest["files"]
        written_as: int = manifest["format"]
    except (ValueError, KeyError, TypeError):
        return f"{MANIFEST} is damaged"
    if written_as != FORMAT:
        return f"it is of format {written_as}; this version reads format {FORMAT}"
    for name, checksum in files.items():
        if not (path / name).is_file():
            return f"{name} is missing"
        if _sha256(path / name) != checksum:
            return f"{name} has changed since it was written (checksum differs)"
    return None


def prune(folder: Path, keep: int, *, written: Path) -> None:
    """Delete what is older than the `keep` newest complete checkpoints (0: nothing), and what a broken-off save left.

    Only complete ones count, so a damaged one, which is read again for that, never takes the place of one that can be
    resumed from. What has a higher step than `written` is left to the save that will replace it.

    Args:
        written: the checkpoint that was just saved: it counts, and stays.
    """
    whole = 0
    for path in sorted(_checkpoints(folder), key=_step, reverse=True) if keep else ():
        if _step(path) > _step(written):
            continue
        if whole == keep:
            # The marker goes first: a half-deleted checkpoint must not look complete.
            (path / MANIFEST).unlink(missing_ok=True)
            shutil.rmtree(path)
        else:
            whole += path == written or defect(path) is None
    for path in folder.glob(".writing-*"):
        shutil.rmtree(path, ignore_errors=True)


def differences(before: Any, now: Any, path: str = "") -> Iterator[str]:
    """Where two descriptions differ: "surrogate.high was 0.28 and is 0.2"."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        pairs = [(name, before.get(name), now.get(name)) for name in dict.fromkeys((*before, *now))]
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        pairs = [(str(index), *pair) for index, pair in enumerate(zip(before, now, strict=True))]
    else:
        if before != now:
            yield f"{path} was {before!r} and is {now!r}"
        return
    for name, old, new in pairs:
        yield from differences(old, new, f"{path}.{name}" if path else name)


def _checkpoints(folder: Path) -> list[Path]:
    return [path for path in folder.glob("step-*") if _FOLDER.match(path.name)] if folder.is_dir() else []


def _step(path: Path) -> int:
    match = _FOLDER.match(path.name)
    assert match is not None
    return int(match.group(1))


def _write_manifest(folder: Path, step: int) -> None:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for path in files:
        _fsync(path)
    for directory in {path.parent for path in files}:
        _fsync(directory)
    checksums = {str(path.relative_to(folder)): _sha256(path) for path in files}
    partial = folder / f"{MANIFEST}.partial"
    partial.write_text(json.dumps({"format": FORMAT, "step": step, "files": checksums}, indent=1))
    _fsync(partial)
    partial.rename(folder / MANIFEST)
    _fsync(folder)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fsync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
