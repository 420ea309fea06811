"""The import contracts of pyproject.toml find an import against the arrows, in every package."""

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ("rlenvs", "sandbox", "trainers", "plugins", "pyproject.toml")
AGAINST = {
    "sandbox/rlenvs_sandbox/__init__.py": ("import rlenvs.records", "rlenvs_sandbox -> rlenvs.records"),
    "rlenvs/store.py": ("from rlenvs_trainers import records", "rlenvs.store -> rlenvs_trainers.records"),
    "rlenvs/spaces.py": ("import torch", "rlenvs.spaces -> torch"),
    "rlenvs/wording.py": ("import examples.demo", "rlenvs.wording -> examples"),
    "trainers/rlenvs_trainers/ratio.py": ("from benchmarks import sampler", "rlenvs_trainers.ratio -> benchmarks"),
    "plugins/rlenvs_plugins/grpo.py": ("from tests.unit import conftest", "rlenvs_plugins.grpo -> tests"),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What import-linter says of a copy of the packages in which imports point the wrong way."""
    copy = tmp_path_factory.mktemp("copy")
    for name in SOURCES:
        source = ROOT / name
        copied = shutil.copytree if source.is_dir() else shutil.copy
        copied(source, copy / name)
    for path, (line, _) in AGAINST.items():
        with (copy / path).open("a") as file:
            file.write(f"\n{line}\n")
    roots = os.pathsep.join(str(copy / name) for name in ("", "sandbox", "trainers", "plugins"))
    command = [str(Path(sysconfig.get_path("scripts")) / "lint-imports"), "--no-cache"]
    ended = subprocess.run(command, cwd=copy, env=os.environ | {"PYTHONPATH": roots}, capture_output=True, text=True)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.parametrize("path", AGAINST)
def test_an_import_against_the_arrows_is_found(found: str, path: str) -> None:
    assert AGAINST[path][1] in found
