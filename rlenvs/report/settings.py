"""With what a run was trained: the algorithm's slots and the config, as its last start recorded them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rlenvs.notation import inline
from rlenvs.report.facts import last_start
from rlenvs.report.html import Safe, join, tag
from rlenvs.store import EventRow


def settings(events: Sequence[EventRow]) -> Safe:
    """The run's notes, and two tables that open: slots, with every default, and settings; empty without a start."""
    start = last_start(events)
    notes = tag("ul", *(tag("li", note) for note in start.get("notes", ())), class_="notes")
    return join(
        notes if start.get("notes") else Safe(""),
        _table("Algorithm, slot by slot", start.get("algorithm", {}).items()),
        _table("Settings", _flat(start.get("config", {}))),
    )


def _table(title: str, lines: Any) -> Safe:
    rows = [tag("tr", tag("th", name, scope="row"), tag("td", tag("code", _shown(value)))) for name, value in lines]
    if not rows:
        return Safe("")
    table = tag("table", tag("tbody", *rows), class_="settings")
    return tag("details", tag("summary", title), tag("div", table, class_="wide"))


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else inline(value)


def _flat(config: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """One line per setting, by the name that `--set` takes; what an environment is made with stays in one piece."""
    for name, value in config.items():
        if isinstance(value, Mapping) and value and name != "kwargs":
            yield from _flat(value, f"{prefix}{name}.")
        elif isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
            for index, item in enumerate(value):
                yield from _flat(item, f"{prefix}{name}.{index}.")
        else:
            yield f"{prefix}{name}", value
