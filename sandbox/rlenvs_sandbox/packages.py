"""Installed packages that programs may import: none but those that are asked for by name."""

from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path


def entries(names: Iterable[str]) -> dict[str, Path]:
    """What of the installation belongs to some distributions: the top folders and files, by their names.

    Args:
        names: of distributions, as they are installed by; what they depend on has to be named too.

    Raises:
        ValueError: one is not installed here.
    """
    found: dict[str, Path] = {}
    for name in names:
        try:
            files = distribution(name).files or ()
        except PackageNotFoundError as error:
            raise ValueError(f"no package {name!r} is installed here that programs could import") from error
        for file in files:
            top = file.parts[0]
            if top not in ("..", "/", "__pycache__"):
                found[top] = Path(str(file.locate())).parents[len(file.parts) - 1] / top
    return found
