r"""What stands right behind a box and belongs to the answer: `\boxed{28}\%`, `\boxed{5}` million, `\boxed{5}` cm."""

import re

from rlenvs.verifiers.boxes import Box
from rlenvs.verifiers.units import is_measure, unit

_BEHIND = re.compile(
    r"(?:\\[)\],;:! ]|[ \t$*_~])*(?P<text>\\(?:text|mathrm|mbox|rm)\s*\{\s*)?(?:"
    r"(?P<percent>\\?%|(?:per ?cent|pct)\b(?! of [$\d]))"
    r"|(?P<scale>hundred|thousand|million|billion|trillion|dozen)\b"
    r"|(?P<unit>[a-zA-Z][a-zA-Z0-9 /^-]{0,30}?)(?=\s*(?:[.,;!?)$}{*\n\\²³]|\Z))\}?(?P<power>\^?\{?[23²³]\}?)?)"
)


def with_unit(box: Box, text: str) -> Box:
    r"""A box with the percent sign, the number word or the unit behind it, where it has none itself.

    A single letter is a unit only in a command such as `\text`; a counted noun says nothing that matters.
    """
    behind = _BEHIND.match(text, box.end)
    if behind is None or not re.search(r"\d[)}]*$", box.content):
        return box
    if behind["percent"]:
        return box._replace(content=rf"{box.content}\%")
    name = behind["scale"] or f"{behind['unit'].strip()}{behind['power'] or ''}"
    if behind["scale"] or ((len(name) > 1 or behind["text"]) and _is_unit(name)):
        return box._replace(content=f"{box.content} {name}")
    return box


def _is_unit(name: str) -> bool:
    measured = unit(name)
    return measured is not None and is_measure(measured)
