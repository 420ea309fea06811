"""`Registry`: named values that distributions gave, where no name silently replaces another.

Who registers, and when, is `rlenvs.plugins`' business.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from rlenvs.errors import RlenvsError, unknown


class UnknownNameError(RlenvsError, KeyError):
    """No plug-in registered this name."""

    def __str__(self) -> str:
        return str(self.args[0])


class DuplicateNameError(RlenvsError):
    """Two plug-ins registered the same name: neither is taken, whichever was found last."""


class Registry(Mapping[str, Any]):
    """What plug-ins registered of one kind, by name. A name that two of them registered raises when it is asked for."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, list[tuple[str, Any]]] = {}

    def add(self, name: str, value: Any, distribution: str) -> None:
        """Take a value in. The first and the second of one name are both kept, and neither is given out."""
        self._entries.setdefault(name, []).append((distribution, value))

    def __getitem__(self, name: str) -> Any:
        """The value.

        Raises:
            UnknownNameError: nobody registered the name; says the near miss.
            DuplicateNameError: more than one did; says who.
        """
        if name not in self._entries:
            raise UnknownNameError(unknown(self.kind, name, self._entries))
        self.check_unambiguous(name)
        return self._entries[name][0][1]

    def __iter__(self) -> Iterator[str]:
        """The names that can be given out, sorted."""
        return iter(sorted(name for name, entries in self._entries.items() if len(entries) == 1))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def origin(self, name: str) -> str:
        """The distribution that registered `name`."""
        self[name]
        return self._entries[name][0][0]

    def check_unambiguous(self, name: str) -> None:
        """Raise DuplicateNameError if more than one distribution registered `name`; say nothing of unknown names."""
        if name in self.conflicts:
            raise DuplicateNameError(self.conflicts[name])

    @property
    def conflicts(self) -> dict[str, str]:
        """Names that were registered more than once, with the sentence that says by whom."""
        return {
            name: f"{self.kind} {name!r} is registered by {' and by '.join(origin for origin, _ in entries)}. "
            f"Uninstall one of them, or have it choose another name."
            for name, entries in sorted(self._entries.items())
            if len(entries) > 1
        }
