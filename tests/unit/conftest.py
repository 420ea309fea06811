"""Fixtures for what is no part of the repository: data, and a browser."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

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
        missing(f"no folder {path}: set {variable} to one with {what}")

    return found


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser that opens the report."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), "") or missing(f"no browser: install one of {', '.join(names)}")


def missing(what: str) -> NoReturn:
    """Skip a test that lacks something outside of the repository; CI has all of it, or fails."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="session")
def data_folder(shared_folder: Callable[[str, Path, str], Path]) -> str:
    """The data sets of problems."""
    return str(shared_folder("RLENVS_DATA", SHARED / "data", "the files that docs/environments.md lists under Data"))


@pytest.fixture(scope="session")
def cases_folder(shared_folder: Callable[[str, Path, str], Path]) -> Path:
    """The bank of verdicts."""
    fields = "math_cases.jsonl (id, kind, gold, answer, form, question, equal, limit_s)"
    return shared_folder("RLENVS_CASES", SHARED / "cases", fields)
