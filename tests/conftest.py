"""For every test: one thread for arithmetic (pytest-xdist has the processes), no network, data that is elsewhere."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ["HF_HUB_OFFLINE"] = "1"

# How fast a machine is, and what else it does, is nobody's fault.
settings.register_profile("rlenvs", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("rlenvs")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what is marked `gpu` on a machine that has none; torch is imported for such tests only."""
    if item.get_closest_marker("gpu") is None:
        return
    import torch

    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")


SHARED = Path(__file__).parents[2] / "shared"


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
def lacking() -> Callable[[str], NoReturn]:
    """What to call with a sentence where a test lacks something outside of the repository."""
    return missing


@pytest.fixture(scope="session")
def data_folder(shared_folder: Callable[[str, Path, str], Path]) -> str:
    """The data sets of problems."""
    return str(shared_folder("RLENVS_DATA", SHARED / "data", "the files that docs/environments.md lists under Data"))


@pytest.fixture(scope="session")
def cases_folder(shared_folder: Callable[[str, Path, str], Path]) -> Path:
    """The bank of verdicts."""
    fields = "math_cases.jsonl (id, kind, gold, answer, form, question, equal, limit_s)"
    return shared_folder("RLENVS_CASES", SHARED / "cases", fields)
