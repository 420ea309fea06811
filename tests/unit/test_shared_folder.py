"""Data outside the repository: found by its variable, asked for in a sentence, and never missing in CI."""

from collections.abc import Callable
from pathlib import Path

import pytest

Find = Callable[[str, Path, str], Path]


def test_the_variable_wins_over_the_default(
    shared_folder: Find, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    assert shared_folder("RLENVS_TEST_FOLDER", tmp_path, "files") == tmp_path
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RLENVS_TEST_FOLDER", "mine")
    assert shared_folder("RLENVS_TEST_FOLDER", Path("/nowhere"), "files") == tmp_path / "mine"


def test_a_missing_folder_skips_with_what_to_do_and_fails_in_ci(
    shared_folder: Find, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentence = "no folder /nowhere: set RLENVS_TEST_FOLDER to one with files"
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=sentence):
        shared_folder("RLENVS_TEST_FOLDER", Path("/nowhere"), "files")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match=sentence):
        shared_folder("RLENVS_TEST_FOLDER", Path("/nowhere"), "files")
