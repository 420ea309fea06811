"""Code that stands in a text without fences: the runs of whole top-level statements between prose."""

import re

from rlenvs.code.replies.lines import CLOSED, after_line, trimmed
from rlenvs.code.replies.syntax import MAX_CHARS, Module, module_of, needed_names

MAX_CHUNKS = 4000  # that are parsed, the last ones
_PATIENCE = 8  # brackets and strings without an end that are looked for to the end of the text
_FIRST_CHARS = 200  # of a line, that tell code from prose

_JOINS = re.compile(r"[)\]}]|(?:else|elif|except|finally)\b")
_BEGINS_CODE = re.compile(
    r"(?:(?:async )?def|class|import|from|if|for|while|with|try|return|assert|raise|del|global|pass|match|not|await)\b"
    r"|@\w|#|[A-Za-z_][\w.]*+(?:\s*+[^\w\s'’]|$)|[(\[{\"'~+-]"
)
_LISTED = re.compile(r"[-*+•] |\d+[.)] ")


def code_runs(text: str) -> list[Module]:
    """The longest runs of consecutive lines that parse, in order; words that happen to parse end a run.

    A run begins and ends at a line without indentation. In a text in which none does, indentation that all lines of
    a part have in common is taken away. Text beyond the first `MAX_CHARS` characters is not read.
    """
    whole = module_of(trimmed(text.split("\n")))
    if whole is not None and _is_code(whole) and not _has_words(whole):
        return [whole]
    runs = _runs(text[:MAX_CHARS])
    return runs or _runs(without_margins(text[:MAX_CHARS]))


def chunks(text: str) -> list[str]:
    """A text in parts that begin at lines without indentation, outside strings and brackets; all of the text.

    What goes on with a statement (`else`, a closing bracket, the function under a decorator) begins no part.
    """
    lines = text.split("\n")
    starts: list[int] = []
    patience, at = _PATIENCE, 0
    while at < len(lines):
        starts.append(at)
        first, state, at = at, CLOSED, at + 1
        if not _BEGINS_CODE.match(lines[first]):
            continue
        state = after_line(lines[first], state)
        resume = 0  # the first line where the part would end if nothing were open
        while at < len(lines) and (state or not _begins(lines, at)):
            if state and not resume and _begins(lines, at):
                resume = at
            state = after_line(lines[at], state) if state or lines[at] else state
            at += 1
        if at == len(lines) and state and resume:
            if not patience:
                break
            patience -= 1
            at = resume
    ends = [*starts[1:], len(lines)]
    return ["\n".join(lines[start:end]) for start, end in zip(starts, ends, strict=True)]


def _begins(lines: list[str], at: int) -> bool:
    line = lines[at]
    return bool(line) and not line[0].isspace() and not _JOINS.match(line) and not lines[at - 1].startswith("@")


def _runs(text: str) -> list[Module]:
    runs: list[Module] = []
    run: list[str] = []
    for chunk in [*chunks(text)[-MAX_CHUNKS:], "?"]:
        if _is_part_of_code(chunk):
            run.append(chunk)
            continue
        module = module_of(trimmed("\n".join(run).split("\n"))) if run else None
        if module is not None and _is_code(module):
            runs.append(module)
        run = []
    return runs


def _is_part_of_code(chunk: str) -> bool:
    if not _BEGINS_CODE.match(chunk) or _LISTED.match(chunk) or "```" in chunk[:_FIRST_CHARS]:
        return not chunk.strip()
    if chunk.startswith("#"):
        return True
    module = module_of(chunk)
    return module is not None and not any(statement.is_idle for statement in module.statements)


def _is_code(module: Module) -> bool:
    return bool(module.statements) and not all(each.is_idle or each.text[0] in "\"'" for each in module.statements)


def _has_words(module: Module) -> bool:
    """Whether a statement is a name that nothing gives a value: a heading, in a text that parses by chance."""
    idle = [statement for statement in module.statements if statement.is_idle]
    return any(not module.binds(name) for statement in idle for name in needed_names(statement.text))


def without_margins(text: str) -> str:
    """A text whose indented parts, which begin behind a blank line, have lost the indentation of their first line."""
    lines: list[str] = []
    margin = 0
    is_behind_blank = True
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip(" \t"))
        if line.strip():
            margin = min(margin, indent) if margin or not is_behind_blank else indent
        is_behind_blank = not line.strip()
        lines.append(line[min(margin, indent) :])
    return "\n".join(lines)
