"""Which program a reply gives, and whether it gives it as asked.

Whether the program is right belongs to `judging`.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from rlenvs.code.replies.bare import code_runs
from rlenvs.code.replies.continuing import broken_continuation, continuation, gives_value, margin_of
from rlenvs.code.replies.fences import Fenced, fenced
from rlenvs.code.replies.lines import trimmed
from rlenvs.code.replies.others import program_in
from rlenvs.code.replies.pieces import Piece, pieces_of, seems_to_define, with_needed
from rlenvs.code.replies.syntax import Module, module_of, needed_names
from rlenvs.code.replies.tags import PYTHON, begins_code
from rlenvs.verifiers.replies.extract import outside_thinking


def program_of(reply: str, *, entry_point: str = "", stub: str = "", language: str = PYTHON) -> str | None:
    """The program that a reply gives; None where it gives none. Text is read, never run.

    Only what is outside thinking counts, in the last closed `<answer>` if there is one, before an end token.

    Of blocks in fences (see `fences.fenced`) those count that name the language, or none. Transcripts of a session and
    blocks of other languages are no programs. Of several the last counts

    - that defines the entry point, if there is one: a function, a class or a value of that name at the top level. A
      definition without content (`...`) counts only if there is no other. Code that only uses the function does not
      count, nor does a method of that name in a class `Solution`: the tests could not call it.
    - that reads and prints, if there is none: a whole program.

    A block that does not parse is a program all the same, one that fails. A cut-off one counts up to its last whole
    statement, and as broken only if there is no other.

    What the program needs and does not define itself (imports, helpers, constants) is taken from the other blocks and
    put in front, statement by statement: no block's printing comes along. Of two definitions of a name the later one
    counts, of those before the program if there are any.

    With a stub, what the program needs may come from there; a reply that does not define the entry point itself but
    gives the body is the stub with that body (see `continuing.continuation`).

    Without blocks the reply is the program if it parses, or else the last run of its lines that does and defines what
    is asked for; a reply that looks like code and does not parse is a program that fails.

    Args:
        entry_point: empty: a whole program is asked for, which reads standard input.
        stub: the beginning of a program, up to the docstring of the entry point.
    """
    text = _visible(reply)
    if language != PYTHON:
        return program_in(fenced(text), language)
    # Fences in a text that is code altogether stand in its strings.
    found = Fenced((), text, "") if _is_all_code(text, entry_point, stub) else fenced(text)
    pieces = pieces_of(found, continued=entry_point if stub else "")
    if not entry_point:
        return _whole_program(pieces) or _whole_program(_bare(found.prose)) or _broken(found, entry_point)
    return (
        _definition(pieces, entry_point, stub)
        or _continued(pieces, entry_point, stub)
        or _bare_definition(found.prose, entry_point, stub)
        or _attempt(pieces, entry_point, stub)
        or _broken(found, entry_point)
    )


def is_fenced_once(reply: str, language: str = PYTHON) -> bool:
    """Whether a reply keeps to the format: exactly one block of the language outside thinking, closed and not empty.

    Its fences stand on lines of their own, and name the language; thinking that was begun has ended. Blocks of other
    languages do not matter.
    """
    end = "\0"
    text = outside_thinking(_with_newlines(reply) + end)
    if not text.endswith(end):
        return False
    blocks = [block for block in fenced(text[: -len(end)]).blocks if block.language == language]
    return len(blocks) == 1 and blocks[0].is_strict and bool(blocks[0].text)


def _with_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


_END_TOKEN = re.compile(
    r"(?<![\"'])(?:</s>|<eos>|<end_of_turn>|<[|｜](?:im_end|endoftext|end_of_text|eot_id|eom_id"
    r"|end▁of▁sentence)[|｜]>)",
)
_ANSWER = re.compile(r"(?<![\"'])<answer>")


def _visible(reply: str) -> str:
    """The part of a reply in which a program is looked for. Tags and tokens in quotes are a program's own."""
    text = outside_thinking(_with_newlines(reply))
    token = _END_TOKEN.search(text)
    text = text[: token.start()] if token else text
    end = text.rfind("</answer>")
    begin = text.rfind("<answer>", 0, end) if end >= 0 else -1
    return text[begin + len("<answer>") : end] if begin >= 0 and _ANSWER.match(text, begin) else text


def _is_all_code(text: str, entry_point: str, stub: str) -> bool:
    if module_of(trimmed(text.split("\n"))) is not None:
        return True
    return bool(stub) and _begins_indented(text) and continuation(stub, text, entry_point) is not None


def _begins_indented(text: str) -> bool:
    return text.lstrip("\n")[:1].isspace()


