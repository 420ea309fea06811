"""HTML that is escaped by construction: whatever is not `Safe` is text. A policy may write anything."""

import html
import json
from typing import Any


class Safe(str):
    """Markup that was built here, as opposed to text that came from outside."""

    __slots__ = ()


def tag(name: str, *children: str, **attributes: str | float | None) -> Safe:
    """An element. Children that are not `Safe` are escaped; attributes always are, and None leaves one out.

    Underscores in attributes' names become hyphens, one at the end goes: `class_`, `aria_label`.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Safe(f"<{name}{written}>{join(*children)}</{name}>")


def join(*children: str, separator: str = "") -> Safe:
    """The children one after another, each escaped unless it is `Safe`."""
    return Safe(separator.join(child if isinstance(child, Safe) else html.escape(child) for child in children))


def data(identifier: str, value: Any) -> Safe:
    """JSON for the page's own script. No text in it can end the element, or begin a comment."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Safe(f'<script type="application/json" id="{html.escape(identifier)}">{text}</script>')
