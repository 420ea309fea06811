"""The image of the docker sandbox: made here with debootstrap, without a registry, or on top of an image of one."""

import io
import shutil
import subprocess
import tempfile
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rlenvs_sandbox.docker import IMAGE
from rlenvs_sandbox.errors import SandboxError

PACKAGES = ("python3-minimal", "libpython3-stdlib")
_SUITE = "bookworm"
_PART = 2**20
_DOCKERFILE = """FROM {base}
RUN apt-get update && apt-get install -y --no-install-recommends {packages} && rm -rf /var/lib/apt/lists/*
"""


def build(
    client: Any,
    *,
    image: str = IMAGE,
    packages: Sequence[str] = (),
    base: str = "",
    progress: Callable[[], None] = lambda: None,
) -> str:
    """Make the image; its id.

    Args:
        client: of the docker SDK.
        packages: Debian's packages in it, beside Python: compilers, say.
        base: an image of a registry to build on; empty: debootstrap makes all of it.
        progress: called for each line that debootstrap says.

    Raises:
        SandboxError: it cannot be made; with what the tools said.
    """
    wanted = (*PACKAGES, *packages)
    if base:
        dockerfile = _DOCKERFILE.format(base=base, packages=" ".join(wanted))
        try:
            built, _ = client.images.build(
                fileobj=io.BytesIO(dockerfile.encode()), tag=image, rm=True, network_mode="host"
            )
        except Exception as error:  # the SDK raises whatever it meets
            raise SandboxError(f"{image} cannot be built on {base}: {error}") from error
        return str(built.id)
    return _bootstrapped(client, image, wanted, progress)


def _bootstrapped(client: Any, image: str, packages: Sequence[str], progress: Callable[[], None]) -> str:
    tool = shutil.which("debootstrap")
    if tool is None:
        raise SandboxError("no debootstrap: install Debian's `debootstrap`, or build on an image with --from")
    with tempfile.TemporaryDirectory(prefix="rlenvs-image-") as folder:
        root, archive = Path(folder, "root"), Path(folder, "root.tar")
        _run([tool, "--variant=minbase", f"--include={','.join(packages)}", _SUITE, str(root)], progress)
        _run(
            ["tar", "-C", str(root), "--exclude=./var/cache", "--exclude=./var/lib/apt/lists", "-cf", str(archive), "."]
        )
        repository, _, tag = image.partition(":")
        with archive.open("rb") as file:  # in parts: the SDK announces a body in chunks, and must be given one
            parts = iter(lambda: file.read(_PART), b"")
            client.api.import_image_from_stream(parts, repository=repository, tag=tag or "latest")
    return str(client.images.get(image).id)


def _run(command: list[str], progress: Callable[[], None] = lambda: None) -> None:
    said: deque[str] = deque(maxlen=8)  # its last lines
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            said.append(line)
            progress()
    if process.returncode:
        raise SandboxError(f"{command[0]} failed: {''.join(said).strip()[-500:]}")
