"""What is still open where a line of Python begins: a string over several lines, brackets, a joined line."""

import re
from typing import NamedTuple

LONGEST_LINE = 20_000  # characters; what a longer line opens is not looked at


class Open(NamedTuple):
    """What is open at the beginning of a line; false if nothing is."""

    quote: str = ""  # the three quote signs that end the string
    depth: int = 0  # of brackets
    is_joined: bool = False  # the line before ends in a backslash

    def __bool__(self) -> bool:
        return bool(self.quote) or self.depth > 0 or self.is_joined


CLOSED = Open()
_SIGN = re.compile(r"#|'''|\"\"\"|['\"]|[(\[{]+|[)\]}]+|\\$")
_END = {
    '"""': re.compile(r'(?:[^\\"]|\\.|"(?!""))*+"""'),
    "'''": re.compile(r"(?:[^\\']|\\.|'(?!''))*+'''"),
    '"': re.compile(r'(?:[^\\"]|\\.)*+"'),
    "'": re.compile(r"(?:[^\\']|\\.)*+'"),
}


def after_line(line: str, before: Open) -> Open:
    """What is open after a line, given what is open before it. Brackets that were never opened close nothing.

    A string in single quote signs ends with its line at the latest, as it has to.
    """
    if len(line) > LONGEST_LINE:
        return before
    quote, depth, position = before.quote, before.depth, 0
    while True:
        if quote:
            end = _END[quote].match(line, position)
            if end is None:
                return Open(quote if len(quote) == 3 else "", depth, len(quote) == 1 and line.endswith("\\"))
            quote, position = "", end.end()
        sign = _SIGN.search(line, position)
        if sign is None or sign[0] == "#":
            return Open("", depth)
        position = sign.end()
        if sign[0] == "\\":
            return Open("", depth, is_joined=True)
        if sign[0] in _END:
            quote = sign[0]
        else:
            depth = max(0, depth + (len(sign[0]) if sign[0][0] in "([{" else -len(sign[0])))


def trimmed(lines: list[str]) -> str:
    """Lines as a text, without blank ones around it and with a newline at the end; empty if there is nothing else."""
    first, last = 0, len(lines)
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    return "\n".join([*lines[first:last], ""]) if last > first else ""
