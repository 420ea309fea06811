"""One sandbox for the tests of this folder: starting it is the dearest part of them."""

from collections.abc import Iterator

import pytest

from rlenvs_sandbox import WarmRunner, open_runner


@pytest.fixture(scope="session")
def sandbox() -> Iterator[WarmRunner]:
    """Bubblewrap, with room for two programs."""
    with open_runner("bubblewrap", num_workers=2) as runner:
        yield runner
