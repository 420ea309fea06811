"""The rest of a stub: a function's body without its head, and where a text that goes on after the body is cut."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from rlenvs.code.replies.bare import chunks
from rlenvs.code.replies.lines import CLOSED, Open, after_line
from rlenvs.code.replies.syntax import module_of


class Continuation(NamedTuple):
    """A stub with a body."""

    program: str
    rest: str  # what the text goes on with


def continuation(stub: str, text: str, entry_point: str) -> Continuation | None:
    """The stub with the body that a text begins with; None where it begins with none.

    The body ends before the first line without indentation, outside strings and brackets; a comment there is part of
    the body if indented code follows. So end the samples that HumanEval was published with, which stop at a line that
    begins with `class`, `def`, `#`, `if` or `print`.

    The first line may have lost its indentation, or all lines some of it, strings excepted. A body without any has to
    return something, or code that only uses the function would be one; it ends with its first `return`.
    """
    if not text.strip():
        return None
    for body, rest in _bodies(stub, text):
        if not body.strip():
            continue
        program = f"{stub}{body.rstrip()}\n"
        module = module_of(program)
        if module is not None and module.binds(entry_point):
            return Continuation(program, rest)
    return None


def _open_after(stub: str) -> Open:
    """What is open at the end of a stub: the docstring, if the stub is cut within it."""
    state = CLOSED
    for line in stub.split("\n")[:-1] if stub.endswith("\n") else stub.split("\n"):
        state = after_line(line, state)
    return state


def broken_continuation(stub: str, text: str) -> str | None:
    """The stub with the indented lines that a text begins with, though that does not parse; None without such lines."""
    if not text.strip() or not (text.lstrip("\n")[0].isspace() or _open_after(stub).quote):
        return None
    return f"{stub}{_cut(text, _open_after(stub))[0].rstrip()}\n"


def gives_value(text: str) -> bool:
    """Whether a line of a text returns, yields or raises something."""
    return _GIVES.search(text) is not None


def margin_of(stub: str) -> str:
    """The indentation of the body of a stub's last function: that of its last line, or four blanks."""
    last = next((line for line in reversed(stub.split("\n")) if line.strip()), "")
    return last[: len(last) - len(last.lstrip())] or "    "


def _bodies(stub: str, text: str) -> Iterator[tuple[str, str]]:
    """What may follow the stub, the most literal first."""
    is_in_line = not stub.endswith("\n") and not text.startswith("\n")
    state = _open_after(stub)
    yield _cut(text, state, is_in_line=is_in_line)
    if state.quote:
        return
    newline = "" if stub.endswith("\n") else "\n"
    margin = margin_of(stub)
    lines = text.strip("\n").split("\n")
    first = lines[0].lstrip()
    own = len(lines[0]) - len(first)
    following = next((line for line in lines[1:] if line.strip()), "")
    if own < len(margin) and following.startswith(margin):
        body, rest = _cut("\n".join([margin + first, *lines[1:]]))
        yield newline + body, rest
    if own:
        body, rest = _cut("\n".join(lines))
    else:
        body, rest = _up_to_return("\n".join(lines))
    if own or gives_value(body):
        yield newline + _with_margin(body, own, margin), rest


_GIVES = re.compile(r"^[ \t]*(?:return|yield|raise)\b", re.MULTILINE)
_RETURNS = re.compile(r"return\b")


def _cut(text: str, state: Open = CLOSED, *, is_in_line: bool = False) -> tuple[str, str]:
    """A text before and from its first line without indentation; if it begins within a line, that one has some."""
    lines = text.split("\n")
    state = after_line(lines[0], state) if is_in_line else state
    comment: int | None = None
    for at in range(1 if is_in_line else 0, len(lines)):
        line = lines[at]
        if not state and line.strip():
            if line[0].isspace():
                comment = None
            elif line[0] == "#":
                comment = at if comment is None else comment
            else:
                end = at if comment is None else comment
                return "\n".join(lines[:end]), "\n".join(lines[end:])
        state = after_line(line, state)
    end = len(lines) if comment is None else comment
    return "\n".join(lines[:end]), "\n".join(lines[end:])


def _up_to_return(text: str) -> tuple[str, str]:
    parts = chunks(text)
    end = next((n for n, part in enumerate(parts, start=1) if _RETURNS.match(part)), len(parts))
    return "\n".join(parts[:end]), "\n".join(parts[end:])


def _with_margin(body: str, own: int, margin: str) -> str:
    """The body with another indentation, outside strings over several lines."""
    lines: list[str] = []
    state = CLOSED
    for line in body.split("\n"):
        is_text = bool(state.quote) or not line.strip()
        lines.append(line if is_text else margin + line[min(own, len(line) - len(line.lstrip())) :])
        state = after_line(line, state)
    return "\n".join(lines)
