"""The sandboxes by name."""

from collections.abc import Callable, Sequence

from rlenvs_sandbox.bubblewrap import Bubblewrap
from rlenvs_sandbox.cgroups import Groups
from rlenvs_sandbox.docker import IMAGE, Docker, connected, sweep
from rlenvs_sandbox.errors import unknown
from rlenvs_sandbox.owners import sweep_folders
from rlenvs_sandbox.packages import entries
from rlenvs_sandbox.process import Unenclosed
from rlenvs_sandbox.runner import WarmRunner


def bubblewrap(*, num_workers: int = 2, packages: Sequence[str] = ()) -> WarmRunner:
    """Namespaces, made by bubblewrap; the default.

    Args:
        packages: installed distributions that programs may import, and what they depend on; nothing else is there but
            the standard library.

    Raises:
        ValueError: one is not installed here.
    """
    entries(packages)  # said now, and not by a worker
    return WarmRunner(Bubblewrap(Groups.find(), packages=tuple(packages)), num_workers=num_workers)


def process(*, num_workers: int = 2) -> WarmRunner:
    """Limits and Landlock alone: no boundary, for machines that allow nothing else."""
    sweep_folders()
    return WarmRunner(Unenclosed(Groups.find()), num_workers=num_workers, is_boundary=False)


def docker(*, num_workers: int = 2, image: str = IMAGE) -> WarmRunner:
    """Containers of Docker, one for each program; what others have left is swept away first.

    Args:
        image: as `rlenvs sandbox build` makes it; Python packages of Debian's in it are there for programs.
    """
    client = connected()
    sweep(client)
    sweep_folders()
    return WarmRunner(Docker(client, image), num_workers=num_workers, num_spare=2 * num_workers, at_end=client.close)


BACKENDS: dict[str, Callable[..., WarmRunner]] = {"bubblewrap": bubblewrap, "docker": docker, "process": process}
"""Each takes `num_workers`, and gives a runner that is to be closed."""


def open_runner(name: str = "bubblewrap", *, num_workers: int = 2) -> WarmRunner:
    """A sandbox by its name.

    Raises:
        ValueError: there is none of that name.
    """
    if name not in BACKENDS:
        raise ValueError(unknown("sandbox", name, BACKENDS))
    return BACKENDS[name](num_workers=num_workers)
