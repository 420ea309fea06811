"""The one thing that can go wrong with a sandbox itself, as opposed to the program in it; and near misses of names."""

from collections.abc import Iterable
from difflib import get_close_matches


class SandboxError(Exception):
    """The sandbox could not start or was lost. That says nothing about the program: it is not a wrong answer."""


def unknown(kind: str, name: str, known: Iterable[str], near: str | None = None) -> str:
    """The sentence for a name that there is not.

    Args:
        near: the one that is meant, where that is known.
    """
    names = list(known)
    near = near or next(iter(get_close_matches(name, names, n=1, cutoff=0.6)), None)
    hint = f" Did you mean {near!r}?" if near else ""
    return f"no {kind} {name!r}.{hint} There are {', '.join(names)}."