def _definition(pieces: Sequence[Piece], entry_point: str, stub: str) -> str | None:
    """The last piece that defines the entry point, made whole; None if that one does not parse."""
    defining = [
        at
        for at, piece in enumerate(pieces)
        if piece.binds(entry_point) or (piece.is_closed and piece.seems_to_define(entry_point))
    ]
    if not defining:
        return None
    filled = [at for at in defining if not _is_sketch(pieces[at], entry_point)]
    at = (filled or defining)[-1]
    if pieces[at].module is None:
        return None
    sources = [*_others(pieces, at), *_stub_modules(stub, entry_point)]
    return with_needed(pieces[at].text, sources, entry_point=entry_point)


def _is_sketch(piece: Piece, entry_point: str) -> bool:
    return piece.module is not None and piece.module.is_sketch_of(entry_point)


def _others(pieces: Sequence[Piece], at: int) -> list[Module]:
    """Where a piece's needs are looked for: in those before it, the nearest first, then in those after it."""
    return [piece.module for piece in [*reversed(pieces[:at]), *pieces[at + 1 :]] if piece.module is not None]


def _stub_modules(stub: str, entry_point: str) -> list[Module]:
    module = module_of(f"{stub.rstrip()}\n{margin_of(stub)}pass\n") if stub else None
    if module is None:
        return []
    kept = tuple(statement for statement in module.statements if entry_point not in statement.binds)
    return [replace(module, statements=kept)]


def _continued(pieces: Sequence[Piece], entry_point: str, stub: str) -> str | None:
    """The stub with the last piece that is a body of it."""
    for at in reversed(range(len(pieces))) if stub else ():
        is_body = pieces[at].is_named or gives_value(pieces[at].text)  # without a name it may be what a program prints
        given = continuation(stub, pieces[at].text, entry_point) if is_body else None
        if given is not None:
            return with_needed(given.program, [*_others(pieces, at), *code_runs(given.rest)], entry_point=entry_point)
    return None


def _bare(prose: str) -> list[Piece]:
    return [Piece(run.text, run, is_named=False, is_closed=True) for run in code_runs(prose)]


def _bare_definition(prose: str, entry_point: str, stub: str) -> str | None:
    """What text outside fences defines, or a continuation of the stub: first of all that if it begins indented."""
    pieces = _bare(prose)
    defined = _definition(pieces, entry_point, stub)
    is_continuing = _begins_indented(prose) and not _begins_with_definition(prose, pieces, entry_point)
    if not stub or (defined is not None and not is_continuing):
        return defined
    given = continuation(stub, prose, entry_point)
    if given is None:
        return defined or broken_continuation(stub, prose)
    return with_needed(given.program, code_runs(given.rest), entry_point=entry_point)


def _begins_with_definition(prose: str, pieces: Sequence[Piece], entry_point: str) -> bool:
    """Whether a text is one piece from its first line on that defines the entry point, though indented."""
    is_one = len(pieces) == 1 and pieces[0].module is not None and pieces[0].module.defines(entry_point)
    return is_one and prose.lstrip().startswith(pieces[0].text.split("\n", 1)[0])


def _attempt(pieces: Sequence[Piece], entry_point: str, stub: str) -> str | None:
    """A program that fails: it does not parse, or defines something else. Code that uses the function is none."""
    for piece in reversed(pieces):
        if piece.seems_to_define(entry_point):
            return piece.text
        if piece.is_named and piece.module is None:
            return (broken_continuation(stub, piece.text) if stub else None) or piece.text
        defines = piece.is_named and piece.module is not None and piece.module.defines_anything()
        if defines and entry_point not in needed_names(piece.text):
            return piece.text
    return None


def _broken(found: Fenced, entry_point: str) -> str | None:
    """A whole reply without blocks that looks like a program, though it does not parse."""
    text = trimmed(found.prose.split("\n"))
    if found.blocks or module_of(text) is not None:
        return None
    is_program = seems_to_define(text, entry_point) if entry_point else begins_code(text) and text[0] != "#"
    return text if is_program else None


_READS = re.compile(r"\binput\b|\bstdin\b|\bopen\s*\(\s*0|\bfileinput\b|\bos\.read\b|/dev/stdin")
_PRINTS = re.compile(r"\bprint\b|\bstdout\b|\.write\w*\s*\(|\bos\.write\b")


def _whole_program(pieces: Sequence[Piece]) -> str | None:
    """The last piece that reads and prints, by itself or with what it needs; else that prints; else the last one."""
    candidates: list[tuple[int, str]] = []
    for at, piece in enumerate(pieces):
        if not piece.is_named and (piece.module is None or not piece.module.calls):
            continue
        text = piece.text if piece.module is None else with_needed(piece.text, _others(pieces, at))
        is_whole = 2 * bool(_PRINTS.search(text)) + bool(_PRINTS.search(text) and _READS.search(text))
        is_cut = piece.module is None and not piece.is_closed
        candidates.append((-1 if is_cut else is_whole, text))
    return max(reversed(candidates), key=lambda each: each[0])[1] if candidates else None
