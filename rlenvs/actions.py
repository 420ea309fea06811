"""Actions that a policy writes between tags, such as `<python>…</python>`: the first whole one outside thinking counts.

What an action does belongs to the environments.
"""

import re
from collections.abc import Collection
from typing import NamedTuple


class Action(NamedTuple):
    """One action in a message."""

    name: str  # of its tags
    content: str
    end: int  # characters of the message up to the end of its closing tag: what comes after it is not used


def first_action(text: str, names: Collection[str]) -> Action | None:
    """The first action of one of these names that is closed; None where there is none.

    Nothing inside `<think>…</think>` counts: blocks nest, one that is left open reaches to the end, and a closing tag
    without an opening one ends thinking that began before the message. An action reaches from its opening tag to the
    first closing tag of its name, whatever is between.
    """
    position = _start(text)
    depth = 0
    never_closed = set()  # names whose closing tag is not found any more
    tags = re.compile("<(/?)(think|{})>".format("|".join(map(re.escape, names))))
    while (tag := tags.search(text, position)) is not None:
        position = tag.end()
        if tag[2] == "think":
            depth = max(0, depth - 1) if tag[1] else depth + 1
        elif not tag[1] and not depth and tag[2] not in never_closed:
            closing = f"</{tag[2]}>"
            end = text.find(closing, position)
            if end >= 0:
                return Action(tag[2], text[position:end], end + len(closing))
            never_closed.add(tag[2])
    return None


def escaped(text: str, names: Collection[str]) -> str:
    """A text of somebody else's in which none of these tags stands any more: their `<` is written `&lt;`."""
    return re.sub("<(?=/?(?:{})>)".format("|".join(map(re.escape, names))), "&lt;", text)


_THINK_TAG = re.compile("<(/?)think>")


def _start(text: str) -> int:
    """Where thinking that began before the message ends."""
    start = depth = 0
    for tag in _THINK_TAG.finditer(text):
        if not tag[1]:
            depth += 1
        elif depth:
            depth -= 1
        else:
            start = tag.end()
    return start
