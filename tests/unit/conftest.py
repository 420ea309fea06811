"""Fixtures for data that is no part of the repository."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[3] / "shared"


@pytest.fixture(scope="session")
def shared_folder() -> Callable[[str, Path, str], Path]:
    """`shared_folder(variable, default, what)`: a folder that is no part of the repository.

    Without it the test is skipped, and says how to run it; where CI is set, it fails.
    """

    def found(variable: str, default: Path, what: str) -> Path:
        path = Path(os.environ.get(variable) or default).resolve()
        if path.is_dir():
            return path
        sentence = f"no folder {path}: set {variable} to one with {what}"
        if os.environ.get("CI"):
            pytest.fail(sentence)
        pytest.skip(sentence)

    return found


@pytest.fixture(scope="session")
def data_folder(shared_folder: Callable[[str, Path, str], Path]) -> str:
    """The data sets of problems."""
    return str(shared_folder("RLENVS_DATA", SHARED / "data", "the files that docs/environments.md lists under Data"))


@pytest.fixture(scope="session")
def cases_folder(shared_folder: Callable[[str, Path, str], Path]) -> Path:
    """The bank of verdicts."""
    fields = "math_cases.jsonl (id, kind, gold, answer, form, question, equal, limit_s)"
    return shared_folder("RLENVS_CASES", SHARED / "cases", fields)
