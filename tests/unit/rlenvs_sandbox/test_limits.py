"""What can be asked for at all: every limit up to the highest works, and what makes no sense is refused at once."""

import math
from typing import Any

import pytest

from rlenvs_sandbox import Limits, Program, WarmRunner, open_runner
from rlenvs_sandbox.records import MOST


def test_the_highest_limits_and_the_most_files_with_the_longest_names_work(sandbox: WarmRunner) -> None:
    files = {"ä" * 120 + f"{number:04}": b"x" for number in range(100)}
    program = Program(text="import os\nprint(len(os.listdir('.')))", files=files)
    outcome = sandbox.run(program, Limits(**MOST))  # type: ignore[arg-type]
    assert (outcome.status, outcome.stdout) == ("pass", b"101\n"), outcome


@pytest.mark.parametrize("name", MOST)
@pytest.mark.parametrize("value", [0, -1, math.inf, math.nan, True, "5"])
def test_a_limit_that_makes_no_sense_is_refused_by_its_name(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"the limit {name} is a .*number above 0 and up to {MOST[name]}: got"):
        Limits(**{name: value})
    with pytest.raises(ValueError, match="above 0 and up to"):
        Limits(**{name: MOST[name] + 1})  # type: ignore[arg-type]


def test_what_is_counted_is_a_whole_number() -> None:
    with pytest.raises(ValueError, match=r"the limit mem_mb is a whole number above 0 and up to \d+: got 64.5"):
        Limits(mem_mb=64.5)  # type: ignore[arg-type]
    assert Limits(wall_s=0.5, cpu_s=None).wall_s == 0.5


@pytest.mark.parametrize("name", ["", "../x", "a/b", "..", "a\0b", "x" * 256, "ä" * 128])
def test_a_file_without_a_plain_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="plain name of up to 255 bytes"):
        Program(text="", files={name: b""})


def test_too_many_files_are_refused() -> None:
    with pytest.raises(ValueError, match="up to 100 files: got 101"):
        Program(text="", files={str(number): b"" for number in range(101)})


@pytest.mark.parametrize("num_workers", [0, -1])
def test_a_pool_has_workers(num_workers: int) -> None:
    with pytest.raises(ValueError, match=f"at least one worker: got {num_workers}"):
        open_runner("bubblewrap", num_workers=num_workers)
