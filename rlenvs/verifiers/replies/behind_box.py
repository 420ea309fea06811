r"""What stands right behind a box: `\boxed{28}\%`, `\boxed{5}` cm say more than the box."""

import re

from rlenvs.verifiers.replies.boxes import Box
from rlenvs.verifiers.units import is_measure, unit

_UNIT = re.compile(
    r"(?:\\[)\],;:! ]|[ \t$*_~])*(?:\\(?:text|mathrm|mbox)\s*\{\s*)?"
    r"(?:(?P<percent>\\?[%％]|(?:per ?cent|pct)\b(?! of [$\d]))"
    r"|(?P<scale>hundred|thousand|million|billion|trillion|dozen)\b"
    r"|(?P<unit>[a-zA-Z][a-zA-Z0-9 /^-]{0,30}?)(?=\s*(?:[.,;!?)$}{*\n\\²³]|\Z))\}?(?P<power>\^?\{?[23²³]\}?)?)"
)


def with_unit(box: Box, text: str) -> Box:
    """A box with the percent sign, the number word or the unit behind it, where it has none itself.

    A counted noun says nothing that matters.
    """
    behind = _UNIT.match(text, box.end)
    if behind is None or not re.search(r"\d[)}]*$", box.content):
        return box
    if behind["percent"]:
        return box._replace(content=rf"{box.content}\%")
    name = behind["scale"] or f"{behind['unit'].strip()}{behind['power'] or ''}"
    return box._replace(content=f"{box.content} {name}") if behind["scale"] or _is_unit(name) else box


def _is_unit(name: str) -> bool:
    measured = unit(name)
    return measured is not None and is_measure(measured)
