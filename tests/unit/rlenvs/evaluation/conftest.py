"""`tests/Trouble-v0`, for every test of evaluation."""

import pytest

import rlenvs

from .trouble import ENV_ID, TroubleEnv


@pytest.fixture(autouse=True)
def trouble(registry: None) -> None:
    """It is there during the test, and forgotten after it like all else that the test registers."""
    rlenvs.register(ENV_ID, TroubleEnv)
