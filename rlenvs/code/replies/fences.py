"""The fenced blocks of a reply: by CommonMark, and as models write them."""

import re
from dataclasses import dataclass, field

from rlenvs.code.replies.lines import CLOSED, Open, after_line, trimmed
from rlenvs.code.replies.tags import MARKUP, PYTHON, UNNAMED, is_named, language_of

_PATIENCE = 8  # strings without an end that are looked for to the end of the text


@dataclass(frozen=True, slots=True)
class Block:
    """What stands between two fences."""

    language: str  # see `tags`
    text: str  # without blank lines around it, with a newline at the end; empty if there is nothing
    is_closed: bool
    is_strict: bool  # each fence on a line of its own, as CommonMark has it


@dataclass(frozen=True, slots=True)
class Fenced:
    """The blocks of a text."""

    blocks: tuple[Block, ...]
    prose: str  # what is in no block, with a line "```" in place of each
    leading: str  # what is before the first fence if that one names no language: it may close what the prompt opened


_PREFIX = r"[ \t]*+(?:>[ \t]*+)*+(?:[-*+][ \t]++|\d{1,9}[.)][ \t]++)?+"
_FENCE = re.compile(rf"({_PREFIX})(`{{3,}}+|~{{3,}}+)(.*)")
_QUOTED = re.compile(r"[ \t]{0,3}>[ \t]?")


def fenced(text: str) -> Fenced:
    """The blocks of a text, in time linear in its length.

    A block ends at a bare fence of its kind, no shorter than the one that opened it. Beyond CommonMark:

    - Fences may be indented as they like, and stand in quotes and list items, whose indentation the text loses.
    - In a block of Python a fence within a string over several lines, such as a docstring, is part of the string.
    - A fence that names a language opens a block in any case, and so ends the one before. One that is followed by
      other words ends a block, or opens one that names no language.
    - A block may open at the end of a line of prose, close at the end of its last line, or be a line altogether, and
      code may follow the language's name on its line.
    - Fences of a block of Markdown do not count: it is a reply within the reply.
    - A block without an end reaches to the end of the text.
    """
    scan = _Scan(text.split("\n"))
    scan.run()
    return Fenced(tuple(scan.blocks), "\n".join(scan.prose), scan.leading)


@dataclass(slots=True)
class _Opened:
    """The block that is being read."""

    mark: str  # the fence
    language: str
    indent: int
    is_quoted: bool
    is_strict: bool
    start: int  # the line after the fence
    lines: list[str] = field(default_factory=list)
    state: Open = CLOSED
    skipped: tuple[int, int] | None = None  # a fence within a string: its line, and how many lines of the block precede


@dataclass(slots=True)
class _Scan:
    lines: list[str]
    blocks: list[Block] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    leading: str = ""
    has_fences: bool = False
    patience: int = _PATIENCE
    opened: _Opened | None = None
    at: int = 0

    def run(self) -> None:
        while True:
            while self.at < len(self.lines):
                line = self.lines[self.at]
                self.at += 1
                if self.opened is None:
                    self._outside(line)
                else:
                    self._inside(line, self.opened)
            if self.opened is None:
                return
            if not self._back_to_skipped(self.opened):
                self._close(self.opened, is_closed=False)

    def _outside(self, line: str) -> None:
        fence = _FENCE.fullmatch(line)
        if fence is None:
            self.prose.append(line)
            self._outside_in_prose(line)
            return
        prefix, mark, info = fence.groups()
        inner = info.find(mark[:3]) if mark[0] == "`" else -1
        language, code = language_of(info if inner < 0 else info[:inner])
        if inner >= 0:  # a block on one line, or code between words
            if not info[inner:].strip("` \t"):
                self.has_fences = True
                text = code or ("" if is_named(info[:inner]) else info[:inner])
                self.blocks.append(Block(language, trimmed([text]), True, False))
            else:
                self.prose.append(line)
            return
        self._begin_fences("" if not info.strip() else None)
        self.prose.append("```")
        if language != MARKUP:
            self._open(mark, language, code, prefix)

    def _outside_in_prose(self, line: str) -> None:
        if line.count("```") != 1:
            return
        words, _, info = line.partition("```")
        language, code = language_of(info)
        if is_named(info) or (not info.strip() and words.rstrip().endswith(":")):
            self.has_fences = True
            if language != MARKUP:
                self._open("```", language, code, "", is_strict=False)
        elif not info.strip() and words.strip():
            self._begin_fences(words)

    def _begin_fences(self, last: str | None) -> None:
        """The first fence: `last` is what stands before it on its line; None if what comes before it is no program."""
        if not self.has_fences and last is not None:
            self.leading = trimmed([*self.lines[: self.at - 1], last])
        self.has_fences = True

    def _open(self, mark: str, language: str, code: str, prefix: str, *, is_strict: bool = True) -> None:
        is_quoted = ">" in prefix
        indent = max(0, len(prefix.rpartition(">")[2]) - 1) if is_quoted else len(prefix)
        self.opened = _Opened(mark, language, indent, is_quoted, is_strict and not code, self.at)
        if code:
            self._keep(code, self.opened)

    def _inside(self, line: str, opened: _Opened) -> None:
        fence = _FENCE.fullmatch(line)
        if fence is None or fence[2][0] != opened.mark[0] or len(fence[2]) < len(opened.mark):
            self._content(line, opened)
            return
        is_bare = not fence[3].strip()
        is_opening = is_named(fence[3]) and "`" not in fence[3]
        is_outer = is_opening and len(fence[1]) <= opened.indent + 3
        if opened.state.quote and self.patience and not is_outer:
            if is_bare and opened.skipped is None:
                opened.skipped = (self.at, len(opened.lines))
            self._keep(line, opened)
        elif self._back_to_skipped(opened):
            return
        elif is_opening:
            self._close(opened, is_closed=False)
            self._outside(line)
        else:
            opened.is_strict = opened.is_strict and is_bare
            self._close(opened, is_closed=True)

    def _content(self, line: str, opened: _Opened) -> None:
        kept = line.rstrip()
        if opened.mark[0] == "`" and kept.endswith(opened.mark) and not opened.state.quote and line.count("```") == 1:
            code = kept.rstrip("`")
            if not after_line(kept, opened.state).quote:
                opened.is_strict = False
                opened.lines.append(self._stripped(code, opened))
                self._close(opened, is_closed=True)
                return
        self._keep(line, opened)

    def _keep(self, line: str, opened: _Opened) -> None:
        content = self._stripped(line, opened)
        opened.lines.append(content)
        if opened.language in (PYTHON, UNNAMED):
            opened.state = after_line(content, opened.state)

    def _stripped(self, line: str, opened: _Opened) -> str:
        if opened.is_quoted:
            line = _QUOTED.sub("", line, count=1)
        if opened.indent and line.strip() and not any(opened.lines):  # the first line: the others keep what it has less
            opened.indent = min(opened.indent, _indentation(line))
        return line[min(opened.indent, _indentation(line)) :]

    def _back_to_skipped(self, opened: _Opened) -> bool:
        """Whether a string had no end, so that the first fence in it ends the block: the scan goes on from there."""
        if opened.skipped is None or not opened.state.quote:
            return False
        self.patience -= 1
        self.at, kept = opened.skipped
        del opened.lines[kept:]
        self._close(opened, is_closed=True)
        return True

    def _close(self, opened: _Opened, *, is_closed: bool) -> None:
        self.opened = None
        text = trimmed(opened.lines)
        self.blocks.append(Block(opened.language, text, is_closed, opened.is_strict and is_closed))


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
