import os
from pathlib import Path

import pytest

from rlenvs.replacing import replace_content


def test_what_lies_beside_a_file_is_never_written_to(tmp_path: Path) -> None:
    names = ["a.new", "a.new1", "a.new2", "a.tmp", "a.part"]
    for name in names:
        (tmp_path / name).write_text(name)
    for content in (b"one", b"two"):
        replace_content(tmp_path / "a", content)
        assert (tmp_path / "a").read_bytes() == content
    assert {path.name: path.read_text() for path in tmp_path.glob("a.*")} == {name: name for name in names}


def test_a_file_that_cannot_be_replaced_leaves_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        replace_content(tmp_path / "folder", b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_others_may_read_it_as_any_file_that_is_made(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        replace_content(tmp_path / "a", b"x")
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o644
