"""`Registry`: named values that distributions gave, where no name silently replaces another.

Who registers, and when, is `rlenvs.plugins`' business.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rlenvs.errors import RlenvsError, unknown


class UnknownNameError(RlenvsError, KeyError):
    """No plug-in registered this name."""

    def __str__(self) -> str:
        return str(self.args[0])


class DuplicateNameError(RlenvsError):
    """Two plug-ins registered the same name: neither is taken, whichever was found last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A value and where it came from."""

    value: Any
    plugin: str  # its entry point's name
    distribution: str  # "my-package 1.0", or a local file's path
    description: str  # the docstring of the module that registered it


class Registry(Mapping[str, Any]):
    """What plug-ins registered of one kind, by name. A name that two of them registered raises when it is asked for."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, list[Entry]] = {}

    def add(self, name: str, entry: Entry) -> None:
        """Take a value in. The first and the second of one name are both kept, and neither is given out."""
        self._entries.setdefault(name, []).append(entry)

    def withdraw(self, name: str) -> Entry:
        """Give a name out no more, since what it stands for does not work; gives where it came from."""
        origin = self.origin(name)
        del self._entries[name]
        return origin

    def __getitem__(self, name: str) -> Any:
        """The value.

        Raises:
            UnknownNameError: nobody registered the name; says the near miss.
            DuplicateNameError: more than one did; says who.
        """
        if name not in self._entries:
            raise UnknownNameError(unknown(self.kind, name, self._entries))
        self.check_unambiguous(name)
        return self._entries[name][0].value

    def __iter__(self) -> Iterator[str]:
        """The names that can be given out, sorted."""
        return iter(sorted(name for name, entries in self._entries.items() if len(entries) == 1))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def origin(self, name: str) -> Entry:
        """Where `name` came from. Raises as asking for its value does."""
        self[name]
        return self._entries[name][0]

    def check_unambiguous(self, name: str) -> None:
        """Raise DuplicateNameError if more than one distribution registered `name`; say nothing of unknown names."""
        if name in self.conflicts:
            raise DuplicateNameError(self.conflicts[name])

    @property
    def conflicts(self) -> dict[str, str]:
        """Names that were registered more than once, with the sentence that says by whom."""
        return {
            name: f"{self.kind} {name!r} is registered by {' and by '.join(entry.distribution for entry in entries)}. "
            f"Uninstall one of them, or have it choose another name."
            for name, entries in sorted(self._entries.items())
            if len(entries) > 1
        }
