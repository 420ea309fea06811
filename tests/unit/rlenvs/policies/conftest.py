"""An endpoint for each test."""

from collections.abc import Iterator

import pytest

from .serving import Server


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.http.shutdown()
    server.http.server_close()
