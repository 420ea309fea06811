"""Images of the docker sandbox."""

from collections.abc import Callable
from typing import NoReturn

import pytest

from rlenvs_sandbox import Program, SandboxError
from rlenvs_sandbox.backends import docker
from rlenvs_sandbox.docker import IMAGE, connected


def test_programs_run_in_the_image_that_is_asked_for(lacking: Callable[[str], NoReturn]) -> None:
    try:
        client = connected()
    except SandboxError as error:
        lacking(f"no docker here: {error}")
    client.images.get(IMAGE).tag("rlenvs-sandbox", "of-test")
    try:
        with docker(num_workers=1, image="rlenvs-sandbox:of-test") as runner:
            assert runner.run(Program(text="print(7)")).stdout == b"7\n"
            used = {tag for each in client.containers.list() for tag in each.image.tags}
            assert "rlenvs-sandbox:of-test" in used
        with (
            docker(num_workers=1, image="rlenvs-sandbox:nowhere") as runner,
            pytest.raises(SandboxError, match="no container of rlenvs-sandbox:nowhere can be started"),
        ):
            runner.run(Program(text="print(7)"))
    finally:
        client.images.remove("rlenvs-sandbox:of-test")
        client.close()
